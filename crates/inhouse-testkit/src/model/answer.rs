use super::{ApiError, Turn};

/// The model's answer to one request: a [`Turn`], or an [`ApiError`].
///
/// Methods take `impl Into<Answer>`; a string becomes a turn with one text block.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Answer {
    /// A message, complete or cut off.
    Turn(Turn),
    /// An error status instead of a message.
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
