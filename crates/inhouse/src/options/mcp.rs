use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Options, ToolPermissionPolicy, ToolPolicy};
use crate::mcp::McpServers;
use crate::tool::ToolServer;

#[derive(Clone, Debug, Default)]
pub(crate) struct McpOptions {
    pub(crate) servers: McpServers,
    pub(crate) config_files: Vec<PathBuf>,
    pub(crate) strict: bool,
}

/// Options for MCP servers.
impl Options {
    /// Adds an in-process MCP server under its own name.
    ///
    /// The CLI gets the name of the server and the definitions of its tools; the handlers run in this
    /// process. Any number of sessions may use one server concurrently. Default: none.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::tool::{Tool, ToolServer};
    /// # use inhouse_testkit::{FakeCli, run};
    ///
    /// let clock = ToolServer::new("clock").tool(Tool::new("now", "The time", async || "noon"));
    /// let options = Options::new().tool_server(clock);
    /// # run(FakeCli::play_cli(options, async |cli| {
    /// let result = cli.call_tool("clock", "now", serde_json::json!({})).await;
    /// assert_eq!(result.all_text(), "noon");
    /// # }));
    /// ```
    pub fn tool_server<S: Send + Sync + 'static>(mut self, server: ToolServer<S>) -> Self {
        self.mcp.servers = self.mcp.servers.tool_server(server);
        self
    }

    /// Adds an in-process MCP server under another name.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::tool::ToolServer;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().tool_server_as("sums", ToolServer::<()>::new("calc")));
    /// assert_eq!(cli.initialize()["sdkMcpServers"][0], "sums");
    /// ```
    pub fn tool_server_as<S: Send + Sync + 'static>(
        mut self,
        key: impl Into<String>,
        server: ToolServer<S>,
    ) -> Self {
        self.mcp.servers = self.mcp.servers.tool_server_as(key, server);
        self
    }

    /// Adds an in-process MCP server that is written with the `rmcp` crate.
    ///
    /// `handler` is called once for each session and returns its handler, so that any number of
    /// sessions may use the same options concurrently. The closure passes shared state, such as a
    /// database, to each handler. All features of the handler are available: tools, resources,
    /// completion, logging, progress and requests to the client. See
    /// [`inhouse::rmcp`](crate::rmcp) for the features that the CLI uses.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::rmcp::ServerHandler;
    /// use inhouse::rmcp::model::{ServerCapabilities, ServerConfig};
    /// use inhouse_testkit::fake::launch;
    ///
    /// #[derive(Default)]
    /// struct Notes { /* … */ }
    ///
    /// impl ServerHandler for Notes {
    ///     fn get_info(&self) -> ServerConfig {
    ///         ServerConfig::new(ServerCapabilities::builder().enable_resources().build())
    ///     }
    /// }
    ///
    /// let cli = launch(Options::new().rmcp_server("notes", Notes::default));
    /// assert_eq!(cli.initialize()["sdkMcpServers"][0], "notes");
    /// ```
    #[cfg(feature = "rmcp")]
    pub fn rmcp_server<F, H>(mut self, name: impl Into<String>, handler: F) -> Self
    where
        F: Fn() -> H + Send + Sync + 'static,
        H: rmcp::ServerHandler,
    {
        self.mcp.servers = self.mcp.servers.rmcp_server(name, handler);
        self
    }

    /// Adds an external MCP server, under a name that no other server has.
    ///
    /// The model sees its tools as `mcp__<name>__<tool>`. Default: the servers of the settings.
    ///
    /// ```
    /// use inhouse::options::{McpServer, Options};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().mcp_server("db", McpServer::stdio("db-mcp")));
    /// let config = r#"{"mcpServers":{"db":{"command":"db-mcp","type":"stdio"}}}"#;
    /// assert!(cli.has_arg(&format!("--mcp-config={config}")));
    /// ```
    pub fn mcp_server(mut self, name: impl Into<String>, server: McpServer) -> Self {
        self.mcp.servers = self.mcp.servers.mcp_server(name, server);
        self
    }

    /// Adds the MCP servers of a configuration file.
    ///
    /// If several files have a server of the same name, the last file takes precedence;
    /// [`mcp_server`](Self::mcp_server) takes precedence over files. A relative path is resolved
    /// against the CLI's working directory. Default: none.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().mcp_config_file("/srv/mcp.json"));
    /// assert!(cli.has_arg("--mcp-config=/srv/mcp.json"));
    /// ```
    pub fn mcp_config_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.mcp.config_files.push(path.into());
        self
    }

    /// Sets whether the CLI ignores the MCP servers of settings and plugins.
    ///
    /// Default: `false`.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().strict_mcp_config(true));
    /// assert!(cli.has_arg("--strict-mcp-config"));
    /// ```
    pub fn strict_mcp_config(mut self, strict: bool) -> Self {
        self.mcp.strict = strict;
        self
    }
}

