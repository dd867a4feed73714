use std::fmt;
use std::sync::Arc;

use inhouse_proto::control::incoming::Answer;
use inhouse_proto::mcp::Rpc;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::ToolServer;
use crate::mcp::{Endpoint, Link, NativeServer, Reply, Server as _};

/// Answers JSON-RPC messages with the tools of a [`ToolServer`], without a CLI.
///
/// One router is one MCP session: it keeps the table of open requests, so that a request can be
/// cancelled and no id is in flight twice. The answers are those that the CLI gets. Use it to test
/// a server at the level of the protocol; [`ToolServer::call`] tests a single tool with less text.
///
/// ```
/// use inhouse::tool::{Tool, ToolServer};
/// use serde_json::{Value, json};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let server = ToolServer::new("clock").tool(Tool::new("now", "What time it is", async || "noon"));
/// let router = server.router();
///
/// let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"now"}}"#;
/// let answer = router.handle(call).await.expect("a request has an answer");
/// let answer: Value = serde_json::from_str(&answer).expect("JSON");
/// assert_eq!(answer["id"], 1);
/// assert_eq!(answer["result"]["content"][0]["text"], "noon");
///
/// let answer = router.handle("not JSON").await.expect("an error");
/// let answer: Value = serde_json::from_str(&answer).expect("JSON");
/// assert_eq!(answer["error"]["code"], json!(-32700));
///
/// let note = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
/// assert_eq!(router.handle(note).await, None);
/// # }
/// ```
///
/// Messages that the server starts (progress, `tools/list_changed`) are dropped.
pub struct McpRouter {
    endpoint: Endpoint,
}

impl<S: Send + Sync + 'static> ToolServer<S> {
    /// Creates a router, which takes JSON-RPC messages and returns the answers.
    #[must_use]
    pub fn router(&self) -> McpRouter {
        let server = NativeServer::new(Arc::new(self.clone()));
        McpRouter {
            endpoint: Endpoint::new(server.open(Link::detached(self.name()))),
        }
    }
}

impl McpRouter {
    /// Handles one message and returns the answer; `None` for notifications and responses.
    ///
    /// Requests may be handled concurrently; each future resolves when its request is answered.
    /// Text that is not a JSON-RPC message is answered with an error.
    ///
    /// # Cancellation
    /// Dropping the future cancels the request. So does `notifications/cancelled` with its id, after
    /// which the request is answered with the error −32800.
    pub async fn handle(&self, message: &str) -> Option<String> {
        let rpc = Rpc::parse(message);
        let has_answer = !matches!(rpc, Ok(Rpc::Notification { .. } | Rpc::Response { .. }));
        let answer = match self.endpoint.receive(&message.to_owned().into()) {
            Reply::Ready(answer) => answer,
            Reply::Running(answering) => answering.await,
        };
        has_answer.then(|| response(&answer))
    }
}

/// Returns the JSON-RPC response in the answer to an `mcp_message`.
fn response(answer: &Answer) -> String {
    #[derive(Deserialize)]
    struct Wrapper<'a> {
        #[serde(borrow)]
        mcp_response: &'a RawValue,
    }
    let Answer::Success(payload) = answer else {
        unreachable!("servers answer with a payload, also when they refuse a request");
    };
    let text = payload.to_text();
    let wrapper: Wrapper<'_> = serde_json::from_str(&text).expect("payloads of MCP are wrapped");
    wrapper.mcp_response.get().to_owned()
}

impl fmt::Debug for McpRouter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpRouter").finish_non_exhaustive()
    }
}
