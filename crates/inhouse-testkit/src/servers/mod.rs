//! Servers on loopback, started by a test and stopped at its end.

mod postgres;
mod restate;

pub use postgres::PostgresServer;
pub use restate::RestateServer;

use std::fmt;

/// The reason why a server cannot be started, such as a program that is not installed.
#[derive(Debug)]
pub struct ServerUnavailable(String);

impl fmt::Display for ServerUnavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ServerUnavailable {}
