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

use crate::mcp::Link;

/// The library's way to the CLI and back.
pub(super) struct LinkTransport {
    link: Link,
    inbox: UnboundedReceiver<ClientJsonRpcMessage>,
    tool_changes: ToolChanges,
}

/// Counts how often the server has said that its tools are others now.
#[derive(Clone, Debug, Default)]
pub(super) struct ToolChanges(Arc<AtomicU64>);

impl LinkTransport {
    pub(super) fn new(
        link: Link,
        inbox: UnboundedReceiver<ClientJsonRpcMessage>,
        tool_changes: ToolChanges,
    ) -> Self {
        Self {
            link,
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

impl Transport<RoleServer> for LinkTransport {
    type Error = Infallible;

    // Done before the future is polled: the library polls each in a task of its own, and messages
    // would overtake one another.
    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        if let JsonRpcMessage::Notification(told) = &message
            && let ServerNotification::ToolListChangedNotification(_) = told.notification
        {
            self.tool_changes.0.fetch_add(1, Ordering::Relaxed);
        }
        match to_raw_value(&message) {
            Ok(message) => self.link.send(&message),
            Err(error) => tracing::warn!(%error, "a message of a server has no JSON form"),
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
