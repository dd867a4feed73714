//! The official MCP library, in both directions.
//!
//! Everything of the [`rmcp`](https://docs.rs/rmcp) crate is here under its own name, in the version
//! that this crate was built with. Its major versions come often and are passed on as they are; no
//! other module of this crate has its types in its interface, except for the two ways in and the two
//! ways out below. For its macros, its client or its HTTP service, add the crate to your own
//! `Cargo.toml` with these features; it has to be the same version.
//!
//! # A server of that library in your process
//!
//! A [`ToolServer`](crate::tool::ToolServer) has tools. A server of this library may have all that
//! MCP has, and you may have one already.
//! [`Options::rmcp_server`](crate::Options::rmcp_server) makes it part of a session, without a
//! second process:
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
//!         let now = Tool::new("now", "What time it is", schema);
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
//! # let _ = options;
//! ```
//!
//! Each session has a handler of its own, made by the closure.
//!
//! - **Answers.** Every request gets exactly one. A handler that panics is answered with an error
//!   and lives on. A cancelled request's future is dropped and its token
//!   ([`RequestContext::ct`](service::RequestContext)) fires. Parameters of the wrong form are
//!   answered with `-32602` and what is wrong; the library itself checks no arguments against the
//!   schema of a tool.
//! - **The handshake** happens before the session begins, with `on_initialized`, so that the CLI
//!   needs no round trips for it. An older CLI makes another one, and so does every CLI when a server
//!   is switched off and on: `initialize` and `on_initialized` may come several times, for the same
//!   handler. A handshake that takes longer than a quarter of a second is left to the CLI.
//! - **Resources** are read by Claude with tools of the CLI. Prompts, logging and progress reach
//!   the CLI, which shows nothing of them (2.1.325).
//! - **Requests of the server** (`peer.list_roots()`, `create_message`, `elicit`) reach the CLI,
//!   which does not take any of them from a server in the host's process and answers `-32601`. A
//!   server in a process of its own has roots and elicitation.
//! - **A tool behind `#[tool_handler]`** costs about ten times as much per call as it has to, unless
//!   the router is kept: `#[tool_handler(router = self.tool_router)]`.
//!
//! # Your tools as a server of that library
//!
//! A [`ToolServer`](crate::tool::ToolServer) can leave the process unchanged:
//! [`serve_stdio`](crate::tool::ToolServer::serve_stdio) makes a program of it that any MCP client
//! can start, and [`into_rmcp`](crate::tool::ToolServer::into_rmcp) a handler for everything else
//! that the library can do, such as HTTP.

pub use ::rmcp::*;
