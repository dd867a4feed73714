use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use foldhash::fast::RandomState;
use inhouse_proto::control::incoming::{IncomingRequest, RequestKind};
use tokio::sync::{Mutex, MutexGuard};

use super::startup_buffer::StartupBuffer;
use super::{CliSender, Endpoint, Reply, Server, ServerSession};
use crate::ask::tool_name::normalized_name;
use crate::session::Session;

/// Routes messages between a CLI and the in-process servers of a session.
///
/// Each server has an [`Endpoint`], which ensures that every request gets exactly one response.
pub(crate) struct Bridge {
    servers: RwLock<Servers>,
    /// Serializes changes of the servers.
    changing: Mutex<()>,
    session: Session,
    buffer: Arc<StartupBuffer>,
}

type Servers = HashMap<String, Arc<ServerEntry>, RandomState>;

/// A server of this session.
pub(crate) struct ServerEntry {
    definition: Arc<dyn Server>,
    endpoint: Endpoint,
}

/// A change of the servers that the CLI has not confirmed yet. Dropping it reverts the change.
pub(super) struct Change<'a> {
    bridge: &'a Bridge,
    _changing: MutexGuard<'a, ()>,
    /// The keys of new servers, with the entries that they replaced.
    new: Vec<(String, Option<Arc<ServerEntry>>)>,
}

impl Bridge {
    /// Creates a bridge without servers.
    pub(crate) fn new(session: Session) -> Self {
        Self {
            servers: RwLock::default(),
            changing: Mutex::default(),
            session,
            buffer: Arc::new(StartupBuffer::new()),
        }
    }

    /// Adds the servers with which a session starts, by their keys.
    pub(crate) fn mount(&self, servers: &[(String, Arc<dyn Server>)]) {
        for (key, definition) in servers {
            self.put(key, definition);
        }
    }

    /// Adds servers, after any other change is finished. A server that already has the same key and
    /// definition keeps its session; one with another definition is replaced.
    ///
    /// Servers that are not among these stay until [`Change::commit`].
    pub(super) async fn change(&self, servers: &[(String, Arc<dyn Server>)]) -> Change<'_> {
        let mut change = Change {
            _changing: self.changing.lock().await,
            bridge: self,
            new: Vec::new(),
        };
        for (key, definition) in servers {
            let entry = self.find(key);
            if entry.is_none_or(|entry| entry.definition.identity() != definition.identity()) {
                let replaced = self.put(key, definition);
                change.new.push((key.clone(), replaced));
            }
        }
        change
    }

    /// Flushes the buffered messages of the servers, because the CLI knows the servers now.
    pub(crate) fn initialized(&self) {
        if self.buffer.is_flushed() {
            return;
        }
        if let Some((commands, _)) = self.session.commands() {
            self.buffer.flush(&commands);
        }
    }

    /// Returns the session with the CLI.
    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    /// Returns whether the model calls a tool of one of these servers by this name.
    pub(crate) fn has_server_of(&self, tool: &str) -> bool {
        let servers = self.servers.read().unwrap_or_else(PoisonError::into_inner);
        let mut keys = servers.keys();
        keys.any(|key| tool.starts_with(&format!("mcp__{}__", normalized_name(key))))
    }

    /// Returns the MCP session of a server.
    pub(super) fn session_of(&self, key: &str) -> Option<Arc<dyn ServerSession>> {
        let entry = self.find(key)?;
        Some(Arc::clone(entry.endpoint.session()))
    }

    /// Returns the server that a request is for; `None` if it is not for a server of this session.
    pub(crate) fn server_for(&self, request: &IncomingRequest) -> Option<Arc<ServerEntry>> {
        let server_name = match &request.kind {
            RequestKind::ToolCall { server_name, .. } | RequestKind::Mcp { server_name, .. } => {
                server_name
            }
            _ => return None,
        };
        // A CLI that contacts a server knows it, also if it has not answered `initialize` yet.
        self.initialized();
        self.find(server_name)
    }

    /// Opens a session with a server; returns the entry that had the same key.
    fn put(&self, key: &str, definition: &Arc<dyn Server>) -> Option<Arc<ServerEntry>> {
        let cli = CliSender::new(key.into(), self.session.clone(), Arc::clone(&self.buffer));
        let entry = ServerEntry {
            definition: Arc::clone(definition),
            endpoint: Endpoint::new(definition.open(cli)),
        };
        self.write().insert(key.to_owned(), Arc::new(entry))
    }

    fn find(&self, key: &str) -> Option<Arc<ServerEntry>> {
        let servers = self.servers.read().unwrap_or_else(PoisonError::into_inner);
        servers.get(key).cloned()
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, Servers> {
        self.servers.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ServerEntry {
    /// Returns whether a tool of this server has declared that it changes nothing.
    pub(crate) fn is_read_only(&self, tool: &str) -> bool {
        self.endpoint.session().is_read_only(tool)
    }

    /// Handles a request that [`Bridge::server_for`] has found this server for.
    pub(crate) fn receive(&self, request: IncomingRequest) -> Reply {
        match request.kind {
            RequestKind::ToolCall {
                id, params, call, ..
            } => self.endpoint.call(id, params, call),
            RequestKind::Mcp { message, .. } => self.endpoint.receive(&message),
            _ => Reply::Ready(request.unhandled()),
        }
    }
}

impl Change<'_> {
    /// Cancels the calls of replaced servers, and removes every server that is not among these.
    pub(super) fn commit(mut self, servers: &[(String, Arc<dyn Server>)]) {
        let replaced = self.new.drain(..).filter_map(|(_, replaced)| replaced);
        let mut removed: Vec<Arc<ServerEntry>> = replaced.collect();
        self.bridge.write().retain(|key, entry| {
            let is_kept = servers.iter().any(|(kept, _)| kept == key);
            if !is_kept {
                removed.push(Arc::clone(entry));
            }
            is_kept
        });
        // After the lock is released: cancelling wakes handlers.
        for entry in removed {
            entry.endpoint.cancel_all();
        }
    }
}

impl Drop for Change<'_> {
    fn drop(&mut self) {
        for (key, replaced) in self.new.drain(..) {
            let mut servers = self.bridge.write();
            let rejected = match replaced {
                Some(replaced) => servers.insert(key, replaced),
                None => servers.remove(&key),
            };
            drop(servers);
            if let Some(rejected) = rejected {
                rejected.endpoint.cancel_all();
            }
        }
    }
}
