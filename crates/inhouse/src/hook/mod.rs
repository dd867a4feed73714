//! Hooks: functions of the host that the CLI calls on events of a session.
//!
//! A hook is an async function of an event and a [`HookContext`]. The type of its first argument
//! selects the event, a [`Matcher`] selects occurrences of the event, and the returned [`HookOutput`]
//! decides what the CLI does:
//!
//! ```
//! use inhouse::Options;
//! use inhouse::builtin::Bash;
//! use inhouse::hook::{HookContext, HookOutput, Matcher, PostToolUse, PreToolUse};
//! # use inhouse_testkit::{FakeCli, run};
//!
//! let options = Options::new()
//!     .hook(Matcher::tool_of::<Bash>(), async |call: PreToolUse, _: HookContext| {
//!         let bash: Bash = call.input_as()?;
//!         Ok(match bash.command.starts_with("ls") {
//!             true => HookOutput::pass(),
//!             false => HookOutput::deny("only `ls` here"),
//!         })
//!     })
//!     .hook(Matcher::any(), async |_: PostToolUse, _| {
//!         Ok(HookOutput::pass().context("Be brief about results."))
//!     });
//! # run(FakeCli::play_cli(options, async |cli| {
//! #     let call = serde_json::json!({
//! #         "tool_name": "Bash", "tool_input": {"command": "rm -r /"}, "tool_use_id": "toolu_1",
//! #     });
//! #     let output = cli.call_hook("PreToolUse", call).await;
//! #     assert_eq!(output["hookSpecificOutput"]["permissionDecision"], "deny");
//! # }));
//! ```
//!
//! If a hook fails, the CLI continues as if there were no hook, unless
//! [`Matcher::on_failure`] is [`OnFailure::Block`]. The [guide](crate::guide::hooks) has tables of all
//! events and of what happens on errors and timeouts.

mod context;
mod matcher;
mod pattern;
mod registry;

#[doc(inline)]
pub use inhouse_proto::control::outgoing::OnFailure;
#[doc(inline)]
pub use inhouse_proto::hook::capability;
#[doc(inline)]
pub use inhouse_proto::hook::{
    BatchedCall, CacheTtl, CompactTrigger, ConfigChange, ConfigSource, CwdChanged, DirectoryAdded,
    DirectorySource, Elicitation, ElicitationAction, ElicitationResult, ExpansionType, FileChanged,
    FileEvent, HookBackgroundTask, HookCommon, HookEffort, HookEvent, HookOutput,
    InstructionsLoaded, InstructionsOwner, LoadReason, MessageDisplay, ModelSwitchSource,
    Notification, PermissionDenied, PermissionRequest, PostCompact, PostModelSwitch, PostToolBatch,
    PostToolUse, PostToolUseFailure, PreCompact, PreModelSwitch, PreToolUse, Pricing, PromptSource,
    SessionCron, SessionEnd, SessionEndReason, SessionSource, SessionStart, Setup, SetupTrigger,
    Stop, StopFailure, SubagentStart, SubagentStop, TaskCompleted, TaskCreated, TeammateIdle,
    UserPromptExpansion, UserPromptSubmit, WorktreeCreate, WorktreeRemove,
};

pub use self::context::HookContext;
pub use self::matcher::Matcher;

pub(crate) use self::registry::{Hook, Hooks};
