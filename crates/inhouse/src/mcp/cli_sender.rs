use std::sync::Arc;

use inhouse_proto::control::encode;
use inhouse_proto::control::outgoing::McpMessage;
use serde_json::value::RawValue;

use super::startup_buffer::StartupBuffer;
use crate::driver::Command;
use crate::session::Session;

/// Sends messages of one server to the CLI of one session.
#[derive(Clone)]
pub(crate) struct CliSender {
    server: Arc<str>,
    session: Session,
    buffer: Arc<StartupBuffer>,
}

impl CliSender {
    pub(super) fn new(server: Arc<str>, session: Session, buffer: Arc<StartupBuffer>) -> Self {
        Self {
            server,
            session,
            buffer,
        }
    }

    /// Creates a sender without a session, which drops messages.
    pub(crate) fn detached(server: &str) -> Self {
        Self::new(
            server.into(),
            Session::default(),
            Arc::new(StartupBuffer::new()),
        )
    }

    /// Returns the session with the CLI.
    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    /// Returns the name by which the CLI knows the server.
    #[cfg(feature = "rmcp")]
    pub(crate) fn server(&self) -> &str {
        &self.server
    }

    /// Sends a message without waiting. Messages arrive in the order of these calls; they are dropped
    /// after the end of the session.
    pub(crate) fn send(&self, message: &RawValue) {
        let Some((commands, timeout)) = self.session.commands() else {
            return;
        };
        let message = McpMessage::new(&*self.server, message.to_owned());
        match encode(&message) {
            Ok(body) => {
                self.buffer.send(Command::Post { body, timeout }, &commands);
            }
            Err(error) => tracing::warn!(%error, "message of an MCP server cannot be serialized"),
        }
    }
}
