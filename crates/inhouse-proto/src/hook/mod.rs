//! Hook events: the input that the CLI sends to a hook, and the output that the hook returns.
//!
//! Each event is a struct with the members of its input; [`HookEvent`] gives its name on the wire. A hook answers with
//! a [`HookOutput`] of its event. An output that would have no effect on the event does not compile.
//!
//! ```
//! use inhouse_proto::hook::{HookEvent, HookOutput, PreToolUse};
//!
//! let input = r#"{
//!     "session_id": "s", "transcript_path": "/tmp/t", "cwd": "/", "hook_event_name": "PreToolUse",
//!     "tool_name": "Bash", "tool_input": {"command": "rm -r /"}, "tool_use_id": "toolu_1"
//! }"#;
//! let event = PreToolUse::decode(input)?;
//! assert_eq!(event.tool_input["command"], "rm -r /");
//!
//! let output = HookOutput::<PreToolUse>::deny("not here");
//! assert_eq!(
//!     serde_json::to_value(output)?,
//!     serde_json::json!({"hookSpecificOutput": {
//!         "hookEventName": "PreToolUse",
//!         "permissionDecision": "deny",
//!         "permissionDecisionReason": "not here",
//!     }}),
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod capability;
mod compact;
mod config;
mod display;
mod effort;
mod elicitation;
mod event;
mod file;
mod instructions;
mod model_switch;
mod notification;
mod output;
mod permission;
mod prompt;
mod session;
mod stop;
mod subagent;
mod task;
mod tool;
mod worktree;

pub use self::compact::{PostCompact, PreCompact};
pub use self::config::{ConfigChange, ConfigSource};
pub use self::display::MessageDisplay;
pub use self::effort::HookEffort;
pub use self::elicitation::{Elicitation, ElicitationAction, ElicitationResult};
pub use self::event::{HookCommon, HookEvent};
pub use self::file::{CwdChanged, DirectoryAdded, DirectorySource, FileChanged, FileEvent};
pub use self::instructions::{InstructionsLoaded, InstructionsOwner, LoadReason};
pub use self::model_switch::{ModelSwitchSource, PostModelSwitch, PreModelSwitch, Pricing};
pub use self::notification::Notification;
pub use self::output::HookOutput;
pub use self::permission::{PermissionDenied, PermissionRequest};
pub use self::prompt::{ExpansionType, PromptSource, UserPromptExpansion, UserPromptSubmit};
pub use self::session::{
    SessionEnd, SessionEndReason, SessionSource, SessionStart, Setup, SetupTrigger,
};
pub use self::stop::{HookBackgroundTask, SessionCron, Stop, StopFailure};
pub use self::subagent::{SubagentStart, SubagentStop};
pub use self::task::{TaskCompleted, TaskCreated, TeammateIdle};
pub use self::tool::{BatchedCall, PostToolBatch, PostToolUse, PostToolUseFailure, PreToolUse};
pub use self::worktree::{WorktreeCreate, WorktreeRemove};
pub use crate::message::{CacheTtl, CompactTrigger};
