use std::fmt;
use std::marker::PhantomData;
use std::path::Path;
use std::time::Duration;

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::members::Members;
use super::{
    AddsContext, Blocks, ChangesInput, Decides, HasSpecificOutput, HidesPrompt, Passes, Stops,
    WatchesFiles,
};
use crate::hook::HookEvent;

/// What a hook answers to its event `E`.
///
/// It begins with one of the functions that take no `self`, and is refined by the methods. The event
/// is inferred from the handler, and what would have no effect on it does not compile:
///
/// ```
/// use inhouse_proto::hook::{HookOutput, PostToolUse, PreToolUse};
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
    /// No opinion.
    #[must_use]
    pub fn pass() -> Self {
        Self::from_members(Members::default())
    }

    /// The CLI is not to wait: whatever the host does about the event, it does later and by itself.
    ///
    /// No answer can follow, so nothing that is added to it is sent.
    #[must_use]
    pub fn detached() -> Self {
        Self::from_members(Members::detached(None))
    }

    /// As [`detached`](Self::detached), for so long at most.
    #[must_use]
    pub fn detached_for(timeout: Duration) -> Self {
        Self::from_members(Members::detached(Some(timeout)))
    }
}

impl<E: Decides> HookOutput<E> {
    /// Lets it happen without asking anyone.
    ///
    /// A rule that denies the call, or wants somebody to be asked, comes before a hook.
    #[must_use]
    pub fn allow() -> Self {
        Self::decided("allow", None)
    }

    /// Keeps it from happening. The model, or whoever wanted it, reads the reason.
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
    /// Together with [`allow`](Self::allow) the tool runs with it. Alone, the call of a `PreToolUse`
    /// goes through the usual checks with it, and that of a `PermissionRequest` is allowed.
    #[must_use]
    pub fn update_input(mut self, input: impl Into<Value>) -> Self {
        let input = input.into();
        self.members.set_allowed(E::FORM, "updatedInput", input);
        self
    }
}

impl<E: Blocks> HookOutput<E> {
    /// Holds the event up; what that means is told by [`Blocks`].
    #[must_use]
    pub fn block(reason: impl Into<String>) -> Self {
        let mut members = Members::default();
        members.set("decision", "block");
        members.set("reason", reason.into());
        Self::from_members(members)
    }
}

impl<E: Stops> HookOutput<E> {
    /// Ends the turn after this event, for a reason that the user is told.
    ///
    /// It is no veto: the tool of a `PreToolUse` still runs if it may.
    #[must_use]
    pub fn stop(reason: impl Into<String>) -> Self {
        let mut members = Members::default();
        members.set("continue", false);
        members.set("stopReason", reason.into());
        Self::from_members(members)
    }
}

impl<E: AddsContext> HookOutput<E> {
    /// Adds something that the model reads. Where it has stopped it goes on.
    #[must_use]
    pub fn context(self, text: impl Into<String>) -> Self {
        self.specific("additionalContext", text.into())
    }
}

impl<E: HidesPrompt> HookOutput<E> {
    /// Keeps a blocked prompt out of what is said about it.
    #[must_use]
    pub fn suppress_original_prompt(self) -> Self {
        self.specific("suppressOriginalPrompt", true)
    }
}

impl<E: WatchesFiles> HookOutput<E> {
    /// Watches these files, by absolute paths, in place of those that were watched: a
    /// [`FileChanged`](crate::hook::FileChanged) tells of each change.
    #[must_use]
    pub fn watch_paths<P: AsRef<Path>>(self, paths: impl IntoIterator<Item = P>) -> Self {
        let paths = paths.into_iter();
        let paths = paths.map(|path| path.as_ref().to_string_lossy().into_owned());
        self.specific("watchPaths", paths.collect::<Vec<_>>())
    }
}

impl<E: HasSpecificOutput> HookOutput<E> {
    /// Adds a member to the event's own output that this version does not know.
    #[must_use]
    pub fn specific(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.members.set_specific(name, value);
        self
    }
}

impl<E: HookEvent> HookOutput<E> {
    /// Tells the user something; most events show it as an `informational` message.
    #[must_use]
    pub fn system_message(mut self, text: impl Into<String>) -> Self {
        self.members.set("systemMessage", text.into());
        self
    }

    /// Keeps what the hook says out of the transcript that is shown.
    #[must_use]
    pub fn suppress_output(mut self) -> Self {
        self.members.set("suppressOutput", true);
        self
    }

    /// Writes to the terminal of the user: only titles, notifications and the bell get through.
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
