use inhouse_macros::Open;
use std::time::Duration;

use serde::{Serialize, Serializer};

/// Callbacks for some of an event's occurrences.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HookMatcher {
    /// Which occurrences, for tool events a pattern over tool names; all of them if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matcher: Option<String>,
    /// The ids that the CLI calls back with, one for each callback.
    pub hook_callback_ids: Vec<String>,
    /// How long the CLI waits for each callback. For `PreToolUse`, no answer in time is a denial.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "seconds")]
    pub timeout: Option<Duration>,
    /// What an error means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_failure: Option<OnHookFailure>,
}

/// What the CLI does when a callback answers with an error.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OnHookFailure {
    /// It goes on as if there were no callback. The default.
    Continue,
    /// It blocks what the hook guards.
    Block,
    /// A value that this version does not know.
    Unknown(String),
}

impl HookMatcher {
    /// A matcher for all occurrences.
    #[must_use]
    pub fn new<I: Into<String>>(callback_ids: impl IntoIterator<Item = I>) -> Self {
        Self {
            matcher: None,
            hook_callback_ids: callback_ids.into_iter().map(Into::into).collect(),
            timeout: None,
            on_failure: None,
        }
    }

    /// Narrows it to some occurrences.
    #[must_use]
    pub fn matcher(mut self, matcher: impl Into<String>) -> Self {
        self.matcher = Some(matcher.into());
        self
    }

    /// Limits how long the CLI waits for each callback.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Says what an error means.
    #[must_use]
    pub fn on_failure(mut self, on_failure: OnHookFailure) -> Self {
        self.on_failure = Some(on_failure);
        self
    }
}

/// The wire counts seconds here, with fractions.
fn seconds<S: Serializer>(timeout: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    match timeout {
        Some(timeout) if timeout.subsec_nanos() == 0 => serializer.serialize_u64(timeout.as_secs()),
        Some(timeout) => serializer.serialize_f64(timeout.as_secs_f64()),
        None => serializer.serialize_none(),
    }
}
