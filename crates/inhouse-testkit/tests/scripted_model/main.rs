//! The scripted model, with plain HTTP clients and with the real CLI.

mod http;
mod real_cli;
mod session;

use std::time::Duration;

/// Limits failures only: a run of the CLI takes about a second.
const DEADLINE: Duration = Duration::from_secs(60);
