use ::rmcp::ServiceExt;
use ::rmcp::service::ServerInitializeError;
use ::rmcp::transport::stdio_pipes;

use super::handler::ToolHandler;
use crate::error::{Error, ErrorKind, Result};
use crate::tool::ToolServer;

impl<S: Send + Sync + 'static> ToolServer<S> {
    /// Serves the tools to the MCP client that started this program, over stdin and stdout, until
    /// stdin ends. Needs the feature `rmcp`.
    ///
    /// A complete program that any MCP client can start:
    ///
    /// ```no_run
    /// use inhouse::tool::{Tool, ToolServer};
    ///
    /// #[tokio::main]
    /// async fn main() -> inhouse::Result<()> {
    ///     let clock = ToolServer::new("clock").tool(Tool::new("now", "The current time", async || "noon"));
    ///     clock.serve_stdio().await
    /// }
    /// ```
    ///
    /// Tools are checked before anything is read:
    ///
    /// ```
    /// use inhouse::ErrorKind;
    /// use inhouse::tool::{Tool, ToolServer};
    ///
    /// # inhouse_testkit::run(async {
    /// let clock = ToolServer::new("clock").tool(Tool::new("", "The current time", async || "noon"));
    /// let error = clock.serve_stdio().await.unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Config);
    /// # });
    /// ```
    ///
    /// Nothing else may write to stdout: log to stderr. The runtime needs its I/O driver.
    ///
    /// Clients with a handshake (2024-11-05 to 2025-11-25) and without (2026-07-28) are supported.
    ///
    /// [Policies](Self::policy) have no effect here: they are enforced by the CLI of an in-process
    /// session.
    ///
    /// # Errors
    /// `Config` if a tool is invalid, `Handshake` if the client violates the handshake, `Failed` if the
    /// runtime shuts down while the tools are served.
    ///
    /// # Cancellation
    /// Dropping the future closes the connection and cancels running calls.
    pub async fn serve_stdio(self) -> Result<()> {
        let handler = ToolHandler::new(self)?;
        let running = match handler.serve(stdio_pipes()).await {
            Ok(running) => running,
            // A client that disconnects before its first message is no failure of the server.
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => {
                let text = "the handshake with the MCP client failed";
                return Err(Error::new(ErrorKind::Handshake, text).with_source(error));
            }
        };
        match running.waiting().await {
            Ok(_) => Ok(()),
            Err(error) => {
                let text = "the runtime stopped serving tools over stdio";
                Err(Error::new(ErrorKind::Failed, text).with_source(error))
            }
        }
    }
}
