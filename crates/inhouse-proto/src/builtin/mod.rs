//! Inputs of the built-in tools of the CLI, and the trait that connects a type to its tool.
//!
//! The types are generated from the declarations of the official SDK 0.3.325 by `inhouse drift --write-tools`: names and types, with
//! nothing added. They are for hooks and permission handlers, which decide about calls:
//!
//! ```
//! use inhouse_proto::builtin::{Bash, ToolInput};
//! use inhouse_proto::hook::{HookEvent, PreToolUse};
//!
//! let call = PreToolUse::decode(r#"{
//!     "session_id": "s", "transcript_path": "/tmp/t", "cwd": "/", "hook_event_name": "PreToolUse",
//!     "tool_name": "Bash", "tool_input": {"command": "ls", "timeout": 1000}, "tool_use_id": "toolu_1"
//! }"#)?;
//! assert_eq!(call.tool_name, Bash::TOOL);
//! let bash: Bash = call.input_as()?;
//! assert_eq!((bash.command.as_str(), bash.timeout), ("ls", Some(1000.0)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A member of the wrong shape is an error, because a permission check must not overlook a member. Members that a newer CLI adds are
//! ignored, and so are further values of enums, which have a variant `Unknown`. A number is `f64`, because the declarations do not
//! distinguish integers. Serializing an input writes only the members that its type has: to change one member of an input, change the
//! JSON value instead, so that members of a newer CLI are kept.

mod inputs;
mod tool_input;

pub use self::inputs::*;
#[doc(hidden)]
pub use self::tool_input::decode_input;
pub use self::tool_input::{InputError, ToolInput};
pub use crate::control::incoming::{AskUserQuestion, ExitPlanMode};
