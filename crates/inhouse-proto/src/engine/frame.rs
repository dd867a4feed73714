use serde::Deserialize;

use super::Text;
use crate::message::{Gap, Message};

/// A line for the reader of a conversation, not decoded yet.
///
/// Decoding is left to whoever reads the message: a message that nobody reads costs nothing but
/// its bytes, and the task that keeps the conversation going stays free.
#[derive(Clone, Debug)]
pub struct Frame {
    line: Text,
    turn_end: Option<TurnEnd>,
}

/// The part of a result that decides what follows it.
#[derive(Clone, Copy, Debug, Deserialize)]
struct TurnEnd {
    #[serde(default)]
    is_error: bool,
}

impl Frame {
    pub(super) fn new(line: Text) -> Self {
        Self {
            line,
            turn_end: None,
        }
    }

    /// A result; `None` when it turns out not to be JSON.
    pub(super) fn turn_end(line: Text) -> Option<Self> {
        let turn_end = match serde_json::from_str(&line) {
            Ok(turn_end) => turn_end,
            Err(error) if error.is_data() => TurnEnd { is_error: false },
            Err(_) => return None,
        };
        Some(Self {
            line,
            turn_end: Some(turn_end),
        })
    }

    /// The line as it came.
    #[must_use]
    pub fn line(&self) -> &str {
        &self.line
    }

    /// Whether it is a result, the end of a turn.
    #[must_use]
    pub fn ends_turn(&self) -> bool {
        self.turn_end.is_some()
    }

    /// Whether it is a result that reports an error; the CLI then ends with exit code 1.
    #[must_use]
    pub fn ends_turn_badly(&self) -> bool {
        self.turn_end.is_some_and(|end| end.is_error)
    }

    /// The message that it holds; a [`Gap`] if it turns out not to be JSON.
    #[must_use]
    pub fn decode(&self) -> Message {
        Message::decode_text(&self.line).unwrap_or_else(|error| {
            // What is garbled deeper inside is kept as it came.
            Message::open_partly(&self.line, &error)
                .unwrap_or_else(|| Message::Gap(Gap::not_json(self.line.as_bytes())))
        })
    }
}
