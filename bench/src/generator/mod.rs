//! The load generator, which replaces the CLI at the lowest possible cost.
//!
//! It writes each line with one system call, as the CLI does. It checks the id of a response and the constant that the tool
//! returns, both by byte search.

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
