//! Requests about MCP servers.
//!
//! The server's name has two spellings on the wire: `server_name` in `mcp_message`, `serverName` in all others.

mod call;
mod message;
mod resource;
mod servers;
mod status;

pub use self::call::*;
pub use self::message::*;
pub use self::resource::*;
pub use self::servers::*;
pub use self::status::*;
