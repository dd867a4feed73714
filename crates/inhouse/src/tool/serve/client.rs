use std::future::ready;
use std::sync::{Arc, Mutex, PoisonError};

use ::rmcp::model::{
    CancelledNotificationParam, ClientCapabilities as Declared, CustomRequest, InputRequest,
    RequestId, RequestMetaObject, ServerRequest,
};
use ::rmcp::service::{PeerRequestOptions, ServiceError};
use ::rmcp::{Peer, RoleServer};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

use super::call::{Event, InputItem};
use crate::tool::{
    ClientCapabilities, ClientCapability, ClientLink, ClientResponse, LogLevel, McpClientError,
};

/// The `rmcp` client that made a call.
pub(super) struct ServedClient {
    events: UnboundedSender<Event>,
    capabilities: ClientCapabilities,
    kind: Kind,
}

enum Kind {
    /// A client with a handshake, to which requests are sent.
    Connected {
        log_level: Arc<Mutex<LogLevel>>,
        peer: Peer<RoleServer>,
    },
    /// A client of 2026-07-28, which gets requests as the result of its call.
    Stateless { log_level: Option<LogLevel> },
}

/// A request that was sent. Dropping it before the response cancels the request.
struct SentRequest {
    peer: Peer<RoleServer>,
    /// `None` after the response.
    id: Option<RequestId>,
}

impl ServedClient {
    pub(super) fn connected(
        log_level: Arc<Mutex<LogLevel>>,
        peer: Peer<RoleServer>,
        events: UnboundedSender<Event>,
    ) -> Self {
        let info = peer.peer_info();
        Self {
            events,
            capabilities: capabilities(info.as_ref().map(|info| &info.capabilities)),
            kind: Kind::Connected { log_level, peer },
        }
    }

    pub(super) fn stateless(meta: &RequestMetaObject, events: UnboundedSender<Event>) -> Self {
        Self {
            events,
            capabilities: capabilities(meta.client_capabilities().as_ref()),
            kind: Kind::Stateless {
                log_level: level(meta.log_level()),
            },
        }
    }

    /// Passes a request to the task that answers the client's call.
    fn require_input(&self, capability: ClientCapability, params: Value) -> ClientResponse {
        let request = json!({"method": capability.method(), "params": params});
        let request: InputRequest = match serde_json::from_value(request) {
            Ok(request) => request,
            Err(error) => return Box::pin(ready(Err(McpClientError::InvalidRequest(error)))),
        };
        let (answer, answered) = oneshot::channel();
        // Fails after the end of the call, and so does `answered`.
        let _ = self.events.send(Event::Input(InputItem {
            capability,
            request,
            answer,
        }));
        Box::pin(async move { answered.await.map_err(|_| McpClientError::Ended) })
    }
}

impl ClientLink for ServedClient {
    fn log_level(&self) -> Option<LogLevel> {
        match &self.kind {
            Kind::Connected { log_level, .. } => {
                Some(*log_level.lock().unwrap_or_else(PoisonError::into_inner))
            }
            Kind::Stateless { log_level } => *log_level,
        }
    }

    fn log(&self, level: LogLevel, data: Value) {
        // Fails after the end of the call.
        let _ = self.events.send(Event::Log { level, data });
    }

    fn check(&self, capability: ClientCapability) -> Result<(), McpClientError> {
        let checked = self.capabilities.check(capability);
        if checked.is_err() && matches!(self.kind, Kind::Stateless { .. }) {
            // Fails after the end of the call.
            let _ = self.events.send(Event::Unsupported(capability));
        }
        checked
    }

    fn request(&self, capability: ClientCapability, params: Value) -> ClientResponse {
        match &self.kind {
            Kind::Connected { peer, .. } => Box::pin(send(peer.clone(), capability, params)),
            Kind::Stateless { .. } => self.require_input(capability, params),
        }
    }
}

/// Sends a request and awaits the response.
async fn send(
    peer: Peer<RoleServer>,
    capability: ClientCapability,
    params: Value,
) -> Result<Value, McpClientError> {
    let request = CustomRequest::new(capability.method(), Some(params));
    let request = ServerRequest::CustomRequest(request);
    let sent = peer.send_cancellable_request(request, PeerRequestOptions::no_options());
    let handle = sent.await.map_err(failed)?;
    let mut sent = SentRequest {
        peer,
        id: Some(handle.id.clone()),
    };
    let result = handle.await_response().await;
    sent.id = None;
    serde_json::to_value(result.map_err(failed)?).map_err(McpClientError::InvalidAnswer)
}

impl Drop for SentRequest {
    fn drop(&mut self) {
        // Without a runtime there is no client either.
        if let (Some(id), Ok(runtime)) = (self.id.take(), Handle::try_current()) {
            let peer = self.peer.clone();
            runtime.spawn(async move {
                let cancelled = CancelledNotificationParam::new(Some(id), None);
                // Fails if the client has disconnected.
                let _ = peer.notify_cancelled(cancelled).await;
            });
        }
    }
}

fn failed(error: ServiceError) -> McpClientError {
    match error {
        ServiceError::McpError(error) => McpClientError::Rejected {
            code: error.code.0,
            message: error.message.into_owned(),
        },
        // The connection is closed: no request has a timeout, and none is cancelled before this.
        _ => McpClientError::Ended,
    }
}

fn capabilities(declared: Option<&Declared>) -> ClientCapabilities {
    let Some(declared) = declared else {
        return ClientCapabilities::default();
    };
    let elicitation = declared.elicitation.as_ref();
    ClientCapabilities {
        // A client of 2025-06-18 declares neither kind, and has forms.
        elicitation: elicitation.is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none()),
        sampling: declared.sampling.is_some(),
    }
}

/// Converts a level of `rmcp`, which has the same names.
pub(super) fn level(level: impl Serialize) -> Option<LogLevel> {
    let level = serde_json::to_value(level).ok()?;
    serde_json::from_value(level).ok()
}
