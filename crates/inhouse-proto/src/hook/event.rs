use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::HookEffort;
use crate::control::PermissionMode;
use crate::open::decode_request;

/// What a hook is told when its moment comes.
///
/// Each of the 33 events of CLI 2.1.325 has a struct in this [module](super). An event of a newer
/// CLI takes a few lines:
///
/// ```
/// use inhouse_proto::hook::{AddsContext, HasSpecificOutput, HookEvent, HookOutput, Passes};
/// use serde::Deserialize;
///
/// #[derive(Deserialize)]
/// struct Coffee {
///     cups: u32,
/// }
///
/// impl HookEvent for Coffee {
///     const NAME: &'static str = "Coffee";
/// }
///
/// // What an answer to it can do:
/// impl Passes for Coffee {}
/// impl HasSpecificOutput for Coffee {}
/// impl AddsContext for Coffee {}
///
/// let event = Coffee::decode(r#"{"hook_event_name": "Coffee", "cups": 2}"#)?;
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
    /// What the wire calls the event.
    const NAME: &'static str;

    /// Types the input of a callback.
    ///
    /// # Errors
    /// When a member that the event cannot do without is missing or has another shape.
    fn decode(input: &str) -> serde_json::Result<Self> {
        decode_request(input)
    }
}

/// The members that all hook events share.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct HookCommon {
    /// The session the event happens in.
    pub session_id: String,
    /// The file in which the CLI keeps the conversation.
    pub transcript_path: String,
    /// The working directory of the session.
    pub cwd: String,
    /// The prompt that is being answered; `None` outside of a turn.
    pub prompt_id: Option<String>,
    /// The permission mode; set for events about tools, prompts and stops.
    pub permission_mode: Option<PermissionMode>,
    /// The effort of the model; set for events about tools and stops.
    pub effort: Option<HookEffort>,
    /// The subagent the event happens in; `None` in the main conversation.
    pub agent_id: Option<String>,
    /// The type of the subagent, or of the agent that the session runs as. Empty for a subagent that the CLI runs for
    /// itself, such as for a summary.
    pub agent_type: Option<String>,
}
