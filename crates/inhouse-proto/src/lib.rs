//! The protocol between a host and the Claude Code CLI, as a pure state machine.
//!
//! The crate does no I/O and knows no clock: bytes and time are arguments. It turns bytes into
//! lines, lines into [messages](message) and [control requests](control), and keeps the
//! [conversation](engine): who asked what, until when, and whether it is over. The crate `inhouse`
//! drives it with a real process; a test drives it with a byte string.
//!
//! ```
//! use std::time::Instant;
//!
//! use inhouse_proto::engine::{Config, Engine, Event};
//!
//! let mut engine = Engine::new(Config { max_line: 1 << 20, ceiling: None });
//! engine.space().extend_from_slice(b"{\"type\":\"keep_alive\"}\nnot JSON\n");
//! engine.receive(Instant::now());
//! assert!(matches!(engine.poll_event(), Some(Event::Notice(_))));
//! assert!(matches!(engine.poll_event(), Some(Event::Notice(_))));
//! assert!(engine.poll_event().is_none());
//! ```

pub mod control;
pub mod engine;
pub mod hook;
mod id;
pub mod mcp;
pub mod message;
pub mod open;
pub mod wire;

pub use self::id::RequestId;
