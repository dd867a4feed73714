//! The load generator: the CLI as a host sees it, as thin as it can honestly be.
//!
//! It writes each line with one system call, as the CLI does. It looks into an answer only so far as to know that it is the
//! right one: its id and the constant that the tool must return, both by byte search.

pub(crate) mod answer;
mod failure;
mod handshake;
pub(crate) mod lines;
mod messages;
pub(crate) mod operation;
mod round_trips;
mod scenario;
mod session;
mod warm_up;
mod wire;

pub use self::failure::Failure;
pub use self::scenario::{Scenario, Timing};
pub use self::session::Session;
pub use self::warm_up::WarmUp;
pub use self::wire::Lines;
