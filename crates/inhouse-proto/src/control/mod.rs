//! Control requests in both directions, and their answers.
//!
//! | direction | module | shape |
//! |---|---|---|
//! | host → CLI | [`outgoing`] | one struct per subtype; the trait [`ControlRequest`] names the type of its reply |
//! | CLI → host | [`incoming`] | one [`IncomingRequest`] per request, answered with an [`Answer`] |
//!
//! To send a request that this version of the crate does not have, implement [`ControlRequest`]:
//!
//! ```
//! use inhouse_proto::control::{ControlRequest, encode};
//! use serde::Serialize;
//! use serde_json::Value;
//!
//! #[derive(Serialize)]
//! struct GenerateSessionTitle {
//!     description: String,
//! }
//!
//! impl ControlRequest for GenerateSessionTitle {
//!     const SUBTYPE: &'static str = "generate_session_title";
//!     type Reply = Value;
//! }
//!
//! let request = GenerateSessionTitle { description: "port scan".into() };
//! assert_eq!(
//!     encode(&request)?,
//!     r#"{"subtype":"generate_session_title","description":"port scan"}"#,
//! );
//! let reply = GenerateSessionTitle::reply(Some(r#"{"title": "Open ports"}"#))?;
//! assert_eq!(reply["title"], "Open ports");
//! # Ok::<(), serde_json::Error>(())
//! ```

mod effort;
mod empty;
pub mod incoming;
pub mod outgoing;
mod permission_mode;
mod permission_update;
mod request;

pub use self::effort::Effort;
pub use self::empty::Empty;
pub use self::incoming::{Answer, IncomingRequest};
pub use self::permission_mode::PermissionMode;
pub use self::permission_update::{
    DirectoryUpdate, ModeUpdate, PermissionBehavior, PermissionRule, PermissionUpdate, RuleUpdate,
    UpdateDestination,
};
pub use self::request::{ControlRequest, encode};
