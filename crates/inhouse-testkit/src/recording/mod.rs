//! Recordings of the real CLI as fixtures for tests of the protocol.
//!
//! A fixture `name` has three text files:
//!
//! | file | content |
//! |---|---|
//! | `name.out.jsonl` | the lines of the CLI |
//! | `name.in.jsonl` | the lines of the host |
//! | `name.order` | one entry per line, `out` or `in`, in order; `out end` and `in end` where a side ended |
//!
//! The lines are exactly the bytes of the wire, so that a new version of the CLI shows as a difference of lines. Applications
//! record with [`Options::record`](inhouse::Options::record) and replay with [`Replay`](crate::Replay).

mod tape;

pub use tape::{Side, Tape, TapeStep};
