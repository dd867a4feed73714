use serde::Deserialize;
use serde::Serialize;
use serde_json::{Map, Value};

/// A dialog is to be shown to a person.
///
/// Only kinds that `initialize` declared are sent. The answer is a [`DialogAnswer`]; a kind that
/// the host does not know must not be answered at all, since a cancellation is a decision.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct RequestUserDialog {
    /// Which dialog.
    pub dialog_kind: String,
    /// What it shows.
    pub payload: Map<String, Value>,
    /// The tool call that it is about.
    pub tool_use_id: Option<String>,
}

/// The answer to a [`RequestUserDialog`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "behavior", rename_all = "lowercase")]
#[non_exhaustive]
pub enum DialogAnswer {
    /// The person decided.
    Completed {
        /// What was decided; its shape depends on the kind.
        result: Value,
    },
    /// The person dismissed the dialog.
    Cancelled,
}

impl DialogAnswer {
    /// The person decided this.
    ///
    /// # Errors
    /// When the result cannot be serialized.
    pub fn completed(result: &impl Serialize) -> Result<Self, serde_json::Error> {
        serde_json::to_value(result).map(|result| Self::Completed { result })
    }
}
