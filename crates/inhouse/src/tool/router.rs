use std::fmt;
use std::sync::Arc;

use inhouse_proto::control::incoming::Answer;
use inhouse_proto::mcp::Rpc;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::ToolServer;
use crate::mcp::{CliSender, Endpoint, NativeServer, Reply, Server as _};

/// An MCP session with a [`ToolServer`], without a CLI: JSON-RPC messages in, responses out.
///
/// A router keeps the table of open requests, so that a request can be cancelled and no id is in
/// flight twice. The responses are those that the CLI gets. Use it to test a server at the protocol
/// level; [`ToolServer::call`] tests a single tool with less code.
///
/// ```
/// use inhouse::tool::{Tool, ToolServer};
/// use serde_json::{Value, json};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let server = ToolServer::new("clock").tool(Tool::new("now", "The current time", async || "noon"));
/// let router = server.router();
///
/// let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"now"}}"#;
/// let response = router.handle(call).await.expect("requests have a response");
/// let response: Value = serde_json::from_str(&response).expect("JSON");
/// assert_eq!(response["id"], 1);
/// assert_eq!(response["result"]["content"][0]["text"], "noon");
///
/// let response = router.handle("not JSON").await.expect("an error response");
/// let response: Value = serde_json::from_str(&response).expect("JSON");
/// assert_eq!(response["error"]["code"], json!(-32700));
///
/// let notification = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
/// assert_eq!(router.handle(notification).await, None);
/// # }
/// ```
///
/// Messages that the server sends on its own (progress, log messages, `tools/list_changed`, and
/// requests of tools) are passed to [`on_message`](Self::on_message).
pub struct McpRouter {
    name: String,
    server: NativeServer,
    endpoint: Endpoint,
}

impl<S: Send + Sync + 'static> ToolServer<S> {
    /// Creates a router: one MCP session that takes JSON-RPC messages and returns the responses.
    ///
    /// ```
    /// use inhouse::tool::{Tool, ToolServer};
    ///
    /// # inhouse_testkit::run(async {
    /// let server = ToolServer::new("clock").tool(Tool::new("now", "The time", async || "noon"));
    /// let list = r#"{"jsonrpc":"2.0","id":"a","method":"tools/list"}"#;
    /// let response = server.router().handle(list).await.expect("requests have a response");
    /// assert!(response.contains(r#""name":"now""#));
    /// # });
    /// ```
    #[must_use]
    pub fn router(&self) -> McpRouter {
        let server = NativeServer::new(Arc::new(self.clone()));
        McpRouter {
            name: self.name().to_owned(),
            endpoint: Endpoint::new(server.open(CliSender::detached(self.name()))),
            server,
        }
    }
}

impl McpRouter {
    /// Sets the function that gets the messages which the server sends on its own. By default they
    /// are dropped, and requests of tools ([`McpClient`](super::McpClient)) fail.
    ///
    /// The function is called by the task that sends the message, and must not block. Responses to
    /// requests of tools are passed to [`handle`](Self::handle), like any other message. Call this
    /// first: it begins a new MCP session.
    ///
    /// ```
    /// use inhouse::tool::{LogLevel, McpClient, Tool, ToolServer};
    /// use tokio::sync::mpsc;
    ///
    /// # inhouse_testkit::run(async {
    /// let greet = Tool::new("greet", "Greet", async |client: McpClient| {
    ///     client.log(LogLevel::Info, "greeting");
    ///     "Hello"
    /// });
    /// let (sender, mut messages) = mpsc::unbounded_channel();
    /// let server = ToolServer::new("greeter").tool(greet);
    /// let router = server.router().on_message(move |message| drop(sender.send(message)));
    ///
    /// let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet"}}"#;
    /// assert!(router.handle(call).await.expect("a response").contains("Hello"));
    /// let message = messages.recv().await.expect("a message");
    /// assert!(message.contains("notifications/message"));
    /// # });
    /// ```
    #[must_use]
    pub fn on_message(self, callback: impl Fn(String) + Send + Sync + 'static) -> Self {
        let sender = CliSender::callback(&self.name, Arc::new(callback));
        Self {
            endpoint: Endpoint::new(self.server.open(sender)),
            ..self
        }
    }

    /// Handles one message and returns the response; `None` for notifications and responses.
    ///
    /// Requests may be handled concurrently; each future resolves with the response to its request.
    /// Text that is not a JSON-RPC message has an error response. See [`McpRouter`] for an example.
    ///
    /// # Cancellation
    /// Dropping the future cancels the request. So does `notifications/cancelled` with its id, after
    /// which the response is the error −32800.
    pub async fn handle(&self, message: &str) -> Option<String> {
        let rpc = Rpc::parse(message);
        let has_response = !matches!(rpc, Ok(Rpc::Notification { .. } | Rpc::Response { .. }));
        let answer = match self.endpoint.receive(&message.to_owned().into()) {
            Reply::Ready(answer) => answer,
            Reply::Running(answering) => answering.await,
        };
        has_response.then(|| response(&answer))
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
        unreachable!("an error is a JSON-RPC response, too, and travels as a success payload");
    };
    let wrapper: Wrapper<'_> =
        serde_json::from_str(payload.as_str()).expect("an MCP payload has `mcp_response`");
    wrapper.mcp_response.get().to_owned()
}

impl fmt::Debug for McpRouter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpRouter").finish_non_exhaustive()
    }
}