/// The configuration of an external MCP server: a program, or a service on the network.
///
/// `Value::from` returns the JSON of an MCP configuration file.
///
/// ```
/// use inhouse::options::McpServer;
/// use serde_json::{Value, json};
///
/// let server = McpServer::http("https://mcp.example/crm").header("X-Team", "sales");
/// let config = json!({"type": "http", "url": "https://mcp.example/crm", "headers": {"X-Team": "sales"}});
/// assert_eq!(Value::from(server), config);
/// ```
///
/// Deserialized from the same JSON, such as an entry of a `.mcp.json` file, for hosts with a
/// configuration file; [`FromStr`] reads JSON text. A member that has no method is kept, as with
/// [`extra`](Self::extra).
///
/// ```
/// use inhouse::options::{McpServer, Options};
/// use std::collections::BTreeMap;
/// # use inhouse_testkit::fake::launch;
///
/// let config = r#"{"db": {"command": "db-mcp", "args": ["--read-only"]}}"#;
/// let servers: BTreeMap<String, McpServer> = serde_json::from_str(config)?;
/// let options = servers.into_iter().fold(Options::new(), |options, (name, server)| {
///     options.mcp_server(name, server)
/// });
/// # assert!(launch(options).args().iter().any(|arg| arg.contains("--read-only")));
///
/// let error = r#"{"type": "htpp", "url": "https://mcp.example"}"#.parse::<McpServer>().unwrap_err();
/// assert!(error.to_string().starts_with("unknown type `htpp`; use `stdio`, `http` or `sse`"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Deserialize)]
#[serde(try_from = "McpServerConfig")]
#[must_use = "add it with `Options::mcp_server`"]
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
    /// Creates a server that the CLI starts as a program and connects to over stdin and stdout.
    ///
    /// ```
    /// use inhouse::options::McpServer;
    /// use serde_json::{Value, json};
    ///
    /// let server = McpServer::stdio("db-mcp");
    /// assert_eq!(Value::from(server), json!({"type": "stdio", "command": "db-mcp"}));
    /// ```
    pub fn stdio(command: impl Into<String>) -> Self {
        Self::with_transport(McpTransport::Stdio {
            command: command.into(),
        })
    }

    /// Creates a server that the CLI connects to over streamable HTTP.
    ///
    /// ```
    /// use inhouse::options::McpServer;
    /// use serde_json::{Value, json};
    ///
    /// let server = McpServer::http("https://mcp.example/crm");
    /// assert_eq!(Value::from(server), json!({"type": "http", "url": "https://mcp.example/crm"}));
    /// ```
    pub fn http(url: impl Into<String>) -> Self {
        Self::remote("http", url.into())
    }

    /// Creates a server that the CLI connects to over HTTP with server-sent events, which streamable
    /// HTTP replaces.
    ///
    /// ```
    /// use inhouse::options::McpServer;
    /// use serde_json::{Value, json};
    ///
    /// let server = McpServer::sse("https://mcp.example/old");
    /// assert_eq!(Value::from(server), json!({"type": "sse", "url": "https://mcp.example/old"}));
    /// ```
    pub fn sse(url: impl Into<String>) -> Self {
        Self::remote("sse", url.into())
    }

    /// Adds arguments of the program.
    ///
    /// A `Config` error for a service.
    ///
    /// ```
    /// use inhouse::options::McpServer;
    /// use serde_json::{Value, json};
    ///
    /// let server = McpServer::stdio("npx").args(["-y", "db-mcp"]);
    /// assert_eq!(Value::from(server), json!({"type": "stdio", "command": "npx", "args": ["-y", "db-mcp"]}));
    /// ```
    pub fn args<S: Into<String>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets an environment variable of the program.
    ///
    /// A `Config` error for a service.
    ///
    /// ```
    /// use inhouse::options::McpServer;
    /// use serde_json::Value;
    ///
    /// let server = McpServer::stdio("db-mcp").env("DB_HOST", "db.internal");
    /// assert_eq!(Value::from(server)["env"]["DB_HOST"], "db.internal");
    /// ```
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// Sets a header of the requests to the service.
    ///
    /// A `Config` error for a program.
    ///
    /// ```
    /// use inhouse::options::McpServer;
    /// use serde_json::Value;
    ///
    /// let server = McpServer::http("https://mcp.example/crm").header("X-Team", "sales");
    /// assert_eq!(Value::from(server)["headers"]["X-Team"], "sales");
    /// ```
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.insert(name.into(), value.into());
        self
    }

    /// Sets how long a tool call may take, at least 1 s.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use inhouse::options::McpServer;
    /// use serde_json::Value;
    ///
    /// let server = McpServer::stdio("db-mcp").timeout(Duration::from_secs(90));
    /// assert_eq!(Value::from(server)["timeout"], 90_000);
    /// ```
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets whether the model sees the tools from the start, instead of searching for them.
    ///
    /// ```
    /// use inhouse::options::McpServer;
    /// use serde_json::Value;
    ///
    /// let server = McpServer::stdio("db-mcp").always_load(true);
    /// assert_eq!(Value::from(server)["alwaysLoad"], true);
    /// ```
    pub fn always_load(mut self, always: bool) -> Self {
        self.always_load = Some(always);
        self
    }

    /// Adds a permission policy for one tool of a service.
    ///
    /// A `Config` error for a program.
    ///
    /// ```
    /// use inhouse::options::{McpServer, ToolPermissionPolicy, ToolPolicy};
    /// use serde_json::Value;
    ///
    /// let policy = ToolPolicy::new("delete", ToolPermissionPolicy::AlwaysAsk);
    /// let server = McpServer::http("https://mcp.example/crm").tool_policy(policy);
    /// assert_eq!(Value::from(server)["tools"][0]["permission_policy"], "always_ask");
    /// ```
    pub fn tool_policy(mut self, policy: ToolPolicy) -> Self {
        self.tools.push(policy);
        self
    }

    /// Sets a member of the configuration that has no method.
    ///
    /// ```
    /// use inhouse::options::McpServer;
    /// use serde_json::Value;
    ///
    /// let server = McpServer::http("https://mcp.example/crm").extra("headersHelper", "crm-token");
    /// assert_eq!(Value::from(server)["headersHelper"], "crm-token");
    /// ```
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

