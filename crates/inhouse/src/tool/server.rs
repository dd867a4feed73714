use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use inhouse_proto::control::outgoing::ToolPolicy;
use inhouse_proto::mcp::{CallToolResult, ToolCall};
use serde_json::Value;

use super::call::CallContext;
use super::registry::Registry;
use super::timeout::Concurrency;
use super::{Canceller, McpClient, Progress, ServedTools as _, Tool, ToolHandle};
use crate::session::Session;

/// An MCP server in this process: a named set of [tools](Tool) that share a state `S`.
///
/// Add it to a session with [`Options::tool_server`](crate::Options::tool_server). A server is a
/// definition: any number of sessions may use it, also at the same time, and none of them ends it.
/// Clones are cheap and share the tools.
///
/// ```
/// use inhouse::Options;
/// use inhouse::tool::{Tool, ToolServer};
/// use inhouse_testkit::FakeCli;
/// use serde_json::json;
///
/// # inhouse_testkit::run(async {
/// let clock = ToolServer::new("clock").tool(Tool::new("now", "The current time", async || "noon"));
/// FakeCli::play_cli(Options::new().tool_server(clock), async |cli| {
///     let result = cli.call_tool("clock", "now", json!({})).await;
///     assert_eq!(result.all_text(), "noon");
/// }).await;
/// # });
/// ```
pub struct ToolServer<S = ()> {
    pub(super) name: String,
    pub(super) state: Arc<S>,
    pub(super) registry: Arc<Registry<S>>,
    // Copied on write: servers that share it are the same server, see `ServedTools::identity`.
    pub(super) settings: Arc<Settings>,
}

#[derive(Clone)]
pub(super) struct Settings {
    pub(super) version: String,
    pub(super) instructions: Option<String>,
    pub(super) timeout: Option<Duration>,
    pub(super) concurrency: Concurrency,
    pub(super) policies: Vec<ToolPolicy>,
}

impl ToolServer {
    /// Creates a server without tools and without state.
    ///
    /// Claude calls the tool `add` of the server `calc` by the name `mcp__calc__add`.
    ///
    /// ```
    /// use inhouse::tool::{Tool, ToolServer};
    ///
    /// # inhouse_testkit::run(async {
    /// let clock = ToolServer::new("clock").tool(Tool::new("now", "The time", async || "noon"));
    /// let result = clock.call("now", serde_json::json!({})).await;
    /// assert_eq!(result.all_text(), "noon");
    /// # });
    /// ```
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self::with_state(name, ())
    }
}

