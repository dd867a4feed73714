use std::sync::Arc;

use inhouse_proto::control::encode;
use inhouse_proto::control::outgoing::McpMessage;
use serde_json::value::RawValue;

use super::gate::Gate;
use crate::driver::Command;
use crate::session::Session;

/// A server's way to its CLI, for messages that the server starts.
#[derive(Clone)]
pub(crate) struct Link {
    server: Arc<str>,
    session: Session,
    gate: Arc<Gate>,
}

impl Link {
    pub(super) fn new(server: Arc<str>, session: Session, gate: Arc<Gate>) -> Self {
        Self {
            server,
            session,
            gate,
        }
    }

    /// Creates a link that leads nowhere: messages are dropped.
    pub(crate) fn detached(server: &str) -> Self {
        Self::new(server.into(), Session::default(), Arc::new(Gate::closed()))
    }

    /// The session with that CLI.
    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    /// The name under which the CLI knows the server.
    #[cfg(feature = "rmcp")]
    pub(crate) fn server(&self) -> &str {
        &self.server
    }

    /// Sends a message. Messages arrive in the order of these calls.
    pub(crate) fn send(&self, message: &RawValue) {
        let Some((commands, timeout)) = self.session.commands() else {
            return;
        };
        let message = McpMessage::new(&*self.server, message.to_owned());
        match encode(&message) {
            Ok(body) => {
                self.gate.pass(Command::Post { body, timeout }, &commands);
            }
            Err(error) => tracing::warn!(%error, "a message of a server has no JSON form"),
        }
    }
}
