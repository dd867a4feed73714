use std::convert::Infallible;
use std::future::{Future, ready};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ::rmcp::RoleServer;
use ::rmcp::model::{
    ClientJsonRpcMessage, JsonRpcMessage, ServerJsonRpcMessage, ServerNotification,
};
use ::rmcp::transport::Transport;
use serde_json::value::to_raw_value;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::mcp::CliSender;

/// The transport of `rmcp`'s service loop: sends to the CLI, and receives from an inbox.
pub(super) struct CliTransport {
    cli: CliSender,
    inbox: UnboundedReceiver<ClientJsonRpcMessage>,
    tool_changes: ToolChanges,
}

/// Counts the `notifications/tools/list_changed` that the server has sent.
#[derive(Clone, Debug, Default)]
pub(super) struct ToolChanges(Arc<AtomicU64>);

impl CliTransport {
    pub(super) fn new(
        cli: CliSender,
        inbox: UnboundedReceiver<ClientJsonRpcMessage>,
        tool_changes: ToolChanges,
    ) -> Self {
        Self {
            cli,
            inbox,
            tool_changes,
        }
    }
}

impl ToolChanges {
    pub(super) fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Transport<RoleServer> for CliTransport {
    type Error = Infallible;

    // Sends before the future is polled: `rmcp` polls each future in a separate task, which would
    // reorder messages.
    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        if let JsonRpcMessage::Notification(message) = &message
            && let ServerNotification::ToolListChangedNotification(_) = message.notification
        {
            self.tool_changes.0.fetch_add(1, Ordering::Relaxed);
        }
        match to_raw_value(&message) {
            Ok(message) => self.cli.send(&message),
            Err(error) => tracing::warn!(%error, "message of an MCP server cannot be serialized"),
        }
        ready(Ok(()))
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.inbox.recv().await
    }

    async fn close(&mut self) -> Result<(), Infallible> {
        self.inbox.close();
        Ok(())
    }
}
