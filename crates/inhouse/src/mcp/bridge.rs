use std::borrow::Cow;
use std::collections::HashMap;
use std::future::ready;
use std::sync::{Arc, PoisonError, RwLock};

use foldhash::fast::RandomState;
use inhouse_proto::control::incoming::{Answer, McpMessage};
use inhouse_proto::engine::{Request, Text};
use inhouse_proto::mcp::{ErrorCode, Rpc, RpcError, acknowledgement, error_payload};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::{Mutex, MutexGuard};

use super::gate::Gate;
use super::open_calls::OpenCalls;
use super::{Link, RpcRequest, Server, ServerSession};
use crate::driver::Answering;
use crate::session::Session;

/// Carries messages between a CLI and the servers in this process.
///
/// Every request of the CLI gets exactly one answer, also one that is malformed, for an unknown
/// server, cancelled, or made twice. Notifications and responses are acknowledged: the CLI waits
/// for that.
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
    session: Arc<dyn ServerSession>,
    calls: OpenCalls,
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
        self.find(key).map(|mounted| Arc::clone(&mounted.session))
    }

    /// Begins to answer a message of the CLI, if it is for a server here.
    pub(crate) fn receive(&self, request: &Request, message: &McpMessage<'_>) -> Option<Answering> {
        // It speaks to one of them, and may well do so before it answers the introduction.
        self.introduced();
        let mounted = self.find(&message.server_name)?;
        Some(mounted.receive(request, message))
    }

    /// Opens a session with a server; returns the one that had its key.
    fn put(&self, key: &str, definition: &Arc<dyn Server>) -> Option<Arc<Mounted>> {
        let link = Link::new(key.into(), self.session.clone(), Arc::clone(&self.gate));
        let mounted = Mounted {
            definition: Arc::clone(definition),
            session: definition.open(link),
            calls: OpenCalls::default(),
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
            mounted.calls.cancel_all();
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
                refused.calls.cancel_all();
            }
        }
    }
}

impl Mounted {
    fn receive(&self, request: &Request, message: &McpMessage<'_>) -> Answering {
        match message.rpc() {
            Ok(Rpc::Request { id, method, params }) => {
                let method = match method {
                    Cow::Borrowed(method) => request.part(method),
                    Cow::Owned(method) => method.into(),
                };
                let params = params.map(|params| request.part(params));
                self.request(request, request.part(id), method, params)
            }
            Ok(Rpc::Notification { method, params }) => {
                if method == "notifications/cancelled" {
                    self.cancel(params);
                }
                self.session.notification(message.message);
                acknowledge()
            }
            Ok(Rpc::Response { .. }) => {
                self.session.response(message.message);
                acknowledge()
            }
            Err((error, id)) => refuse(id, &error),
        }
    }

    fn request(
        &self,
        request: &Request,
        id: Text,
        method: Text,
        params: Option<Text>,
    ) -> Answering {
        if &*method == "initialize" {
            // The CLI begins anew, and counts its ids from the start.
            self.calls.cancel_all();
        }
        let Some(call) = self.calls.open(id.clone()) else {
            let text = format!("a request with the id {} is already in flight", &*id);
            return refuse(Some(&id), &RpcError::new(ErrorCode::INTERNAL, text));
        };
        Arc::clone(&self.session).request(RpcRequest {
            request: request.clone(),
            method,
            params,
            call,
        })
    }

    fn cancel(&self, params: Option<&str>) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Cancelled<'a> {
            #[serde(borrow)]
            request_id: &'a RawValue,
        }
        let params = params.and_then(|params| serde_json::from_str(params).ok());
        if let Some(Cancelled { request_id }) = params {
            self.calls.cancel(request_id.get());
        }
    }
}

fn acknowledge() -> Answering {
    Box::pin(ready(Answer::Success(acknowledgement())))
}

fn refuse(id: Option<&str>, error: &RpcError) -> Answering {
    Box::pin(ready(Answer::Success(error_payload(id, error))))
}
