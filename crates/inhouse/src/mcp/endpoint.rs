use std::borrow::Cow;
use std::sync::Arc;

use inhouse_proto::control::incoming::Answer;
use inhouse_proto::engine::{Request, Text};
use inhouse_proto::mcp::{ErrorCode, Rpc, RpcError, acknowledgement, error_payload};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::open_calls::OpenCalls;
use super::{Reply, RpcRequest, ServerSession};

/// A server's session with one client, and the requests that are open in it.
///
/// Every request gets exactly one answer, also one that is malformed, cancelled, or made twice.
pub(crate) struct Endpoint {
    session: Arc<dyn ServerSession>,
    calls: OpenCalls,
}

impl Endpoint {
    pub(crate) fn new(session: Arc<dyn ServerSession>) -> Self {
        Self {
            session,
            calls: OpenCalls::default(),
        }
    }

    pub(super) fn session(&self) -> &Arc<dyn ServerSession> {
        &self.session
    }

    /// Cancels every open request.
    pub(super) fn cancel_all(&self) {
        self.calls.cancel_all();
    }

    /// Handles a message, which came in the given request of the CLI or by itself.
    ///
    /// Notifications and responses are acknowledged: the CLI waits for that.
    pub(crate) fn receive(
        &self,
        message: &str,
        rpc: Result<Rpc<'_>, (RpcError, Option<&str>)>,
        request: Option<&Request>,
    ) -> Reply {
        match rpc {
            Ok(Rpc::Request { id, method, params }) => {
                let part = |text: &str| match request {
                    Some(request) => request.part(text),
                    None => text.to_owned().into(),
                };
                let method = match method {
                    Cow::Borrowed(method) => part(method),
                    Cow::Owned(method) => method.into(),
                };
                self.request(part(id), method, params.map(part), request.cloned())
            }
            Ok(Rpc::Notification { method, params }) => {
                if method == "notifications/cancelled" {
                    self.cancel(params);
                }
                self.session.notification(message);
                Reply::Ready(Answer::Success(acknowledgement()))
            }
            Ok(Rpc::Response { .. }) => {
                self.session.response(message);
                Reply::Ready(Answer::Success(acknowledgement()))
            }
            Err((error, id)) => refuse(id, &error),
        }
    }

    fn request(
        &self,
        id: Text,
        method: Text,
        params: Option<Text>,
        request: Option<Request>,
    ) -> Reply {
        if &*method == "initialize" {
            // The client starts over and counts its ids from the start.
            self.calls.cancel_all();
        }
        let Some(call) = self.calls.open(id.clone()) else {
            let text = format!("a request with the id {} is already in flight", &*id);
            return refuse(Some(&id), &RpcError::new(ErrorCode::INTERNAL, text));
        };
        Arc::clone(&self.session).request(RpcRequest {
            request,
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

fn refuse(id: Option<&str>, error: &RpcError) -> Reply {
    Reply::Ready(Answer::Success(error_payload(id, error)))
}
