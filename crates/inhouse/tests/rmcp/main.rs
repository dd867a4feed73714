//! Servers written with `rmcp` in the host's process, and tools served by `rmcp`.

mod answers;
mod client_requests;
mod conformance;
mod failures;
mod forwarder;
mod initialize;
#[path = "../tools/listener.rs"]
mod listener;
mod notes;
#[path = "../common/recorder.rs"]
mod recorder;
mod server_messages;
mod sessions;
mod support;
mod telemetry;
