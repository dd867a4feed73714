use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

/// What the host says to a request of the CLI.
#[derive(Clone, Debug)]
pub enum Answer {
    /// It went well; this is the payload.
    Success(Box<RawValue>),
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
        to_raw_value(payload).map(Self::Success)
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
