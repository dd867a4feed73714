use std::sync::Arc;

use inhouse_proto::control::incoming::{Answer, ToolCallRequest};
use inhouse_proto::mcp::{ErrorCode, Rpc, RpcError, ToolCall, acknowledgement, error_payload};
use inhouse_proto::wire::Text;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::open_calls::OpenCalls;
use super::{Reply, RpcRequest, ServerSession};

/// A server's session with one client, and the open requests of that client.
///
/// Every request gets exactly one response, also if it is malformed, cancelled, or reuses an id.
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

    /// Calls a tool.
    pub(super) fn call(&self, request: ToolCallRequest) -> Reply {
        let ToolCallRequest {
            id, params, call, ..
        } = request;
        self.request(id, TOOLS_CALL.into(), Some(params), Some(call))
    }

    /// Handles a message.
    ///
    /// Notifications and responses are acknowledged, because the CLI waits for a reply to each
    /// `mcp_message` (2.1.325).
    pub(crate) fn receive(&self, message: &Text) -> Reply {
        match Rpc::parse(message) {
            Ok(Rpc::Request { id, method, params }) => {
                let params = params.map(|params| message.part(params));
                self.request(message.part(id), message.part(method), params, None)
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
        tool_call: Option<ToolCall>,
    ) -> Reply {
        if &*method == "initialize" {
            // A client that initializes again restarts its ids, so that they could collide.
            self.calls.cancel_all();
        }
        let call = match self.calls.open(id) {
            Ok(call) => call,
            Err(id) => {
                let text = format!("a request with the id {} is already in flight", &*id);
                return refuse(Some(&id), &RpcError::new(ErrorCode::INTERNAL, text));
            }
        };
        Arc::clone(&self.session).request(RpcRequest {
            method,
            params,
            tool_call,
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

const TOOLS_CALL: &str = "tools/call";

fn refuse(id: Option<&str>, error: &RpcError) -> Reply {
    Reply::Ready(Answer::Success(error_payload(id, error)))
}
