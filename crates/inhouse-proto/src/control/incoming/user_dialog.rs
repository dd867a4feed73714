use serde::Deserialize;
use serde::Serialize;
use serde_json::{Map, Value};

/// A request to show a dialog to the user (`request_user_dialog`).
///
/// The CLI sends only the kinds that the host declared in `initialize`. The answer is a [`DialogAnswer`]. Do not answer
/// a kind that the host does not know: a cancellation is a decision of the user.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct DialogRequest {
    /// The kind of dialog to show.
    pub dialog_kind: String,
    /// The content of the dialog, whose shape depends on the kind.
    pub payload: Map<String, Value>,
    /// The id of the tool call that the dialog is about; `None` if there is none.
    pub tool_use_id: Option<String>,
}

/// The answer to a [`DialogRequest`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "behavior", rename_all = "lowercase")]
#[non_exhaustive]
pub enum DialogAnswer {
    /// The user completed the dialog.
    Completed {
        /// The decision of the user, whose shape depends on the kind.
        result: Value,
    },
    /// The user dismissed the dialog.
    Cancelled,
}

impl DialogAnswer {
    /// Creates an answer with the decision of the user.
    ///
    /// # Errors
    /// If the result cannot be serialized.
    pub fn completed(result: &impl Serialize) -> Result<Self, serde_json::Error> {
        serde_json::to_value(result).map(|result| Self::Completed { result })
    }
}
