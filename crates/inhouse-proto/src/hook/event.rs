use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{
    ConfigChange, CwdChanged, DirectoryAdded, Elicitation, ElicitationResult, FileChanged,
    HookEffort, InstructionsLoaded, MessageDisplay, Notification, PermissionDenied,
    PermissionRequest, PostCompact, PostModelSwitch, PostToolBatch, PostToolUse,
    PostToolUseFailure, PreCompact, PreModelSwitch, PreToolUse, SessionEnd, SessionStart, Setup,
    Stop, StopFailure, SubagentStart, SubagentStop, TaskCompleted, TaskCreated, TeammateIdle,
    UserPromptExpansion, UserPromptSubmit, WorktreeCreate, WorktreeRemove,
};
use crate::control::PermissionMode;
use crate::open::decode_request;

/// Input of a hook, one type per event.
///
/// Each of the 33 events of CLI 2.1.325 has a struct in this module. To handle an event of a newer CLI,
/// implement the trait for a type that holds the members of its input:
///
/// ```
/// # use inhouse_proto as inhouse;
/// use inhouse::hook::capability::{AddsContext, HasSpecificOutput, Passes};
/// use inhouse::hook::{HookCommon, HookEvent, HookOutput};
/// use serde::Deserialize;
///
/// #[derive(Deserialize)]
/// struct Coffee {
///     #[serde(flatten)]
///     common: HookCommon,
///     cups: u32,
/// }
///
/// impl HookEvent for Coffee {
///     const NAME: &'static str = "Coffee";
///
///     fn common(&self) -> &HookCommon {
///         &self.common
///     }
/// }
///
/// // The abilities of an answer to the event:
/// impl Passes for Coffee {}
/// impl HasSpecificOutput for Coffee {}
/// impl AddsContext for Coffee {}
///
/// let event = Coffee::decode(
///     r#"{"session_id": "s", "transcript_path": "/tmp/t", "cwd": "/", "hook_event_name": "Coffee", "cups": 2}"#,
/// )?;
/// let output: HookOutput<Coffee> = HookOutput::pass().context(format!("{} cups", event.cups));
/// assert_eq!(
///     serde_json::to_value(output)?,
///     serde_json::json!({
///         "hookSpecificOutput": {"hookEventName": "Coffee", "additionalContext": "2 cups"},
///     }),
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a hook event",
    label = "not a hook event",
    note = "give the handler's first argument one of the types in `inhouse::hook`, such as `PreToolUse`"
)]
pub trait HookEvent: DeserializeOwned + Send + 'static {
    /// The name of the event on the wire.
    const NAME: &'static str;

    /// Returns the members that all events share: session, transcript, working directory, permission mode and others.
    ///
    /// For code that handles any event:
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::hook::{HookEvent, SessionEnd};
    ///
    /// fn log_line<E: HookEvent>(event: &E) -> String {
    ///     let common = event.common();
    ///     format!("{} in {} of session {}", E::NAME, common.cwd, common.session_id)
    /// }
    ///
    /// let event = SessionEnd::decode(
    ///     r#"{"session_id": "s1", "transcript_path": "/tmp/t", "cwd": "/srv", "hook_event_name": "SessionEnd", "reason": "other"}"#,
    /// )?;
    /// assert_eq!(log_line(&event), "SessionEnd in /srv of session s1");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    fn common(&self) -> &HookCommon;

    /// Decodes the `input` of a `hook_callback` request.
    ///
    /// # Errors
    /// Returns an error if a required member is missing, or if a member has the wrong type.
    fn decode(input: &str) -> serde_json::Result<Self> {
        decode_request(input)
    }
}

/// Implements [`HookEvent`] for structs that have the name of their event and a field `common`.
macro_rules! events {
    ($( $event:ident )+) => {
        $(
            impl HookEvent for $event {
                const NAME: &'static str = stringify!($event);

                fn common(&self) -> &HookCommon {
                    &self.common
                }
            }
        )+
    };
}

events! {
    PreCompact PostCompact ConfigChange MessageDisplay Elicitation ElicitationResult FileChanged
    CwdChanged DirectoryAdded InstructionsLoaded PreModelSwitch PostModelSwitch Notification
    PermissionRequest PermissionDenied UserPromptSubmit UserPromptExpansion SessionStart
    SessionEnd Setup Stop StopFailure SubagentStart SubagentStop TaskCreated TaskCompleted
    TeammateIdle PreToolUse PostToolUse PostToolUseFailure PostToolBatch WorktreeCreate
    WorktreeRemove
}

/// The members that all hook events share.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct HookCommon {
    /// The session in which the event fired.
    pub session_id: String,
    /// The file in which the CLI stores the conversation.
    pub transcript_path: String,
    /// The working directory of the session.
    pub cwd: String,
    /// The id of the prompt that the model is working on. `None` outside of a turn.
    pub prompt_id: Option<String>,
    /// The permission mode. Set for events about tools, prompts and stops; `None` for all others.
    pub permission_mode: Option<PermissionMode>,
    /// The effort of the model. Set for events about tools and stops, on models that support effort; `None` for all
    /// others.
    pub effort: Option<HookEffort>,
    /// The subagent in which the event fired. `None` in the main conversation.
    pub agent_id: Option<String>,
    /// The type of the subagent, or of the agent that the session runs as. Empty for subagents that the CLI starts for
    /// internal work, such as a summary.
    pub agent_type: Option<String>,
}
