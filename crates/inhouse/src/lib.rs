//! Agents on Claude Code whose tools live in your own process.

#[doc(hidden)]
pub mod __private;
mod client;
pub mod control;
mod driver;
pub mod error;
pub mod launch;
mod mcp;
pub mod options;
mod outcome;
pub mod process;
mod query;
mod request;
#[cfg(feature = "rmcp")]
pub mod rmcp;
mod session;
mod stream;
pub mod tool;
pub mod transport;
mod turn;

#[doc(inline)]
pub use inhouse_macros::tool;
pub use inhouse_proto::message;

pub use self::client::Client;
pub use self::control::Control;
pub use self::error::{Error, ErrorKind, Result};
pub use self::mcp::McpServers;
pub use self::options::Options;
pub use self::process::ExitStatus;
pub use self::query::{Query, query};
pub use self::stream::MessageStream;
pub use self::turn::Turn;
