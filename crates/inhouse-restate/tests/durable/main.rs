//! The engine with a real Restate server, and scripted turns instead of the CLI.
//!
//! `cargo xtask test --ring durable` installs the server and sets the variable with its path.
#![cfg(unix)]

mod restate;
