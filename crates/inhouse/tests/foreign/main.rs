//! Served tools with the official MCP clients and the official conformance suite.
//!
//! `cargo xtask test --ring foreign` installs the programs that `package-lock.json` and
//! `requirements.txt` pin, and names their directory in `INHOUSE_FOREIGN`.

mod client_tools;
mod clients;
mod conformance;
mod everything;
#[path = "../common/example.rs"]
mod example;
#[path = "../../examples/serve_http/http.rs"]
mod http;
mod support;
mod tools;
