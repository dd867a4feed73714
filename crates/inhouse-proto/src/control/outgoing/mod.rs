//! Control requests that the host sends to the CLI.
//!
//! Each subtype is a struct: `new` takes the required members, and one method sets each optional member. The type of
//! the reply has the name of the request with `Reply` appended, or is [`Empty`](super::Empty) if the CLI only
//! acknowledges the request.
//!
//! ```
//! # use inhouse_proto as inhouse;
//! use inhouse::control::ControlRequest;
//! use inhouse::control::outgoing::ReadFile;
//! use serde_json::json;
//!
//! let request = ReadFile::new("README.md").max_bytes(1000);
//! assert_eq!(ReadFile::SUBTYPE, "read_file");
//! assert_eq!(
//!     serde_json::to_value(&request)?,
//!     json!({"path": "README.md", "max_bytes": 1000}),
//! );
//! let reply = ReadFile::reply(Some(r##"{"contents": "# x", "absPath": "/srv/x/README.md"}"##))?;
//! assert_eq!(reply.contents, "# x");
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! A reply that only confirms a request (such as [`InterruptReply`]) has no required member, since the members differ
//! between versions of the CLI, and some versions send none. A reply that carries the requested data (such as
//! [`ReadFileReply`]) must be present: without it, decoding fails. An optional member is `None` if the CLI leaves it
//! out or sends a value of another type.

mod change;
mod context_usage;
mod file;
mod hooks_listing;
mod initialize;
mod interrupt;
mod mcp;
mod model;
mod permission;
mod reload;
mod rewind_files;
mod session;
mod settings;
mod task;
mod usage;

pub use self::change::Change;
pub use self::context_usage::*;
pub use self::file::*;
pub use self::hooks_listing::*;
pub use self::initialize::*;
pub use self::interrupt::*;
pub use self::mcp::*;
pub use self::model::*;
pub use self::permission::*;
pub use self::reload::*;
pub use self::rewind_files::*;
pub use self::session::*;
pub use self::settings::*;
pub use self::task::*;
pub use self::usage::*;
