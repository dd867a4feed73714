//! The battery on real servers, which the tests start on loopback.
//!
//! `cargo xtask test --ring durable` installs what can be installed and sets the variables with the paths of the programs.
#![cfg(all(feature = "object", feature = "postgres", unix))]

mod azure;
mod http;
mod postgres;
mod proxy;
mod s3;
mod server;
