//! proto
pub mod control;
pub mod message;
pub mod open;
