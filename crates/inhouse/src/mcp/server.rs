use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use inhouse_proto::control::outgoing::SdkMcpServerConfig;
use inhouse_proto::engine::Text;
use inhouse_proto::mcp::{ErrorCode, RpcError, result_payload};
use serde::Serialize;
use serde_json::value::RawValue;
use tracing::Span;

use super::Link;
use crate::tool::{Cancelled, note_answer};

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

    /// Begins to answer a request.
    fn request(&self, request: RpcRequest) -> Answered;

    /// Takes note of a notification.
    fn notification(&self, message: &str);

    /// Takes the answer to a request of the server's own.
    fn response(&self, message: &str);
}

/// The payload that answers a request, or its error, when it is ready.
pub(crate) type Answered = Pin<Box<dyn Future<Output = Result<Box<RawValue>, RpcError>> + Send>>;

/// A request of the CLI for a server.
pub(crate) struct RpcRequest {
    /// The id as the CLI gave it.
    pub(crate) id: Text,
    pub(crate) method: Text,
    pub(crate) params: Option<Text>,
    /// Fires when the CLI cancels the request. The future of the answer is dropped then.
    pub(crate) cancelled: Cancelled,
}

impl RpcRequest {
    /// The payload that answers it with a result.
    pub(crate) fn succeed(&self, result: &impl Serialize) -> Result<Box<RawValue>, RpcError> {
        self.succeed_in(&Span::none(), result)
    }

    /// The same for the result of a tool, which is noted in the span of the call.
    pub(crate) fn succeed_in(
        &self,
        span: &Span,
        result: &impl Serialize,
    ) -> Result<Box<RawValue>, RpcError> {
        let (payload, place) = result_payload(&self.id, result)
            .map_err(|error| RpcError::new(ErrorCode::INTERNAL, error.to_string()))?;
        note_answer(span, &payload.get()[place]);
        Ok(payload)
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
