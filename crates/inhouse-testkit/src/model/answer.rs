use std::fmt;

use super::{ApiError, Turn, turn::Block};

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

/// Describes the answer in one line, for the texts of failed tests.
impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let turn = match self {
            Self::Turn(turn) => turn,
            Self::Error(error) => return write!(f, "error {}", error.status()),
        };
        for (index, block) in turn.blocks.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            match block {
                Block::Text(text) => write!(f, "{separator}{text:?}")?,
                Block::Thinking(text) => write!(f, "{separator}thinking {text:?}")?,
                Block::ToolUse { name, input, .. } => write!(f, "{separator}{name}({input})")?,
                Block::Raw(block) => write!(f, "{separator}{block}")?,
            }
        }
        Ok(())
    }
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
