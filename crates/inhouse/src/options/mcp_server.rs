use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use inhouse_proto::control::outgoing::ToolPolicy;
use serde_json::{Map, Value, json};

/// An MCP server outside of the host's process: a program, or a service on the network.
///
/// ```
/// use inhouse::options::{McpServer, Options};
///
/// let options = Options::new()
///     .mcp_server("browser", McpServer::stdio("npx").args(["@playwright/mcp"]))
///     .mcp_server(
///         "crm",
///         McpServer::http("https://mcp.example/crm").header("Authorization", "Bearer …"),
///     );
/// # let _ = options;
/// ```
///
/// It converts into the JSON of an MCP configuration file, for requests that take that.
#[derive(Clone, PartialEq)]
pub struct McpServer {
    pub(crate) transport: McpTransport,
    pub(crate) args: Vec<String>,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) always_load: Option<bool>,
    pub(crate) tools: Vec<ToolPolicy>,
    pub(crate) extra: Map<String, Value>,
}

#[derive(Clone, PartialEq)]
pub(crate) enum McpTransport {
    Stdio { command: String },
    Remote { kind: &'static str, url: String },
}

impl McpServer {
    /// A program that the CLI starts and talks to over stdin and stdout.
    #[must_use]
    pub fn stdio(command: impl Into<String>) -> Self {
        Self::with_transport(McpTransport::Stdio {
            command: command.into(),
        })
    }

    /// A service over streamable HTTP.
    #[must_use]
    pub fn http(url: impl Into<String>) -> Self {
        Self::remote("http", url.into())
    }

    /// A service over HTTP with server-sent events, the older of the two ways.
    #[must_use]
    pub fn sse(url: impl Into<String>) -> Self {
        Self::remote("sse", url.into())
    }

    /// Adds arguments of the program.
    #[must_use]
    pub fn args<S: Into<String>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets a variable in the environment of the program.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// Sets a header of the requests to the service.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.insert(name.into(), value.into());
        self
    }

    /// How long a call of a tool may take, at least a second.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Shows the tools to the model from the start, instead of letting it search for them.
    #[must_use]
    pub fn always_load(mut self, always: bool) -> Self {
        self.always_load = Some(always);
        self
    }

    /// Decides about one tool of a service.
    #[must_use]
    pub fn tool_policy(mut self, policy: ToolPolicy) -> Self {
        self.tools.push(policy);
        self
    }

    /// Sets a member of the configuration that has no method here.
    #[must_use]
    pub fn extra(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.extra.insert(name.into(), value.into());
        self
    }

    fn remote(kind: &'static str, url: String) -> Self {
        Self::with_transport(McpTransport::Remote { kind, url })
    }

    fn with_transport(transport: McpTransport) -> Self {
        Self {
            transport,
            args: Vec::new(),
            env: BTreeMap::new(),
            headers: BTreeMap::new(),
            timeout: None,
            always_load: None,
            tools: Vec::new(),
            extra: Map::new(),
        }
    }
}

impl From<McpServer> for Value {
    fn from(server: McpServer) -> Self {
        let mut config = Map::new();
        match server.transport {
            McpTransport::Stdio { command } => {
                config.insert("type".into(), json!("stdio"));
                config.insert("command".into(), json!(command));
            }
            McpTransport::Remote { kind, url } => {
                config.insert("type".into(), json!(kind));
                config.insert("url".into(), json!(url));
            }
        }
        if !server.args.is_empty() {
            config.insert("args".into(), json!(server.args));
        }
        if !server.env.is_empty() {
            config.insert("env".into(), json!(server.env));
        }
        if !server.headers.is_empty() {
            config.insert("headers".into(), json!(server.headers));
        }
        if let Some(timeout) = server.timeout {
            let millis = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
            config.insert("timeout".into(), json!(millis));
        }
        if let Some(always) = server.always_load {
            config.insert("alwaysLoad".into(), json!(always));
        }
        if !server.tools.is_empty() {
            config.insert("tools".into(), json!(server.tools));
        }
        config.extend(server.extra);
        Self::Object(config)
    }
}

/// Shows what the server is, and neither arguments nor addresses: all of them may hold a secret.
impl fmt::Debug for McpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("McpServer");
        match &self.transport {
            McpTransport::Stdio { command } => out.field("command", command),
            McpTransport::Remote { kind, .. } => out.field("type", kind),
        };
        out.finish_non_exhaustive()
    }
}
