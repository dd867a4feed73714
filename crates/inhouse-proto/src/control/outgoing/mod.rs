//! Requests that the host makes of the CLI.
//!
//! Each subtype is a struct: `new` takes what it cannot do without, a method sets each of the rest.
//! What the CLI answers is a type of its own, named after the request with `Reply` behind it, or
//! [`Empty`](super::Empty) where it only acknowledges.
//!
//! ```
//! use inhouse_proto::control::outgoing::ReadFile;
//! use inhouse_proto::control::{ControlRequest, encode};
//!
//! let request = ReadFile::new("README.md").max_bytes(1000);
//! assert_eq!(
//!     encode(&request)?,
//!     r#"{"subtype":"read_file","path":"README.md","max_bytes":1000}"#,
//! );
//! let reply = ReadFile::reply(Some(r##"{"contents": "# x", "absPath": "/srv/x/README.md"}"##))?;
//! assert_eq!(reply.contents, "# x");
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! A reply that only confirms something (such as [`InterruptReply`]) has no required member, since
//! CLIs of different age confirm with more or fewer words or with none. A reply that *is* what was
//! asked for (such as [`ReadFileReply`]) is an error when it is missing.

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
