//! The protocol between a host and the Claude Code CLI, as a state machine without I/O.
//!
//! This crate is for authors of transports and of tools that read or write the wire format, such as proxies, recorders
//! and test servers. Most users want the crate `inhouse`, which re-exports the types that an application needs.
//!
//! The crate does no I/O and reads no clock: bytes and time are arguments. It splits bytes into [lines](wire), decodes
//! lines into [messages](message) and [control requests](control), and keeps the state of the [session](engine): the
//! open requests of both sides, their deadlines, and whether the current run has ended. The crate `inhouse` connects it
//! to a process; a test can pass it a byte string.
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
//!
//! # Stability
//!
//! Everything that this documentation shows follows semantic versioning. The types of messages, requests and replies
//! gain members and variants with new versions of the CLI, which is why they are `#[non_exhaustive]`. Items that only
//! `inhouse` uses are hidden, and change without notice.

pub mod builtin;
pub mod control;
pub mod engine;
pub mod hook;
mod id;
pub mod mcp;
pub mod message;
pub mod open;
#[doc(hidden)]
pub mod redact;
pub mod session;
pub mod wire;

pub use self::id::RequestId;
