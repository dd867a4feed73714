use crate::wire::Text;

/// An event that a hook is registered for.
///
/// The answer is the hook's output; an empty object has no effect.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HookCallback {
    /// One of the ids given in `initialize`.
    pub callback_id: Text,
    /// The event as JSON text. Its `hook_event_name` names the type.
    pub input: Text,
    /// The tool call that the event is about. For events without one the CLI makes up an id; see
    /// [`call_of`](Self::call_of).
    pub tool_use_id: Option<Text>,
}

/// Events for which CLI 2.1.325 sends the id of a tool call. With all others it makes one up.
const ABOUT_A_CALL: [&str; 4] = [
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PermissionRequest",
];

impl HookCallback {
    /// Returns the tool call that an event of this name is about; `None` for events without one.
    #[must_use]
    pub fn call_of(&self, event: &str) -> Option<&str> {
        let id = self.tool_use_id.as_deref();
        id.filter(|_| ABOUT_A_CALL.contains(&event))
    }
}
