use crate::wire::Text;

/// A hook event (`hook_callback`) for a hook that the host registered.
///
/// The answer is the output of the hook. An empty object has no effect.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HookCallback {
    /// The id of the hook, as given in `initialize`.
    pub callback_id: Text,
    /// The input of the hook as JSON text. The member `hook_event_name` names its type.
    pub input: Text,
    /// The id of the tool call that the event is about. For events without a tool call the CLI sends a random id; see
    /// [`call_of`](Self::call_of).
    pub tool_use_id: Option<Text>,
}

/// Events for which CLI 2.1.325 sends the id of a tool call. With all other events it sends a random id.
const ABOUT_A_CALL: [&str; 4] = [
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PermissionRequest",
];

impl HookCallback {
    /// Returns the id of the tool call that an event of this name is about; `None` for events without a tool call.
    #[must_use]
    pub fn call_of(&self, event: &str) -> Option<&str> {
        let id = self.tool_use_id.as_deref();
        id.filter(|_| ABOUT_A_CALL.contains(&event))
    }
}
