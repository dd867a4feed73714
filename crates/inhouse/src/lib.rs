//! inhouse

pub mod error;
pub mod launch;
pub mod process;
pub mod transport;
