use std::fmt;

use serde::Deserialize;

use crate::message::{Gap, Message};
use crate::wire::Text;

/// A line that contains a message, not decoded yet.
///
/// The reader of the conversation decodes the message. So an unread message costs only its bytes, and decoding does not
/// block the task that drives the engine.
#[derive(Clone)]
pub struct Frame {
    line: Text,
    /// Size of the allocation that the line is a slice of, in bytes: a read buffer, or a separate copy.
    buffer: usize,
    turn_end: Option<TurnEnd>,
}

/// The member of a result that determines the exit code of the CLI.
#[derive(Clone, Copy, Debug, Deserialize)]
struct TurnEnd {
    #[serde(default)]
    is_error: bool,
}

impl Frame {
    /// Creates a frame for a line that is not a result.
    pub(super) fn new(line: Text, buffer: usize) -> Self {
        Self {
            line,
            buffer,
            turn_end: None,
        }
    }

    /// Creates a frame for a result; `None` if the line is not valid JSON.
    pub(super) fn turn_end(line: Text, buffer: usize) -> Option<Self> {
        let turn_end = match serde_json::from_str(&line) {
            Ok(turn_end) => turn_end,
            // Valid JSON whose `is_error` has the wrong type still ends the turn.
            Err(error) if error.is_data() => TurnEnd { is_error: false },
            Err(_) => return None,
        };
        Some(Self {
            line,
            buffer,
            turn_end: Some(turn_end),
        })
    }

    /// Creates a frame for a result that was received earlier; `None` if the line is not valid JSON.
    #[must_use]
    pub fn result(line: String) -> Option<Self> {
        let buffer = line.len();
        Self::turn_end(line.into(), buffer)
    }

    /// Copies the line out of the shared read buffer, so that the frame keeps only its own memory allocated.
    ///
    /// A line that fills more than half of the buffer is not copied. Call this method before a frame is kept for an
    /// unknown time.
    pub fn detach(&mut self) {
        if !self.fills_buffer() {
            self.line = self.line.to_detached();
            self.buffer = self.line.len();
        }
    }

    /// Returns how many bytes of memory a [detached](Self::detach) frame keeps allocated for its line.
    #[must_use]
    pub fn held(&self) -> usize {
        match self.fills_buffer() {
            true => self.buffer,
            false => self.line.len(),
        }
    }

    /// Returns whether the line fills more than half of its buffer. At most one line of a buffer does, so the sizes
    /// that frames report can be added up.
    fn fills_buffer(&self) -> bool {
        self.line.len() > self.buffer / 2
    }

    /// Returns the line as it was received.
    #[must_use]
    pub fn line(&self) -> &str {
        &self.line
    }

    /// Returns whether the message is a result, which ends a turn.
    #[must_use]
    pub fn ends_turn(&self) -> bool {
        self.turn_end.is_some()
    }

    /// Returns whether the message is a result that reports an error. The CLI then exits with code 1.
    #[must_use]
    pub fn ends_turn_badly(&self) -> bool {
        self.turn_end.is_some_and(|end| end.is_error)
    }

    /// Decodes the message. Returns a [`Gap`] if the line is not valid JSON.
    #[must_use]
    pub fn decode(&self) -> Message {
        Message::decode_line(&self.line)
            .unwrap_or_else(|_| Gap::not_json(self.line.as_bytes()).into())
    }
}

/// Omits the size of the buffer, which depends on how the bytes arrived.
impl fmt::Debug for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frame")
            .field("line", &self.line)
            .field("turn_end", &self.turn_end)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::engine::{Config, Engine, Event};

    fn engine() -> Engine {
        Engine::new(Config {
            max_line: usize::MAX,
            ceiling: None,
        })
    }

    fn frames(engine: &mut Engine, bytes: &[u8]) -> Vec<Frame> {
        for portion in bytes.chunks(4096) {
            engine.space().extend_from_slice(portion);
            engine.receive(Instant::now());
        }
        let events = std::iter::from_fn(|| engine.poll_event());
        let frames = events.filter_map(|event| match event {
            Event::Message(frame) => Some(frame),
            _ => None,
        });
        frames.collect()
    }

    /// Returns a message of this many bytes, including the line feed.
    fn message(bytes: usize) -> Vec<u8> {
        let (start, end) = (r#"{"type":"note","x":""#, "\"}\n");
        let text = "x".repeat(bytes - start.len() - end.len());
        format!("{start}{text}{end}").into_bytes()
    }

    /// Returns how many bytes a line keeps allocated, if no other line shares the memory.
    fn capacity(frame: Frame) -> usize {
        let bytes = frame.line.bytes().clone();
        drop(frame);
        let bytes = bytes
            .try_into_mut()
            .expect("no other line shares the buffer");
        bytes.capacity()
    }

    #[test]
    fn detached_short_line_holds_its_own_memory_only() {
        let mut engine = engine();
        let mut kept = Vec::new();
        for _ in 0..100 {
            for mut frame in frames(&mut engine, &[message(30), message(60_000)].concat()) {
                if frame.line().len() < 30_000 {
                    frame.detach();
                    kept.push(frame);
                }
            }
        }
        assert_eq!(kept.len(), 100);
        for frame in kept {
            let held = frame.held();
            assert_eq!(held, frame.line().len());
            assert_eq!(held, capacity(frame));
        }
    }

    #[test]
    fn detach_copies_a_line_from_a_buffer_made_for_a_longer_one() {
        let mut engine = engine();
        drop(frames(&mut engine, &message(1_500_000)));
        let mut read = frames(&mut engine, &message(100_000));
        let mut frame = read.pop().expect("a message");
        assert_eq!(frame.held(), 99_999);
        frame.detach();
        assert_eq!(capacity(frame), 99_999);
    }

    #[test]
    fn detach_leaves_a_line_that_fills_its_buffer() {
        let mut engine = engine();
        let mut read = frames(&mut engine, &message(60_000));
        let mut frame = read.pop().expect("a message");
        let address = frame.line().as_ptr();
        frame.detach();
        assert_eq!(frame.line().as_ptr(), address);
        assert!((60_000..=2 * 60_000).contains(&frame.held()));
    }
}
