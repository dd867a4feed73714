use super::{ApiError, Turn};

/// What the model does with one request: says a [`Turn`], or fails with an [`ApiError`].
///
/// Rarely named: everything that takes an answer takes `impl Into<Answer>`, and a plain string is a turn of text.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Answer {
    /// A message, whole or broken off.
    Turn(Turn),
    /// An error status, before anything of a message was sent.
    Error(ApiError),
}

impl From<Turn> for Answer {
    fn from(turn: Turn) -> Self {
        Self::Turn(turn)
    }
}

impl From<ApiError> for Answer {
    fn from(error: ApiError) -> Self {
        Self::Error(error)
    }
}

impl From<&str> for Answer {
    fn from(text: &str) -> Self {
        Self::Turn(Turn::new().text(text))
    }
}

impl From<String> for Answer {
    fn from(text: String) -> Self {
        Self::Turn(Turn::new().text(text))
    }
}
