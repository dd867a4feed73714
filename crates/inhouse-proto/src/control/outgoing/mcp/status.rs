use serde_json::{Map, Value};

use super::super::declare::control_request;
use crate::open::{open_enum, open_struct};

control_request! {
    /// Asks how the MCP servers are.
    ///
    /// A server that lives in the host's process is missing until the CLI has tried to connect to
    /// it once.
    pub struct McpStatus("mcp_status") -> McpStatusReply
    accepts {
        /// Whether to answer from what is known now; for remote transports only.
        live_reply as "liveReply": bool,
    }
}

open_struct! {
    /// The reply to [`McpStatus`].
    pub struct McpStatusReply {
        /// The servers.
        pub mcp_servers as "mcpServers": Vec<McpServerStatus>,
    }
}

open_struct! {
    /// How one MCP server is.
    pub struct McpServerStatus {
        /// Its name.
        pub name: String,
        /// Whether it is connected.
        pub status: McpConnection,
        /// What it says about itself.
        pub server_info as "serverInfo": Option<McpServerInfo>,
        /// Why it failed.
        pub error: Option<String>,
        /// How it is configured.
        pub config: Option<Map<String, Value>>,
        /// How it is reached: `sdk`, `stdio`, `sse` or `http`; absent from old CLIs.
        pub transport: Option<String>,
        /// The layer of configuration that names it.
        pub scope: Option<String>,
        /// Where it comes from; `sdk` for a server in the host's process.
        pub source: Option<String>,
        /// Its tools.
        pub tools: Option<Vec<McpToolInfo>>,
    }
}

open_enum! {
    /// The state of the connection to an MCP server.
    pub enum McpConnection {
        /// It answers.
        Connected = "connected",
        /// It could not be reached.
        Failed = "failed",
        /// It wants somebody to sign in first.
        NeedsAuth = "needs-auth",
        /// It is being connected.
        Pending = "pending",
        /// It is turned off.
        Disabled = "disabled",
    }
}

open_struct! {
    /// What an MCP server says about itself.
    pub struct McpServerInfo {
        /// Its own name.
        pub name: String,
        /// Its version.
        pub version: String,
    }
}

open_struct! {
    /// A tool of an MCP server.
    pub struct McpToolInfo {
        /// Its name, without the server's.
        pub name: String,
        /// What it does.
        pub description: Option<String>,
        /// What it promises.
        pub annotations: Option<McpToolAnnotations>,
        /// What the server attached to it.
        pub meta as "_meta": Option<Map<String, Value>>,
    }
}

open_struct! {
    /// What a tool promises about its calls.
    pub struct McpToolAnnotations {
        /// They change nothing.
        pub read_only as "readOnly": Option<bool>,
        /// They may destroy something.
        pub destructive: Option<bool>,
        /// They reach out into the world.
        pub open_world as "openWorld": Option<bool>,
    }
}
