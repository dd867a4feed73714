use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use foldhash::fast::RandomState;
use inhouse_proto::control::incoming::{IncomingRequest, RequestKind};
use tokio::sync::{Mutex, MutexGuard};

use super::gate::Gate;
use super::{Endpoint, Link, Reply, Server, ServerSession};
use crate::session::Session;

/// Carries messages between a CLI and the servers in this process.
///
/// Each server has an [`Endpoint`], which sees to it that every request has exactly one answer.
pub(crate) struct Bridge {
    servers: RwLock<Servers>,
    changing: Mutex<()>,
    session: Session,
    gate: Arc<Gate>,
}

type Servers = HashMap<String, Arc<Mounted>, RandomState>;

/// A server in use by this session.
struct Mounted {
    definition: Arc<dyn Server>,
    endpoint: Endpoint,
}

/// Other servers, as long as it is not known whether the CLI agrees to them.
///
/// Dropping it brings back what was there before.
pub(super) struct Change<'a> {
    bridge: &'a Bridge,
    _alone: MutexGuard<'a, ()>,
    /// What is new, and what each had replaced.
    new: Vec<(String, Option<Arc<Mounted>>)>,
}

impl Bridge {
    /// A bridge without servers, to the CLI of a session.
    pub(crate) fn new(session: Session) -> Self {
        Self {
            servers: RwLock::default(),
            changing: Mutex::default(),
            session,
            gate: Arc::new(Gate::closed()),
        }
    }

    /// Puts the servers in place with which a session begins, each under its key.
    pub(crate) fn mount(&self, servers: &[(String, Arc<dyn Server>)]) {
        for (key, definition) in servers {
            self.put(key, definition);
        }
    }

    /// Adds servers, when no other change is under way. One that is there already under the same key
    /// stays, with its session; another definition takes its place.
    ///
    /// All that was there before goes on until [`Change::agreed`].
    pub(super) async fn change(&self, servers: &[(String, Arc<dyn Server>)]) -> Change<'_> {
        let mut change = Change {
            _alone: self.changing.lock().await,
            bridge: self,
            new: Vec::new(),
        };
        for (key, definition) in servers {
            let mounted = self.find(key);
            if mounted.is_none_or(|mounted| mounted.definition.identity() != definition.identity())
            {
                let replaced = self.put(key, definition);
                change.new.push((key.clone(), replaced));
            }
        }
        change
    }

    /// Lets the servers speak, because the CLI knows them now.
    pub(crate) fn introduced(&self) {
        if self.gate.is_open() {
            return;
        }
        if let Some((commands, _)) = self.session.commands() {
            self.gate.open(&commands);
        }
    }

    /// The session with the CLI.
    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    /// The session of a server.
    pub(super) fn session_of(&self, key: &str) -> Option<Arc<dyn ServerSession>> {
        let mounted = self.find(key)?;
        Some(Arc::clone(mounted.endpoint.session()))
    }

    /// Handles a message for a server in this process; returns any other request unchanged.
    pub(crate) fn receive(&self, request: IncomingRequest) -> Result<Reply, IncomingRequest> {
        let server_name = match &request.kind {
            RequestKind::ToolCall(call) => &call.server_name,
            RequestKind::Mcp(message) => &message.server_name,
            _ => return Err(request),
        };
        // The CLI knows its servers, even if it has not answered `initialize` yet.
        self.introduced();
        let Some(mounted) = self.find(server_name) else {
            return Err(request);
        };
        Ok(match request.kind {
            RequestKind::ToolCall(call) => mounted.endpoint.call(*call),
            RequestKind::Mcp(message) => mounted.endpoint.receive(&message.message),
            _ => unreachable!("only these have the name of a server"),
        })
    }

    /// Opens a session with a server; returns the one that had its key.
    fn put(&self, key: &str, definition: &Arc<dyn Server>) -> Option<Arc<Mounted>> {
        let link = Link::new(key.into(), self.session.clone(), Arc::clone(&self.gate));
        let mounted = Mounted {
            definition: Arc::clone(definition),
            endpoint: Endpoint::new(definition.open(link)),
        };
        self.write().insert(key.to_owned(), Arc::new(mounted))
    }

    fn find(&self, key: &str) -> Option<Arc<Mounted>> {
        let servers = self.servers.read().unwrap_or_else(PoisonError::into_inner);
        servers.get(key).cloned()
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, Servers> {
        self.servers.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Change<'_> {
    /// Ends what was replaced, and every server that is not among these.
    pub(super) fn agreed(mut self, servers: &[(String, Arc<dyn Server>)]) {
        let replaced = self.new.drain(..).filter_map(|(_, replaced)| replaced);
        let mut gone: Vec<Arc<Mounted>> = replaced.collect();
        self.bridge.write().retain(|key, mounted| {
            let stays = servers.iter().any(|(kept, _)| kept == key);
            if !stays {
                gone.push(Arc::clone(mounted));
            }
            stays
        });
        for mounted in gone {
            mounted.endpoint.cancel_all();
        }
    }
}

impl Drop for Change<'_> {
    fn drop(&mut self) {
        for (key, replaced) in self.new.drain(..) {
            let mut servers = self.bridge.write();
            let refused = match replaced {
                Some(replaced) => servers.insert(key, replaced),
                None => servers.remove(&key),
            };
            drop(servers);
            if let Some(refused) = refused {
                refused.endpoint.cancel_all();
            }
        }
    }
}
