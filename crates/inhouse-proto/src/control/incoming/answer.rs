use serde::Serialize;

use super::Payload;

/// The host's answer to a request of the CLI.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The request succeeded, with this payload.
    Success(Payload),
    /// The request failed or was refused.
    Error {
        /// Reason for the failure, as text. The CLI may show it to the model.
        message: String,
        /// Machine-readable error code in snake case; `None` if there is none.
        code: Option<String>,
    },
    /// No answer is sent, because another client may answer or because the CLI has its own deadline.
    Silence,
}

impl Answer {
    /// Creates a successful answer with a payload.
    ///
    /// # Errors
    /// If the payload cannot be serialized.
    pub fn success(payload: &impl Serialize) -> Result<Self, serde_json::Error> {
        Payload::new(payload).map(Self::Success)
    }

    /// Creates an error answer without a code.
    #[must_use]
    pub fn error(message: impl Into<String>) -> Self {
        Self::Error {
            message: message.into(),
            code: None,
        }
    }
}
