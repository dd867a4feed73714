use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use inhouse_proto::control::incoming::{Answer, Payload};
use inhouse_proto::control::outgoing::SdkMcpServerConfig;
use inhouse_proto::mcp::{AnyResult, ErrorCode, RpcError, ToolCall, WriteResult, result_payload};
use inhouse_proto::wire::Text;
use serde::Serialize;
use serde_json::value::RawValue;
use tracing::Span;

use super::Link;
use super::open_calls::OpenCall;
use crate::driver::Answering;
use crate::tool::record_result;

/// A server that runs in this process: the definition.
pub(crate) trait Server: Send + Sync + 'static {
    /// What is wrong with it; nothing is started then.
    fn problems(&self) -> Vec<String>;

    /// Settings that the CLI keeps for it.
    fn config(&self) -> Option<SdkMcpServerConfig>;

    /// An address by which two live definitions are known to be the same.
    fn identity(&self) -> *const ();

    /// A session for one CLI.
    fn open(&self, link: Link) -> Arc<dyn ServerSession>;
}

/// A session of a server with one CLI.
pub(crate) trait ServerSession: Send + Sync + 'static {
    /// What the server would answer to the first two requests of a CLI, so that these need not be
    /// made; `None` when it cannot tell in advance.
    fn manifest(&self) -> Pin<Box<dyn Future<Output = Option<Manifest>> + Send + '_>>;

    /// Handles a request, at once or in a future.
    fn request(self: Arc<Self>, request: RpcRequest) -> Reply;

    /// Takes note of a notification.
    fn notification(&self, message: &str);

    /// Takes the answer to a request of the server's own.
    fn response(&self, message: &str);
}

/// The answer to a message, now or later.
pub(crate) enum Reply {
    /// The answer. The driver writes it before anything that is sent later.
    Ready(Answer),
    /// A future of the answer.
    Running(Answering),
}

/// A request of the CLI for a server.
pub(crate) struct RpcRequest {
    pub(crate) method: Text,
    pub(crate) params: Option<Text>,
    /// The parameters of `tools/call`, if they were read when the request arrived.
    pub(crate) tool_call: Option<ToolCall>,
    pub(crate) call: OpenCall,
}

impl RpcRequest {
    /// The payload that answers it with a result.
    pub(crate) fn succeed(&self, result: &impl Serialize) -> Result<Payload, RpcError> {
        self.succeed_in(&Span::none(), AnyResult(result))
    }

    /// The same for the result of a tool, which is noted in the span of the call.
    pub(crate) fn succeed_in(
        &self,
        span: &Span,
        result: impl WriteResult,
    ) -> Result<Payload, RpcError> {
        let (payload, place) = result_payload(self.call.id(), result)
            .map_err(|error| RpcError::new(ErrorCode::INTERNAL, error.to_string()))?;
        if !span.is_disabled() {
            let result = || place.within(&payload.to_text()).to_owned();
            record_result(span, place.size(&payload), result);
        }
        Ok(payload)
    }

    /// Answers the request with a known outcome.
    pub(crate) fn answer_now(self, outcome: Result<Payload, RpcError>) -> Reply {
        Reply::Ready(self.call.answer_now(outcome))
    }
}

/// The beginning of a session with a server, known in advance.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Manifest {
    pub(crate) initialize_result: Box<RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tools_list_result: Option<Box<RawValue>>,
}
