//! Deciding about tool calls.
//!
//! [`Options::permissions`](crate::Options::permissions) takes an async function, which the CLI
//! asks when neither a rule nor the [mode](crate::options::PermissionMode) settles a call, or a
//! [`Policy`], which has rules of its own. The [guide](crate::guide::permissions) tells who is
//! asked when.
//!
//! ```
//! use inhouse::Options;
//! use inhouse::permission::{Decision, PermissionRequest};
//!
//! let options = Options::new().permissions(async |request: PermissionRequest| {
//!     match request.tool_name.as_str() {
//!         "Read" => Ok(Decision::allow()),
//!         _ => Ok(Decision::deny("read only").interrupt()),
//!     }
//! });
//! # let _ = options;
//! ```
//!
//! A handler that fails, panics or takes longer than
//! [`permission_timeout`](crate::Options::permission_timeout) denies the call.

mod decision;
mod handler;
mod policy;
mod request;
mod rule;
mod rule_error;
pub(crate) mod tool_name;

pub use inhouse_proto::control::incoming::{
    AskRule, CanUseTool, ComputerFolder, DecisionClassification, DecisionReasonType, ToolServer,
};
pub use inhouse_proto::control::{
    AddDirectories, AddRules, PermissionBehavior, PermissionMode, PermissionRule, PermissionUpdate,
    RemoveDirectories, RemoveRules, ReplaceRules, SetMode, UpdateDestination,
};

pub use self::decision::Decision;
pub use self::handler::PermissionHandler;
pub use self::policy::Policy;
pub use self::request::PermissionRequest;
pub use self::rule::Rule;
pub use self::rule_error::RuleError;

pub(crate) use self::rule::Parentheses;
