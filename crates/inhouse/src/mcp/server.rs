use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use inhouse_proto::control::outgoing::SdkMcpServerConfig;
use inhouse_proto::mcp::RpcError;
use serde::Serialize;
use serde_json::value::RawValue;

use super::Link;
use crate::tool::Cancelled;

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
    fn notification(&self, message: &RawValue);

    /// Takes the answer to a request of the server's own.
    fn response(&self, message: &RawValue);
}

/// The result of a request, or its error, when it is ready.
pub(crate) type Answered = Pin<Box<dyn Future<Output = Result<Box<RawValue>, RpcError>> + Send>>;

/// A request of the CLI for a server.
pub(crate) struct RpcRequest {
    /// The id as the CLI gave it.
    #[cfg_attr(
        not(feature = "rmcp"),
        expect(dead_code, reason = "only handlers of rmcp see the ids of requests")
    )]
    pub(crate) id: Box<RawValue>,
    pub(crate) method: String,
    pub(crate) params: Option<Box<RawValue>>,
    /// Fires when the CLI cancels the request. The future of the answer is dropped then.
    pub(crate) cancelled: Cancelled,
}

/// The beginning of a session with a server, known in advance.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Manifest {
    pub(crate) initialize_result: Box<RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tools_list_result: Option<Box<RawValue>>,
}
