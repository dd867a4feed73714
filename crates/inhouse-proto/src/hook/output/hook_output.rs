use std::fmt;
use std::marker::PhantomData;
use std::path::Path;
use std::time::Duration;

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::members::Members;
use crate::hook::HookEvent;
use crate::hook::capability::{
    AddsContext, Blocks, ChangesInput, Decides, HasSpecificOutput, HidesPrompt, Passes, Stops,
    WatchesFiles,
};

/// Output of a hook for the event `E`.
///
/// The associated functions, such as [`pass`](Self::pass), create an output; the methods add members to it. The event
/// is inferred from the handler. An output that would have no effect on the event does not compile:
///
/// ```
/// # use inhouse_proto as inhouse;
/// use inhouse::hook::{HookOutput, PostToolUse, PreToolUse};
///
/// fn guard(call: &PreToolUse) -> HookOutput<PreToolUse> {
///     match call.tool_name.as_str() {
///         "Bash" => HookOutput::deny("no shell here"),
///         _ => HookOutput::pass(),
///     }
/// }
///
/// fn remind(_: &PostToolUse) -> HookOutput<PostToolUse> {
///     HookOutput::pass().context("The tests are slow: run only those that you need.")
/// }
/// ```
pub struct HookOutput<E> {
    pub(super) members: Members,
    event: PhantomData<fn() -> E>,
}

impl<E: Passes> HookOutput<E> {
    /// Creates an output without a decision.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::hook::{HookOutput, PreToolUse};
    /// use serde_json::json;
    ///
    /// let output = HookOutput::<PreToolUse>::pass();
    /// assert_eq!(serde_json::to_value(output)?, json!({}));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn pass() -> Self {
        Self::from_members(Members::default())
    }

    /// Creates an asynchronous output (`async: true`): the CLI continues at once, without a decision of the hook.
    ///
    /// The protocol has no message for a later decision, so members that are added to this output are not sent.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::hook::{HookOutput, PostToolUse};
    ///
    /// let output = HookOutput::<PostToolUse>::detached();
    /// assert_eq!(serde_json::to_value(output)?["async"], true);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn detached() -> Self {
        Self::from_members(Members::detached(None))
    }

    /// Creates an asynchronous output like [`detached`](Self::detached), with a timeout (`asyncTimeout`, sent in
    /// milliseconds).
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use std::time::Duration;
    ///
    /// use inhouse::hook::{HookOutput, PostToolUse};
    ///
    /// let output = HookOutput::<PostToolUse>::detached_for(Duration::from_secs(5));
    /// assert_eq!(serde_json::to_value(output)?["asyncTimeout"], 5000);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn detached_for(timeout: Duration) -> Self {
        Self::from_members(Members::detached(Some(timeout)))
    }
}

impl<E: Decides> HookOutput<E> {
    /// Creates an output that allows the action without a permission request.
    ///
    /// Rules of the CLI that deny a tool call, or that require a permission request for it, override the hook.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::hook::{HookOutput, PreToolUse};
    ///
    /// let output = HookOutput::<PreToolUse>::allow();
    /// assert_eq!(serde_json::to_value(output)?["hookSpecificOutput"]["permissionDecision"], "allow");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn allow() -> Self {
        Self::decided("allow", None)
    }

    /// Creates an output that denies the action. The model, or the requester of the action, receives the reason.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::hook::{HookOutput, PreToolUse};
    ///
    /// let output = HookOutput::<PreToolUse>::deny("no shell here");
    /// let json = serde_json::to_value(output)?;
    /// assert_eq!(json["hookSpecificOutput"]["permissionDecisionReason"], "no shell here");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::decided("deny", Some(reason.into()))
    }

    pub(super) fn decided(behavior: &str, reason: Option<String>) -> Self {
        let mut members = Members::default();
        members.decide(E::FORM, behavior, reason);
        Self::from_members(members)
    }
}

impl<E: ChangesInput> HookOutput<E> {
    /// Changes the input of the tool, which must be a JSON object.
    ///
    /// With [`allow`](Self::allow), the tool runs with the new input. Without a decision, the call of a `PreToolUse`
    /// event goes through the usual permission checks with the new input, and the call of a `PermissionRequest` event
    /// is allowed.
    ///
    /// An input that is not a JSON object makes the serialization of the output fail.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::hook::{HookOutput, PreToolUse};
    /// use serde_json::json;
    ///
    /// let output = HookOutput::<PreToolUse>::allow().update_input(json!({"command": "ls"}));
    /// let json = serde_json::to_value(output)?;
    /// assert_eq!(json["hookSpecificOutput"]["updatedInput"]["command"], "ls");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn update_input(mut self, input: impl Into<Value>) -> Self {
        let input = input.into();
        self.members.set_allowed(E::FORM, "updatedInput", input);
        self
    }
}

impl<E: Blocks> HookOutput<E> {
    /// Creates an output that blocks the action; [`Blocks`] lists the effect for each event.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::hook::{HookOutput, Stop};
    ///
    /// let output = HookOutput::<Stop>::block("Run the tests first.");
    /// assert_eq!(serde_json::to_value(output)?["reason"], "Run the tests first.");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn block(reason: impl Into<String>) -> Self {
        let mut members = Members::default();
        members.set("decision", "block");
        members.set("reason", reason.into());
        Self::from_members(members)
    }
}