/// The JSON of an MCP configuration file.
#[derive(Deserialize)]
struct McpServerConfig {
    #[serde(rename = "type")]
    kind: Option<String>,
    command: Option<String>,
    url: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    /// In milliseconds.
    timeout: Option<u64>,
    #[serde(rename = "alwaysLoad")]
    always_load: Option<bool>,
    #[serde(default)]
    tools: Vec<ToolPolicy>,
    #[serde(flatten)]
    extra: Map<String, Value>,
}

impl TryFrom<McpServerConfig> for McpServer {
    type Error = String;

    fn try_from(config: McpServerConfig) -> Result<Self, Self::Error> {
        // The CLI takes an entry without a type for a program.
        let kind = config.kind.as_deref().unwrap_or("stdio");
        let server = match (kind, config.command, config.url) {
            ("stdio", Some(command), None) => Self::stdio(command),
            ("http", None, Some(url)) => Self::http(url),
            ("sse", None, Some(url)) => Self::sse(url),
            ("stdio", None, Some(_)) => {
                return Err("a server with a `url` needs the `type` `http` or `sse`".to_owned());
            }
            ("stdio" | "http" | "sse", Some(_), Some(_)) => {
                return Err("a server has either a `command` or a `url`".to_owned());
            }
            ("stdio", None, None) => return Err("a program needs a `command`".to_owned()),
            ("http" | "sse", _, None) => {
                return Err(format!("a server of the type `{kind}` needs a `url`"));
            }
            (other, ..) => {
                return Err(format!(
                    "unknown type `{other}`; use `stdio`, `http` or `sse`"
                ));
            }
        };
        for tool in &config.tools {
            if let Some(ToolPermissionPolicy::Unknown(policy)) = &tool.permission_policy {
                return Err(format!(
                    "unknown permission policy `{policy}` for the tool `{}`; use `always_allow`, `always_ask` or \
                     `always_deny`",
                    tool.name
                ));
            }
        }
        Ok(Self {
            args: config.args,
            env: config.env,
            headers: config.headers,
            timeout: config.timeout.map(Duration::from_millis),
            always_load: config.always_load,
            tools: config.tools,
            extra: config.extra,
            ..server
        })
    }
}

/// Reads a server from JSON text.
impl FromStr for McpServer {
    type Err = serde_json::Error;

    fn from_str(json: &str) -> Result<Self, Self::Err> {
        serde_json::from_str(json)
    }
}

impl From<McpServer> for Value {
    fn from(server: McpServer) -> Self {
        let mut config = match server.transport {
            McpTransport::Stdio { command } => json!({"type": "stdio", "command": command}),
            McpTransport::Remote { kind, url } => json!({"type": kind, "url": url}),
        };
        if !server.args.is_empty() {
            config["args"] = json!(server.args);
        }
        if !server.env.is_empty() {
            config["env"] = json!(server.env);
        }
        if !server.headers.is_empty() {
            config["headers"] = json!(server.headers);
        }
        if let Some(timeout) = server.timeout {
            config["timeout"] = json!(u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX));
        }
        if let Some(always) = server.always_load {
            config["alwaysLoad"] = json!(always);
        }
        if !server.tools.is_empty() {
            config["tools"] = json!(server.tools);
        }
        for (name, value) in server.extra {
            config[name] = value;
        }
        config
    }
}

/// Shows the kind of the server, and neither arguments nor URLs, which may contain a secret.
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
