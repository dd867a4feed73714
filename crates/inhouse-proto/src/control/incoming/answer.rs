use serde::Serialize;

use super::Payload;

/// What the host says to a request of the CLI.
#[derive(Clone, Debug)]
pub enum Answer {
    /// It went well; this is the payload.
    Success(Payload),
    /// It did not.
    Error {
        /// Why, for people. It may reach the model.
        message: String,
        /// Why, for machines: lower snake case.
        code: Option<String>,
    },
    /// Nothing, ever: somebody else may answer, or the CLI has a deadline of its own.
    Silence,
}

impl Answer {
    /// A success with a payload.
    ///
    /// # Errors
    /// When the payload cannot be serialized.
    pub fn success(payload: &impl Serialize) -> Result<Self, serde_json::Error> {
        Payload::new(payload).map(Self::Success)
    }

    /// An error without a code.
    #[must_use]
    pub fn error(message: impl Into<String>) -> Self {
        Self::Error {
            message: message.into(),
            code: None,
        }
    }
}