impl<S: Send + Sync + 'static> ToolServer<S> {
    /// Creates a server with a state, which its tools take as [`State`](super::State).
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use inhouse::tool::{State, Tool, ToolServer};
    /// use serde_json::json;
    ///
    /// # inhouse_testkit::run(async {
    /// let names = Arc::new(vec!["Ada", "Grace"]);
    /// let count = async |State(names): State<Arc<Vec<&str>>>| names.len();
    /// let server = ToolServer::with_state("users", names)
    ///     .tool(Tool::new("count", "The number of users", count));
    /// assert_eq!(server.call("count", json!({})).await.all_text(), "2");
    /// # });
    /// ```
    #[must_use]
    pub fn with_state(name: impl Into<String>, state: S) -> Self {
        Self {
            name: name.into(),
            state: Arc::new(state),
            registry: Arc::default(),
            settings: Arc::new(Settings {
                version: "1.0.0".to_owned(),
                instructions: None,
                timeout: None,
                concurrency: Concurrency::default(),
                policies: Vec::new(),
            }),
        }
    }

    /// Returns the name of the server.
    ///
    /// ```
    /// assert_eq!(inhouse::tool::ToolServer::new("calc").name(), "calc");
    /// ```
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sets the version that the server reports; `1.0.0` by default.
    ///
    /// ```
    /// use inhouse::tool::ToolServer;
    ///
    /// # inhouse_testkit::run(async {
    /// let server = ToolServer::new("calc").version("2.1.0");
    /// let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#;
    /// let response = server.router().handle(initialize).await.expect("requests have a response");
    /// assert!(response.contains(r#""version":"2.1.0""#));
    /// # });
    /// ```
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.settings().version = version.into();
        self
    }

    /// Sets instructions for the use of the tools, which Claude reads before the first prompt. By
    /// default there are none.
    ///
    /// ```
    /// use inhouse::tool::ToolServer;
    ///
    /// # inhouse_testkit::run(async {
    /// let server = ToolServer::new("bank").instructions("Amounts are in cents.");
    /// let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#;
    /// let response = server.router().handle(initialize).await.expect("requests have a response");
    /// assert!(response.contains("Amounts are in cents."));
    /// # });
    /// ```
    #[must_use]
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.settings().instructions = Some(instructions.into());
        self
    }

    /// Adds a tool.
    ///
    /// Two tools with one name, like an invalid tool, are a `Config` error when a session uses the
    /// server.
    ///
    /// ```
    /// use inhouse::tool::{Tool, ToolServer};
    /// use serde_json::json;
    ///
    /// # inhouse_testkit::run(async {
    /// let clock = ToolServer::new("clock").tool(Tool::new("now", "The time", async || "noon"));
    /// assert_eq!(clock.call("now", json!({})).await.all_text(), "noon");
    /// # });
    /// ```
    #[must_use]
    pub fn tool(self, tool: Tool<S>) -> Self {
        self.registry.declare(tool);
        self
    }

    /// Adds several tools, each as [`tool`](Self::tool) does.
    ///
    /// ```
    /// use inhouse::tool::{Tool, ToolServer};
    ///
    /// let rooms = ["kitchen", "cellar"];
    /// let server = ToolServer::new("light").tools(rooms.map(|room| {
    ///     Tool::new(room, format!("Switch on the light in the {room}"), async || "on")
    /// }));
    /// assert_eq!(server.handle().names(), rooms);
    /// ```
    #[must_use]
    pub fn tools(self, tools: impl IntoIterator<Item = Tool<S>>) -> Self {
        for tool in tools {
            self.registry.declare(tool);
        }
        self
    }

    /// Includes all tools in every request to the model, as [`Tool::always_load`] does for one.
    ///
    /// By default Claude has to search for a tool before the first call.
    ///
    /// ```
    /// use inhouse::tool::{Tool, ToolServer};
    ///
    /// # inhouse_testkit::run(async {
    /// let server = ToolServer::new("clock")
    ///     .always_load()
    ///     .tool(Tool::new("now", "The time", async || "noon"));
    /// let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    /// let response = server.router().handle(list).await.expect("requests have a response");
    /// assert!(response.contains("anthropic/alwaysLoad"));
    /// # });
    /// ```
    #[must_use]
    pub fn always_load(self) -> Self {
        self.registry.always_load();
        self
    }

    /// Makes the CLI request permission for every call of a tool, or deny it, regardless of other
    /// permission rules. By default only those rules apply.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::tool::{Tool, ToolPermissionPolicy, ToolPolicy, ToolServer};
    /// use inhouse_testkit::fake;
    ///
    /// let mail = ToolServer::new("mail")
    ///     .tool(Tool::new("send", "Send a mail", async || "sent"))
    ///     .policy(ToolPolicy::new("send", ToolPermissionPolicy::AlwaysAsk));
    /// let cli = fake::launch(Options::new().tool_server(mail));
    /// let config = &cli.initialize()["sdkMcpServerConfigs"]["mail"];
    /// assert_eq!(config["tools"][0]["name"], "send");
    /// assert_eq!(config["tools"][0]["permission_policy"], "always_ask");
    /// ```
    #[must_use]
    pub fn policy(mut self, policy: ToolPolicy) -> Self {
        self.settings().policies.push(policy);
        self
    }

    /// Limits how long a call may take, for tools without their own [`timeout`](Tool::timeout). By
    /// default there is no limit.
    ///
    /// The longest timeout of the server and its tools is sent to the CLI when the session starts. It
    /// replaces `MCP_TOOL_TIMEOUT`, which limits the calls of servers without a timeout. A tool that
    /// is [added](ToolHandle::put) later cannot have a longer one. The CLI ignores timeouts below one
    /// second; the host enforces them.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use inhouse::tool::{Tool, ToolServer};
    /// use serde_json::json;
    ///
    /// # inhouse_testkit::run(async {
    /// let server = ToolServer::new("test")
    ///     .timeout(Duration::from_secs(30))
    ///     .tool(Tool::new("slow", "Never returns", async || std::future::pending::<()>().await));
    /// let result = server.call("slow", json!({})).await;
    /// assert!(result.is_error);
    /// assert!(result.all_text().contains("30s"));
    /// # });
    /// ```
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings().timeout = Some(timeout);
        self
    }

    /// Limits how many calls of all tools run at once, in all sessions together; further calls wait.
    ///
    /// By default there is no limit. A tool may have its own, lower limit, see
    /// [`Tool::concurrency`]. Zero counts as one.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    ///
    /// use inhouse::tool::{Tool, ToolServer};
    /// use serde_json::json;
    ///
    /// static RUNNING: AtomicUsize = AtomicUsize::new(0);
    ///
    /// async fn count_running() -> usize {
    ///     let running = RUNNING.fetch_add(1, Ordering::SeqCst) + 1;
    ///     tokio::task::yield_now().await;
    ///     RUNNING.fetch_sub(1, Ordering::SeqCst);
    ///     running
    /// }
    ///
    /// # inhouse_testkit::run(async {
    /// let server = ToolServer::new("test")
    ///     .concurrency(1)
    ///     .tool(Tool::new("a", "Counts running calls", count_running))
    ///     .tool(Tool::new("b", "Counts running calls", count_running));
    /// let (a, b) = tokio::join!(server.call("a", json!({})), server.call("b", json!({})));
    /// assert_eq!(a.all_text(), "1");
    /// assert_eq!(b.all_text(), "1");
    /// # });
    /// ```
    #[must_use]
    pub fn concurrency(mut self, calls: usize) -> Self {
        self.settings().concurrency = Concurrency::new(Some(calls));
        self
    }

    /// Returns a handle that changes the tools while sessions use them.
    ///
    /// ```
    /// use inhouse::tool::{Tool, ToolServer};
    ///
    /// let server = ToolServer::new("clock");
    /// server.handle().put(Tool::new("now", "The time", async || "noon"))?;
    /// assert_eq!(server.handle().names(), ["now"]);
    /// # Ok::<(), inhouse::Error>(())
    /// ```
    #[must_use]
    pub fn handle(&self) -> ToolHandle<S> {
        ToolHandle::new(Arc::clone(&self.registry))
    }

    /// Calls a tool as Claude would, without a CLI: for tests.
    ///
    /// Returns the result that Claude would read, also if the tool does not exist or the arguments are
    /// invalid.
    ///
    /// ```
    /// use inhouse::tool::{Tool, ToolServer};
    /// use serde_json::json;
    ///
    /// # inhouse_testkit::run(async {
    /// let clock = ToolServer::new("clock").tool(Tool::new("now", "The time", async || "noon"));
    /// assert_eq!(clock.call("now", json!({})).await.all_text(), "noon");
    /// assert!(clock.call("tomorrow", json!({})).await.is_error);
    /// # });
    /// ```
    ///
    /// # Cancellation
    /// Dropping the future drops the handler, as a cancelled call does.
    pub async fn call(&self, tool: &str, arguments: Value) -> CallToolResult {
        let canceller = Canceller::new();
        let context = CallContext {
            cancelled: canceller.cancelled(),
            progress: &|| Progress::new(None),
            client: &|| McpClient::new(None, canceller.cancelled()),
            session: &Session::default(),
        };
        let call = ToolCall::new(tool.to_owned(), arguments.to_string());
        self.run(&call, context).await.result
    }

    fn settings(&mut self) -> &mut Settings {
        Arc::make_mut(&mut self.settings)
    }
}

impl<S> Clone for ToolServer<S> {
    fn clone(&self) -> Self {
        Self {
            name: self.name.clone(),
            state: Arc::clone(&self.state),
            registry: Arc::clone(&self.registry),
            settings: Arc::clone(&self.settings),
        }
    }
}

impl<S> fmt::Debug for ToolServer<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolServer")
            .field("name", &self.name)
            .field("version", &self.settings.version)
            .field("tools", &self.registry.names())
            .finish_non_exhaustive()
    }
}
