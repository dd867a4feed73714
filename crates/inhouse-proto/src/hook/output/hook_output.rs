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
    #[must_use]
    pub fn pass() -> Self {
        Self::from_members(Members::default())
    }

    /// Creates an asynchronous output (`async: true`): the CLI continues at once, without a decision of the hook.
    ///
    /// The protocol has no message for a later decision, so members that are added to this output are not sent.
    #[must_use]
    pub fn detached() -> Self {
        Self::from_members(Members::detached(None))
    }

    /// Creates an asynchronous output like [`detached`](Self::detached), with a timeout (`asyncTimeout`, sent in
    /// milliseconds).
    #[must_use]
    pub fn detached_for(timeout: Duration) -> Self {
        Self::from_members(Members::detached(Some(timeout)))
    }
}

impl<E: Decides> HookOutput<E> {
    /// Creates an output that allows the action without a permission request.
    ///
    /// Rules of the CLI that deny a tool call, or that require a permission request for it, override the hook.
    #[must_use]
    pub fn allow() -> Self {
        Self::decided("allow", None)
    }

    /// Creates an output that denies the action. The model, or the requester of the action, receives the reason.
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
    #[must_use]
    pub fn update_input(mut self, input: impl Into<Value>) -> Self {
        let input = input.into();
        self.members.set_allowed(E::FORM, "updatedInput", input);
        self
    }
}

impl<E: Blocks> HookOutput<E> {
    /// Creates an output that blocks the action; [`Blocks`] lists the effect for each event.
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
    #[must_use]
    pub fn context(self, text: impl Into<String>) -> Self {
        self.specific("additionalContext", text.into())
    }
}

impl<E: HidesPrompt> HookOutput<E> {
    /// Hides the text of a blocked prompt from the messages about it.
    #[must_use]
    pub fn suppress_original_prompt(self) -> Self {
        self.specific("suppressOriginalPrompt", true)
    }
}

impl<E: WatchesFiles> HookOutput<E> {
    /// Replaces the list of watched files. The paths must be absolute.
    ///
    /// Each change of a watched file fires a [`FileChanged`](crate::hook::FileChanged) event.
    #[must_use]
    pub fn watch_paths<P: AsRef<Path>>(self, paths: impl IntoIterator<Item = P>) -> Self {
        let paths = paths.into_iter();
        let paths = paths.map(|path| path.as_ref().to_string_lossy().into_owned());
        self.specific("watchPaths", paths.collect::<Vec<_>>())
    }
}

impl<E: HasSpecificOutput> HookOutput<E> {
    /// Adds a member to `hookSpecificOutput` for which this version has no method.
    #[must_use]
    pub fn specific(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.members.set_specific(name, value);
        self
    }
}

impl<E: HookEvent> HookOutput<E> {
    /// Shows a text to the user. Most events deliver it as an `informational` message.
    #[must_use]
    pub fn system_message(mut self, text: impl Into<String>) -> Self {
        self.members.set("systemMessage", text.into());
        self
    }

    /// Hides the output of the hook in the transcript view.
    #[must_use]
    pub fn suppress_output(mut self) -> Self {
        self.members.set("suppressOutput", true);
        self
    }

    /// Writes an escape sequence to the terminal of the user.
    ///
    /// The CLI passes on only titles and notifications (OSC 0, 1, 2, 9, 99 and 777) and the bell character.
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
