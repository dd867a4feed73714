//! The [`rmcp`](https://docs.rs/rmcp) crate, the official MCP library, re-exported. Needs the feature
//! `rmcp`.
//!
//! The module contains the version that this crate was built with. `rmcp` has frequent major
//! versions, which this module follows; no other module has types of `rmcp` in its API, except for
//! the methods named below. For its macros, its client or its HTTP service, add `rmcp` to your own
//! `Cargo.toml` with these features, in the same version.
//!
//! # An `rmcp` server in your process
//!
//! A [`ToolServer`](crate::tool::ToolServer) has only tools. A server written with `rmcp` can also
//! have resources, prompts and everything else of MCP.
//! [`Options::rmcp_server`](crate::Options::rmcp_server) adds one to a session, without a second
//! process:
//!
//! ```
//! use inhouse::Options;
//! use inhouse::rmcp::model::{
//!     CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
//!     JsonObject, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
//! };
//! use inhouse::rmcp::service::RequestContext;
//! use inhouse::rmcp::{RoleServer, ServerHandler};
//! use serde_json::json;
//!
//! #[derive(Default)]
//! struct Clock;
//!
//! impl ServerHandler for Clock {
//!     fn get_info(&self) -> ServerConfig {
//!         ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
//!     }
//!
//!     async fn list_tools(
//!         &self,
//!         _: Option<PaginatedRequestParams>,
//!         _: RequestContext<RoleServer>,
//!     ) -> Result<ListToolsResult, ErrorData> {
//!         let mut schema = JsonObject::new();
//!         schema.insert("type".to_owned(), json!("object"));
//!         let now = Tool::new("now", "The current time", schema);
//!         Ok(ListToolsResult::with_all_items(vec![now]))
//!     }
//!
//!     async fn call_tool(
//!         &self,
//!         _: CallToolRequestParams,
//!         _: RequestContext<RoleServer>,
//!     ) -> Result<CallToolResponse, ErrorData> {
//!         Ok(CallToolResult::success(vec![ContentBlock::text("noon")]).into())
//!     }
//! }
//!
//! let options = Options::new()
//!     .rmcp_server("clock", Clock::default)
//!     .allow_tools(["mcp__clock"]);
//! # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
//! #     assert_eq!(cli.call_tool("clock", "now", json!({})).await.all_text(), "noon");
//! # }));
//! ```
//!
//! The closure creates one handler for each session.
//!
//! - **Responses.** Every request gets exactly one. If a handler panics, the response is an error and
//!   the handler stays in use. If a request is cancelled, its future is dropped and its token
//!   ([`RequestContext::ct`](service::RequestContext)) is cancelled. Invalid parameters get the error
//!   `-32602` with the reason; `rmcp` does not validate arguments against the schema of a tool.
//! - **The handshake** is made before the session starts, including `on_initialized`, so that the CLI
//!   needs no round trips for it. An older CLI makes another one, and so does every CLI when a server
//!   is disabled and enabled: `initialize` and `on_initialized` may be called several times on one
//!   handler. A handshake that takes longer than 250 ms is left to the CLI.
//! - **Resources** are read by Claude with tools of the CLI. Prompts, logging and progress reach
//!   the CLI, which shows nothing of them (2.1.325).
//! - **Requests of the server** (`peer.list_roots()`, `create_message`, `elicit`) reach the CLI,
//!   which rejects all of them from an in-process server with `-32601`. A server in a separate
//!   process has roots and elicitation.
//! - **A tool behind `#[tool_handler]`** costs about ten times as much per call as necessary, unless
//!   the router is stored: `#[tool_handler(router = self.tool_router)]`.
//!
//! # Your tools for other MCP clients
//!
//! [`ToolServer::serve_stdio`](crate::tool::ToolServer::serve_stdio) serves tools to the MCP client
//! that has started the program. [`ToolServer::into_rmcp`](crate::tool::ToolServer::into_rmcp)
//! converts a server into an `rmcp` handler for every other transport, such as HTTP.

pub use ::rmcp::*;
