//! Servers of the official MCP library in the host's process, and tools served by that library.

mod answers;
mod beginning;
mod conformance;
mod failures;
#[path = "../tools/listener.rs"]
mod listener;
mod notes;
mod pump;
mod server_messages;
mod sessions;
mod support;
mod telemetry;
