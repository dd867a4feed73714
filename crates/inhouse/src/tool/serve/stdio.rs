use ::rmcp::ServiceExt;
use ::rmcp::service::ServerInitializeError;
use ::rmcp::transport::stdio_pipes;

use super::handler::ToolHandler;
use crate::error::{Error, ErrorKind, Result};
use crate::tool::ToolServer;

impl<S: Send + Sync + 'static> ToolServer<S> {
    /// Serves the tools to whoever has started this program, over its stdin and stdout, until the
    /// input ends.
    ///
    /// The whole of a program that any MCP client can start:
    ///
    /// ```no_run
    /// use inhouse::tool::{Tool, ToolServer};
    ///
    /// #[tokio::main]
    /// async fn main() -> inhouse::Result<()> {
    ///     let clock = ToolServer::new("clock").tool(Tool::new("now", "What time it is", async || "noon"));
    ///     clock.serve_stdio().await
    /// }
    /// ```
    ///
    /// Nothing else may write to stdout: let logs go to stderr. The runtime needs its I/O enabled.
    ///
    /// Clients with a handshake (2024-11-05 to 2025-11-25) and without (2026-07-28) are served.
    ///
    /// Policies of the server are for a CLI that runs it in process and have no effect here.
    ///
    /// # Errors
    /// `Config` when a tool is not in order, `Handshake` when the client does not begin as it should,
    /// `Failed` when serving was cut short by the end of the runtime.
    ///
    /// # Cancellation
    /// Dropping the future ends the serving; calls that run are cancelled.
    pub async fn serve_stdio(self) -> Result<()> {
        let handler = ToolHandler::new(self)?;
        let running = match handler.serve(stdio_pipes()).await {
            Ok(running) => running,
            // A client that leaves before it has said anything is no failure of the server.
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => {
                let text = "the MCP client did not begin as it should";
                return Err(Error::new(ErrorKind::Handshake, text).with_source(error));
            }
        };
        match running.waiting().await {
            Ok(_) => Ok(()),
            Err(error) => {
                let text = "serving tools over stdio was cut short";
                Err(Error::new(ErrorKind::Failed, text).with_source(error))
            }
        }
    }
}
