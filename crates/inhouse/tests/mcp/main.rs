//! In-process MCP servers, in memory and on a paused clock: one file for each behaviour.

mod announcement;
mod calls;
mod cancellation;
mod changes;
mod client_requests;
mod closing;
mod errors;
mod handshake;
mod hot_tools;
mod known_bugs;
mod limits;
mod logging;
mod probe;
mod refused_servers;
mod reused_ids;
mod session_context;
mod sharing;
mod soak;
mod support;
mod unsettled_changes;
