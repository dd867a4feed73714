//! Serves the tools of a [`ToolServer`](super::ToolServer) to other MCP clients through `rmcp`.

mod call;
mod change_notifier;
mod client;
mod handler;
mod stdio;
mod suspended;
