use inhouse_macros::Open;
use std::time::Duration;

use serde::{Serialize, Serializer};

/// Callbacks for a hook event, restricted to the occurrences that match a pattern.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HookMatcher {
    /// Pattern that selects occurrences; for tool events it is compared with the tool name. `None` selects all.
    ///
    /// The pattern is an exact name, a list of names separated by `|`, or a regular expression. An invalid regular
    /// expression matches nothing, without an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matcher: Option<String>,
    /// Ids of the callbacks, one for each. The CLI sends the id in its `hook_callback` request.
    pub hook_callback_ids: Vec<String>,
    /// Time that the CLI waits for each callback, sent in seconds. `None` uses the default of the CLI.
    ///
    /// A `PreToolUse` callback that does not answer in time denies the tool call, whatever `on_failure` is. CLI 2.1.325
    /// also drops the prompt of `UserPromptSubmit` and denies the request of `PermissionRequest` then.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "seconds")]
    pub timeout: Option<Duration>,
    /// Reaction of the CLI to an error of a callback. `None` is [`Continue`](OnFailure::Continue).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_failure: Option<OnFailure>,
}

/// Reaction of the CLI when a hook callback answers with an error.
///
/// The CLI ignores it for `Stop`, `SubagentStop`, `TaskCompleted` and `TeammateIdle`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OnFailure {
    /// The CLI continues as if the callback were not registered. This is the default.
    Continue,
    /// The CLI blocks the action that the hook guards.
    Block,
    /// A value that this version of the crate does not know. CLI 2.1.325 treats it as [`Block`](Self::Block).
    Unknown(String),
}

impl HookMatcher {
    /// Creates a matcher for all occurrences of an event, with the ids of its callbacks.
    #[must_use]
    pub fn new<I: Into<String>>(callback_ids: impl IntoIterator<Item = I>) -> Self {
        Self {
            matcher: None,
            hook_callback_ids: callback_ids.into_iter().map(Into::into).collect(),
            timeout: None,
            on_failure: None,
        }
    }

    /// Restricts the matcher to the occurrences that the pattern selects.
    #[must_use]
    pub fn matcher(mut self, matcher: impl Into<String>) -> Self {
        self.matcher = Some(matcher.into());
        self
    }

    /// Sets the time that the CLI waits for each callback.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets the reaction of the CLI to an error of a callback.
    #[must_use]
    pub fn on_failure(mut self, on_failure: OnFailure) -> Self {
        self.on_failure = Some(on_failure);
        self
    }
}

/// Serializes a timeout in seconds; fractions are allowed on the wire.
fn seconds<S: Serializer>(timeout: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    match timeout {
        Some(timeout) if timeout.subsec_nanos() == 0 => serializer.serialize_u64(timeout.as_secs()),
        Some(timeout) => serializer.serialize_f64(timeout.as_secs_f64()),
        None => serializer.serialize_none(),
    }
}
