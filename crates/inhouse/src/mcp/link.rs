use std::sync::Arc;
use std::time::Duration;

use inhouse_proto::control::encode;
use inhouse_proto::control::outgoing::McpMessage;
use serde_json::value::RawValue;
use tokio::sync::mpsc::WeakUnboundedSender;

use super::gate::Gate;
use crate::driver::Command;

/// A server's way to its CLI, for messages that the server starts.
#[derive(Clone)]
pub(crate) struct Link {
    server: String,
    // Weak, because the driver owns the servers: a strong one would keep the session from noticing
    // that nobody holds it any more.
    commands: WeakUnboundedSender<Command>,
    timeout: Duration,
    gate: Arc<Gate>,
}

impl Link {
    pub(super) fn new(
        server: String,
        commands: WeakUnboundedSender<Command>,
        timeout: Duration,
        gate: Arc<Gate>,
    ) -> Self {
        Self {
            server,
            commands,
            timeout,
            gate,
        }
    }

    /// The name under which the CLI knows the server.
    #[cfg(feature = "rmcp")]
    pub(crate) fn server(&self) -> &str {
        &self.server
    }

    /// Sends a message. Messages arrive in the order of these calls.
    pub(crate) fn send(&self, message: &RawValue) {
        let Some(commands) = self.commands.upgrade() else {
            return;
        };
        let message = McpMessage::new(self.server.clone(), message.to_owned());
        match encode(&message) {
            Ok(body) => {
                let timeout = self.timeout;
                self.gate.pass(Command::Post { body, timeout }, &commands);
            }
            Err(error) => tracing::warn!(%error, "a message of a server has no JSON form"),
        }
    }
}
