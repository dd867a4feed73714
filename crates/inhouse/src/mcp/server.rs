use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use inhouse_proto::control::incoming::Answer;
use inhouse_proto::control::outgoing::SdkMcpServerConfig;
use inhouse_proto::mcp::ToolCall;
use inhouse_proto::wire::Text;
use serde::Serialize;
use serde_json::value::RawValue;

use super::{CliSender, OpenCall};
use crate::driver::Answering;
use crate::tool::{Interrupted, Repairing};

/// The definition of an in-process server.
pub(crate) trait Server: Send + Sync + 'static {
    /// Returns configuration errors. If there are any, `connect` fails with `Config`.
    fn problems(&self) -> Vec<String>;

    /// Returns the settings of the server that are sent to the CLI.
    fn config(&self) -> Option<SdkMcpServerConfig>;

    /// Returns an address that is equal for two live values of the same definition.
    fn identity(&self) -> *const ();

    /// Asks a tool for the outcome of a call; `None` if it has no handler for that.
    fn repair(&self, _tool: &str, _call: Interrupted) -> Option<Repairing> {
        None
    }

    /// Opens a session with one CLI.
    fn open(&self, cli: CliSender) -> Arc<dyn ServerSession>;
}

/// The MCP session of a server with one CLI.
pub(crate) trait ServerSession: Send + Sync + 'static {
    /// Returns the results of `initialize` and `tools/list`, which saves the CLI these requests; `None`
    /// if they are not known in advance.
    fn manifest(&self) -> Pin<Box<dyn Future<Output = Option<Manifest>> + Send + '_>>;

    /// Returns whether a tool has declared that it changes nothing.
    fn is_read_only(&self, tool: &str) -> bool;

    /// Calls a tool, at once or in a future. `params` are the parameters that the call was decoded from.
    fn call(self: Arc<Self>, call: Box<ToolCall>, params: Text, open: OpenCall) -> Reply;

    /// Handles any other request, at once or in a future.
    fn request(self: Arc<Self>, method: Text, params: Option<Text>, open: OpenCall) -> Reply;

    /// Handles a notification.
    fn notification(&self, message: &str);

    /// Handles the response to a request that the server has sent.
    fn response(&self, message: &str);
}

/// The answer to a message, or a future of it.
pub(crate) enum Reply {
    /// The answer. The driver writes it before anything that is sent afterwards.
    Ready(Answer),
    /// A future that returns the answer.
    Running(Answering),
}

/// The results of the first two requests of a session, known in advance.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Manifest {
    pub(crate) initialize_result: Box<RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tools_list_result: Option<Box<RawValue>>,
}
