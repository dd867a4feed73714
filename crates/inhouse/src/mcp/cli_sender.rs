use std::sync::Arc;

use inhouse_proto::control::encode;
use inhouse_proto::control::outgoing::McpMessage;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::startup_buffer::StartupBuffer;
use crate::driver::Command;
use crate::session::Session;

/// Sends messages of one server to its client: the CLI of one session, or the user of a router.
#[derive(Clone)]
pub(crate) struct CliSender {
    server: Arc<str>,
    session: Session,
    target: Target,
}

#[derive(Clone)]
enum Target {
    Cli(Arc<StartupBuffer>),
    Callback(Arc<dyn Fn(String) + Send + Sync>),
    /// Messages are dropped.
    None,
}

impl CliSender {
    pub(super) fn new(server: Arc<str>, session: Session, buffer: Arc<StartupBuffer>) -> Self {
        Self {
            server,
            session,
            target: Target::Cli(buffer),
        }
    }

    /// Creates a sender without a session, which drops messages.
    pub(crate) fn detached(server: &str) -> Self {
        Self {
            server: server.into(),
            session: Session::default(),
            target: Target::None,
        }
    }

    /// Creates a sender without a session, which passes messages to a function.
    pub(crate) fn callback(server: &str, callback: Arc<dyn Fn(String) + Send + Sync>) -> Self {
        Self {
            target: Target::Callback(callback),
            ..Self::detached(server)
        }
    }

    /// Returns whether messages are dropped because there is no client.
    pub(crate) fn is_detached(&self) -> bool {
        matches!(self.target, Target::None)
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
        match &self.target {
            Target::Cli(buffer) => self.send_to_cli(message, buffer),
            Target::Callback(callback) => callback(message.get().to_owned()),
            Target::None => {}
        }
    }

    /// Sends a value as a message, like [`send`](Self::send).
    pub(super) fn send_value(&self, message: &impl Serialize) {
        match to_raw_value(message) {
            Ok(message) => self.send(&message),
            Err(error) => tracing::warn!(%error, "message of an MCP server cannot be serialized"),
        }
    }

    /// Sends a notification, like [`send`](Self::send).
    pub(super) fn notify(&self, method: &str, params: &impl Serialize) {
        #[derive(Serialize)]
        struct Notification<'a, P> {
            jsonrpc: &'static str,
            method: &'a str,
            params: &'a P,
        }
        self.send_value(&Notification {
            jsonrpc: "2.0",
            method,
            params,
        });
    }

    fn send_to_cli(&self, message: &RawValue, buffer: &StartupBuffer) {
        let Some((commands, timeout)) = self.session.commands() else {
            return;
        };
        let message = McpMessage::new(&*self.server, message.to_owned());
        match encode(&message) {
            Ok(body) => buffer.send(Command::Post { body, timeout }, &commands),
            Err(error) => tracing::warn!(%error, "message of an MCP server cannot be serialized"),
        }
    }
}
