use std::time::Duration;

use inhouse_proto::control::outgoing::{McpConnection, McpServerStatus};
use tokio::time::sleep;

use super::Control;
use crate::error::{Error, ErrorKind, Result};

/// How often the CLI is asked: it does not tell by itself.
const INTERVAL: Duration = Duration::from_millis(50);

impl Control {
    /// Waits until no MCP server is being connected any more, and tells how each fares.
    ///
    /// The CLI connects external servers beside the first turn, whose model then does not see their
    /// tools. Servers in this process need no waiting. A server that failed does not make this fail:
    /// look at its [`status`](McpServerStatus::status).
    ///
    /// # Errors
    /// `Timeout` when a server is still being connected after the deadline of these
    /// [controls](Self::with_timeout), and as [`request`](Self::request).
    pub async fn wait_mcp_ready(&self) -> Result<Vec<McpServerStatus>> {
        let mut pending = Vec::new();
        let settled = async {
            loop {
                let servers = self.mcp_status().await?;
                let connecting =
                    |server: &&McpServerStatus| server.status == McpConnection::Pending;
                pending = servers
                    .iter()
                    .filter(connecting)
                    .map(|server| server.name.clone())
                    .collect();
                if pending.is_empty() {
                    return Ok(servers);
                }
                sleep(INTERVAL).await;
            }
        };
        let Some(timeout) = self.timeout else {
            return settled.await;
        };
        let waited = tokio::time::timeout(timeout, settled).await;
        waited.unwrap_or_else(|_| Err(still_connecting(&pending, timeout)))
    }
}

fn still_connecting(servers: &[String], timeout: Duration) -> Error {
    if servers.is_empty() {
        let text = format!("the CLI did not say within {timeout:?} how its MCP servers fare");
        return Error::new(ErrorKind::Timeout, text);
    }
    let servers = servers.join(", ");
    let text = format!(
        "MCP servers are still being connected after {timeout:?}: {servers}; give them longer with \
         Control::with_timeout, or go on without them"
    );
    Error::new(ErrorKind::Timeout, text)
}
