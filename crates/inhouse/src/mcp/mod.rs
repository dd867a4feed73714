//! MCP servers in the host's process: one bridge, any kind of server behind it.
//!
//! The CLI sends each JSON-RPC message for such a server as a request of its own. The [`Bridge`]
//! finds the server; its [`Endpoint`] keeps the table of open calls and sees to it that every
//! request has exactly one answer; a [`ServerSession`] does what the server is for. A server is a
//! definition: every CLI gets a session of its own of it.

mod bridge;
mod endpoint;
mod gate;
mod link;
mod manifests;
mod mcp_servers;
mod native;
mod open_calls;
#[cfg(feature = "rmcp")]
mod rmcp;
mod server;

pub(crate) use self::bridge::Bridge;
pub(crate) use self::endpoint::Endpoint;
pub(crate) use self::link::Link;
pub(crate) use self::manifests::announce;
pub use self::mcp_servers::McpServers;
pub(crate) use self::native::NativeServer;
pub(crate) use self::server::{Manifest, Reply, RpcRequest, Server, ServerSession};