impl<E: Stops> HookOutput<E> {
    /// Creates an output that ends the turn after this event. The reason is shown to the user.
    ///
    /// The output does not deny the action: the tool of a `PreToolUse` event still runs if its permissions allow it.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::hook::{HookOutput, PostToolUse};
    ///
    /// let output = HookOutput::<PostToolUse>::stop("The budget is spent.");
    /// assert_eq!(serde_json::to_value(output)?["stopReason"], "The budget is spent.");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn stop(reason: impl Into<String>) -> Self {
        let mut members = Members::default();
        members.set("continue", false);
        members.set("stopReason", reason.into());
        Self::from_members(members)
    }
}

impl<E: AddsContext> HookOutput<E> {
    /// Adds context for the model. If the model has stopped, it continues.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::hook::{HookOutput, UserPromptSubmit};
    ///
    /// let output = HookOutput::<UserPromptSubmit>::pass().context("Today is Monday.");
    /// let json = serde_json::to_value(output)?;
    /// assert_eq!(json["hookSpecificOutput"]["additionalContext"], "Today is Monday.");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn context(self, text: impl Into<String>) -> Self {
        self.specific("additionalContext", text.into())
    }
}

impl<E: HidesPrompt> HookOutput<E> {
    /// Hides the text of a blocked prompt from the messages about it.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::hook::{HookOutput, UserPromptSubmit};
    ///
    /// let output =
    ///     HookOutput::<UserPromptSubmit>::block("It contains a password.")
    ///         .suppress_original_prompt();
    /// assert_eq!(serde_json::to_value(output)?["hookSpecificOutput"]["suppressOriginalPrompt"], true);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn suppress_original_prompt(self) -> Self {
        self.specific("suppressOriginalPrompt", true)
    }
}

impl<E: WatchesFiles> HookOutput<E> {
    /// Replaces the list of watched files. The paths must be absolute.
    ///
    /// Each change of a watched file fires a [`FileChanged`](crate::hook::FileChanged) event.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::hook::{HookOutput, SessionStart};
    /// use serde_json::json;
    ///
    /// let output = HookOutput::<SessionStart>::pass().watch_paths(["/srv/app/.env"]);
    /// let json = serde_json::to_value(output)?;
    /// assert_eq!(json["hookSpecificOutput"]["watchPaths"], json!(["/srv/app/.env"]));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn watch_paths<P: AsRef<Path>>(self, paths: impl IntoIterator<Item = P>) -> Self {
        let paths = paths.into_iter();
        let paths = paths.map(|path| path.as_ref().to_string_lossy().into_owned());
        self.specific("watchPaths", paths.collect::<Vec<_>>())
    }
}

impl<E: HasSpecificOutput> HookOutput<E> {
    /// Adds a member to `hookSpecificOutput` for which this version has no method.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::hook::{Elicitation, HookOutput};
    ///
    /// let output = HookOutput::<Elicitation>::pass().specific("action", "accept");
    /// assert_eq!(serde_json::to_value(output)?["hookSpecificOutput"]["action"], "accept");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn specific(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.members.set_specific(name, value);
        self
    }
}

impl<E: HookEvent> HookOutput<E> {
    /// Shows a text to the user. Most events deliver it as an `informational` message.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::hook::{HookOutput, PreCompact};
    ///
    /// let output = HookOutput::<PreCompact>::pass().system_message("The transcript is archived.");
    /// assert_eq!(serde_json::to_value(output)?["systemMessage"], "The transcript is archived.");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn system_message(mut self, text: impl Into<String>) -> Self {
        self.members.set("systemMessage", text.into());
        self
    }

    /// Hides the output of the hook in the transcript view.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::hook::{HookOutput, PostToolUse};
    ///
    /// let output = HookOutput::<PostToolUse>::pass().suppress_output();
    /// assert_eq!(serde_json::to_value(output)?["suppressOutput"], true);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn suppress_output(mut self) -> Self {
        self.members.set("suppressOutput", true);
        self
    }

    /// Writes an escape sequence to the terminal of the user.
    ///
    /// The CLI passes on only titles and notifications (OSC 0, 1, 2, 9, 99 and 777) and the bell character.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::hook::{HookOutput, Notification};
    ///
    /// let output = HookOutput::<Notification>::pass().terminal_sequence("\u{7}");
    /// assert_eq!(serde_json::to_value(output)?["terminalSequence"], "\u{7}");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn terminal_sequence(mut self, sequence: impl Into<String>) -> Self {
        self.members.set("terminalSequence", sequence.into());
        self
    }

    pub(super) fn from_members(members: Members) -> Self {
        Self {
            members,
            event: PhantomData,
        }
    }
}

impl<E: HookEvent> Serialize for HookOutput<E> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.members.serialize_for(E::NAME, serializer)
    }
}

impl<E> Clone for HookOutput<E> {
    fn clone(&self) -> Self {
        Self {
            members: self.members.clone(),
            event: PhantomData,
        }
    }
}

impl<E: HookEvent> fmt::Debug for HookOutput<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple(E::NAME).field(&self.members).finish()
    }
}
