use serde::de::DeserializeOwned;

use crate::open::Mismatch;

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
    fn decode(input: &str) -> Result<Self, Mismatch> {
        serde_json::from_str(input).map_err(Mismatch::new)
    }
}

/// Declares the payload of an event: an open struct with what every event has in front.
///
/// An event that only happens in a subagent says so, since its agent is always named:
///
/// ```text
/// hook_event! {
///     /// …
///     pub struct SubagentStart in a subagent {
///         // …
///     }
/// }
/// ```
macro_rules! hook_event {
    (
        $(#[$meta:meta])*
        pub struct $name:ident { $($own:tt)* }
    ) => {
        $crate::hook::event::hook_event!(@declare $(#[$meta])* $name
            {
                /// The subagent in which it happens; none in the main conversation.
                pub agent_id: Option<String>,
                /// The kind of the subagent, or the agent that the session runs as.
                pub agent_type: Option<String>,
            }
            { $($own)* });
    };
    (
        $(#[$meta:meta])*
        pub struct $name:ident in a subagent { $($own:tt)* }
    ) => {
        $crate::hook::event::hook_event!(@declare $(#[$meta])* $name
            {
                /// The subagent.
                pub agent_id: String,
                /// Its kind. Empty for one that the CLI runs for itself, such as for a summary.
                pub agent_type: String,
            }
            { $($own)* });
    };
    (@declare $(#[$meta:meta])* $name:ident { $($agent:tt)* } { $($own:tt)* }) => {
        $crate::open::open_struct! {
            $(#[$meta])*
            pub struct $name ["hook_event_name" = stringify!($name)] {
                /// The session.
                pub session_id: String,
                /// The file in which the CLI keeps the conversation.
                pub transcript_path: String,
                /// The working directory.
                pub cwd: String,
                /// The prompt in whose course it happens; none outside of one.
                pub prompt_id: Option<String>,
                /// The permission mode; told with events about tools, prompts and stops.
                pub permission_mode: Option<$crate::control::PermissionMode>,
                /// The effort of the model; told with events about tools and stops.
                pub effort: Option<$crate::hook::HookEffort>,
                $($agent)*
                $($own)*
            }
        }

        impl $crate::hook::HookEvent for $name {
            const NAME: &'static str = stringify!($name);

            fn decode(input: &str) -> Result<Self, $crate::open::Mismatch> {
                $crate::open::decode(input)
            }
        }
    };
}

pub(super) use hook_event;
