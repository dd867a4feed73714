//! MCP servers in the host's process.
//!
//! The CLI sends each JSON-RPC message for such a server in an `mcp_message` request. The [`Bridge`]
//! finds the server by its name; the server's [`Endpoint`] keeps the table of open requests, so that
//! every request gets exactly one response; a [`ServerSession`] handles the request. A [`Server`] is
//! a definition, of which each CLI session opens its own [`ServerSession`]. There are two kinds:
//! [`NativeServer`] for a [`ToolServer`](crate::tool::ToolServer), and `RmcpServer` for a handler
//! written with the `rmcp` crate.

mod bridge;
mod cli_sender;
mod endpoint;
mod manifests;
mod mcp_servers;
mod native;
mod native_client;
#[cfg(feature = "rmcp")]
mod rmcp;
mod server;
mod startup_buffer;

pub(crate) use self::bridge::Bridge;
pub(crate) use self::cli_sender::CliSender;
pub(crate) use self::endpoint::{Endpoint, OpenCall};
pub(crate) use self::manifests::add_servers;
pub use self::mcp_servers::McpServers;
pub(crate) use self::native::NativeServer;
pub(crate) use self::server::{Manifest, Reply, Server, ServerSession};
