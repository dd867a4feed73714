//! The tool servers of the hosts: `bench`, and more of the same on request.

use std::sync::Arc;
use std::time::Duration;

use inhouse::Options;
use inhouse::tool::{Input, Tool, ToolServer};
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{ServerCapabilities, ServerConfig};
use rmcp::{ServerHandler, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::Notify;

/// The duration of the tool `slow`.
pub const SLOW: Duration = Duration::from_millis(20);

/// The way in which the tools are written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Backend {
    /// A [`ToolServer`] with closures as tools.
    Closure,
    /// A [`ToolServer`] with `#[tool]` functions as tools.
    Macro,
    /// A mounted rmcp handler.
    Rmcp,
}

impl Backend {
    /// Returns the backend with this name on the command line.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Some(match name {
            "closure" => Self::Closure,
            "macro" => Self::Macro,
            "rmcp" => Self::Rmcp,
            _ => return None,
        })
    }

    /// Adds servers to the options. The tool `read` notifies `reading`.
    pub fn add_servers(self, count: usize, reading: &Arc<Notify>, options: Options) -> Options {
        (0..count).fold(options, |options, number| {
            let name = name_of(number);
            let reading = Arc::clone(reading);
            match self {
                Self::Closure => options.tool_server(closures(name, reading)),
                Self::Macro => options.tool_server(functions(name, reading)),
                Self::Rmcp => options.rmcp_server(name, move || Mounted::new(Arc::clone(&reading))),
            }
        })
    }
}

/// Returns the name of a server by its number: `bench`, `bench1`, `bench2` …
#[must_use]
pub fn name_of(number: usize) -> String {
    match number {
        0 => "bench".to_owned(),
        number => format!("bench{number}"),
    }
}

#[derive(Deserialize, JsonSchema)]
struct Pair {
    a: f64,
    b: f64,
}

#[derive(Deserialize, JsonSchema)]
struct Text {
    text: String,
}

fn closures(name: String, reading: Arc<Notify>) -> ToolServer {
    ToolServer::new(name)
        .tool(Tool::new(
            "add",
            "Add two numbers",
            async |Input(Pair { a, b }): Input<Pair>| a + b,
        ))
        .tool(Tool::new(
            "echo",
            "Say it back",
            async |Input(Text { text }): Input<Text>| text,
        ))
        .tool(Tool::new("slow", "Take a while", async || {
            tokio::time::sleep(SLOW).await;
            "done"
        }))
        .tool(Tool::new("read", "Begin to read", move || {
            reading.notify_one();
            async { "done" }
        }))
}

fn functions(name: String, reading: Arc<Notify>) -> ToolServer<Arc<Notify>> {
    ToolServer::with_state(name, reading)
        .tool(function::add::tool())
        .tool(function::echo::tool())
        .tool(function::slow::tool())
        .tool(function::read::tool())
}

mod function {
    use std::sync::Arc;

    use inhouse::tool;
    use inhouse::tool::State;
    use tokio::sync::Notify;

    /// Add two numbers.
    #[tool]
    pub(super) async fn add(a: f64, b: f64) -> f64 {
        a + b
    }

    /// Say it back.
    #[tool]
    pub(super) async fn echo(text: String) -> String {
        text
    }

    /// Take a while.
    #[tool]
    pub(super) async fn slow() -> &'static str {
        tokio::time::sleep(super::SLOW).await;
        "done"
    }

    /// Begin to read.
    #[tool]
    pub(super) async fn read(State(reading): State<Arc<Notify>>) -> &'static str {
        reading.notify_one();
        "done"
    }
}

struct Mounted {
    reading: Arc<Notify>,
    // Building a router takes long in comparison with a call.
    tools: ToolRouter<Self>,
}

#[tool_router]
impl Mounted {
    fn new(reading: Arc<Notify>) -> Self {
        let tools = Self::tool_router();
        Self { reading, tools }
    }

    /// Add two numbers.
    #[rmcp::tool]
    async fn add(&self, Parameters(Pair { a, b }): Parameters<Pair>) -> String {
        (a + b).to_string()
    }

    /// Say it back.
    #[rmcp::tool]
    async fn echo(&self, Parameters(Text { text }): Parameters<Text>) -> String {
        text
    }

    /// Take a while.
    #[rmcp::tool]
    async fn slow(&self) -> String {
        tokio::time::sleep(SLOW).await;
        "done".to_owned()
    }

    /// Begin to read.
    #[rmcp::tool]
    async fn read(&self) -> String {
        self.reading.notify_one();
        "done".to_owned()
    }
}

#[tool_handler(router = self.tools)]
impl ServerHandler for Mounted {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}
