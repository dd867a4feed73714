use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::elicited::form_schema;
use super::{
    Call, Cancelled, Elicited, Extract, LogLevel, McpClientError, Sampled, SamplingRequest,
    ToolError,
};

/// The MCP client that called the tool: receives log messages, and answers requests of the tool.
///
/// Which requests a client answers depends on the capabilities that it declares:
///
/// | the tool is called by | `log` | `elicit` | `sample` |
/// |---|---|---|---|
/// | the CLI (2.1.325), in process | accepted, shown nowhere | not supported | not supported |
/// | the CLI (2.1.325), as a client of [served](super::ToolServer::serve_stdio) tools | accepted, shown nowhere | yes, see [`on_elicitation`](crate::Options::on_elicitation) | not supported |
/// | another MCP client of served tools | if the client shows log messages | if declared | if declared |
/// | [`McpRouter`](super::McpRouter) | passed to [`on_message`](super::McpRouter::on_message) | if declared | if declared |
/// | [`ToolServer::call`](super::ToolServer::call) | dropped | no client | no client |
///
/// A request that the client does not support fails at once, and nothing is sent.
///
/// A client of MCP 2026-07-28 (such as CLI 2.1.325 over HTTP) gets a request as the `input_required`
/// result of its call, and answers in another call, which must reach the same process. The handler waits
/// in the meantime, and counts towards the [concurrency](super::ToolServer::concurrency) of the server.
/// A call that fails because such a client lacks a capability has the error −32021, with the text of
/// the tool.
///
/// ```
/// use inhouse::tool::{Elicited, McpClient, Tool, ToolError, ToolServer};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
/// # use serde_json::{Value, json};
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Confirmation {
///     /// Whether to delete all files
///     sure: bool,
/// }
///
/// let delete = Tool::new("delete", "Delete all files", async |client: McpClient| {
///     match client.elicit("Delete all files?").await? {
///         Elicited::Accepted(Confirmation { sure: true }) => Ok("deleted"),
///         _ => Err(ToolError::new("the user does not want to delete the files")),
///     }
/// });
/// let server = ToolServer::new("files").tool(delete);
/// # inhouse_testkit::run(async {
/// # let (sender, mut messages) = tokio::sync::mpsc::unbounded_channel();
/// # let router = server.router().on_message(move |message| drop(sender.send(message)));
/// # let params = json!({"capabilities": {"elicitation": {}}});
/// # let initialize = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
/// # router.handle(&initialize.to_string()).await.expect("a response");
/// # let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete"}}"#;
/// # let (response, ()) = tokio::join!(router.handle(call), async {
/// #     let request: Value = serde_json::from_str(&messages.recv().await.unwrap()).unwrap();
/// #     assert_eq!(request["params"]["message"], "Delete all files?");
/// #     let result = json!({"action": "accept", "content": {"sure": true}});
/// #     let answer = json!({"jsonrpc": "2.0", "id": request["id"], "result": result});
/// #     router.handle(&answer.to_string()).await;
/// # });
/// # assert!(response.unwrap().contains("deleted"));
/// # });
/// ```
#[derive(Clone)]
pub struct McpClient {
    /// `None` if there is no client, as in `ToolServer::call`.
    link: Option<Arc<dyn ClientLink>>,
    cancelled: Cancelled,
    timeout: Duration,
}

/// Connects a call with the client that made it.
pub(crate) trait ClientLink: Send + Sync {
    /// Returns the lowest level of the log messages that the client accepts; `None` if it accepts none.
    fn log_level(&self) -> Option<LogLevel>;

    /// Sends a log message without waiting.
    fn log(&self, level: LogLevel, data: Value);

    /// Returns an error if the client does not answer requests of this kind.
    fn check(&self, capability: ClientCapability) -> Result<(), McpClientError>;

    /// Sends a request, and returns a future of the result. Dropping the future cancels the request.
    fn request(&self, capability: ClientCapability, params: Value) -> ClientResponse;
}

pub(crate) type ClientResponse =
    Pin<Box<dyn Future<Output = Result<Value, McpClientError>> + Send>>;

/// A capability of a client, which allows one kind of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClientCapability {
    Elicitation,
    Sampling,
}

/// The capabilities of a client that concern tools.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ClientCapabilities {
    /// Whether the client shows forms to its user.
    pub(crate) elicitation: bool,
    /// Whether the client passes prompts to its model.
    pub(crate) sampling: bool,
}

impl ClientCapabilities {
    /// Returns an error if a capability is not declared.
    pub(crate) fn check(self, capability: ClientCapability) -> Result<(), McpClientError> {
        let (is_declared, capability) = match capability {
            ClientCapability::Elicitation => (self.elicitation, "elicitation"),
            ClientCapability::Sampling => (self.sampling, "sampling"),
        };
        match is_declared {
            true => Ok(()),
            false => Err(McpClientError::Unsupported { capability }),
        }
    }
}

impl ClientCapability {
    /// Returns the method of the requests that this capability allows.
    pub(crate) fn method(self) -> &'static str {
        match self {
            Self::Elicitation => "elicitation/create",
            Self::Sampling => "sampling/createMessage",
        }
    }

    /// Returns whether a result has the form of an answer to these requests.
    #[cfg(feature = "rmcp")]
    pub(crate) fn accepts(self, result: &Value) -> bool {
        match self {
            Self::Elicitation => Elicited::<Value>::decode(result.clone()).is_ok(),
            Self::Sampling => serde_json::from_value::<Sampled>(result.clone()).is_ok(),
        }
    }
}

impl McpClient {
    /// Limits how long a request waits if [`timeout`](Self::timeout) sets no other limit: long enough
    /// for a person who has to be asked.
    const TIMEOUT: Duration = Duration::from_secs(600);

    pub(crate) fn new(link: Option<Arc<dyn ClientLink>>, cancelled: &Cancelled) -> Self {
        Self {
            link,
            cancelled: cancelled.clone(),
            timeout: Self::TIMEOUT,
        }
    }

    /// Limits how long [`elicit`](Self::elicit) and [`sample`](Self::sample) wait for the answer; ten
    /// minutes by default. A [timeout of the tool](super::Tool::timeout) applies as well.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use inhouse::tool::{Elicited, McpClient, Tool, ToolError};
    /// use serde_json::{Value, json};
    ///
    /// let confirm = Tool::new("confirm", "Ask the user", async |client: McpClient| {
    ///     let client = client.timeout(Duration::from_secs(60));
    ///     let form = json!({"type": "object", "properties": {}});
    ///     let answer = client.elicit_with_schema("Continue?", form).await?;
    ///     Ok::<_, ToolError>(answer.accepted().is_some())
    /// });
    /// # let _: Tool = confirm;
    /// ```
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sends a log message to the client, without waiting for it.
    ///
    /// The client may set the lowest level that it accepts (`logging/setLevel`); until then every
    /// message is sent. A client of MCP 2026-07-28 sets the level in each call, and gets no messages
    /// without. Messages are dropped after the end of the call. Data that cannot be serialized is
    /// dropped with a log event. Clients show these messages to people; for the log of your own
    /// program use `tracing`.
    ///
    /// ```
    /// use inhouse::tool::{LogLevel, McpClient, Tool, ToolServer};
    ///
    /// # inhouse_testkit::run(async {
    /// let import = Tool::new("import", "Import all rows", async |client: McpClient| {
    ///     client.log(LogLevel::Warning, "row 7 is empty");
    ///     "imported"
    /// });
    /// let server = ToolServer::new("data").tool(import);
    /// let (sender, mut messages) = tokio::sync::mpsc::unbounded_channel();
    /// let router = server.router().on_message(move |message| drop(sender.send(message)));
    /// let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"import"}}"#;
    /// router.handle(call).await.expect("requests have a response");
    /// let message = messages.recv().await.expect("a log message");
    /// assert!(message.contains("row 7 is empty"));
    /// # });
    /// ```
    pub fn log(&self, level: LogLevel, data: impl Serialize) {
        let Some(link) = &self.link else {
            return;
        };
        let is_wanted = link.log_level().is_some_and(|lowest| level >= lowest);
        if !is_wanted || self.cancelled.is_cancelled() {
            return;
        }
        match serde_json::to_value(data) {
            Ok(data) => link.log(level, data),
            Err(error) => tracing::warn!(%error, "log message of a tool cannot be serialized"),
        }
    }

    /// Asks the user to fill in a form with the fields of `T`; see [`McpClient`] for an example.
    ///
    /// MCP allows a struct of text, numbers, booleans, enums without data, and lists of such enums.
    /// Doc comments become descriptions, and `Option` fields are optional.
    ///
    /// # Errors
    /// [`McpClientError`], also if the answer does not fit `T`. `?` converts it into a [`ToolError`].
    ///
    /// # Cancellation
    /// Dropping the future cancels the request. So does the end of the call.
    pub async fn elicit<T: JsonSchema + DeserializeOwned>(
        &self,
        message: impl Into<String>,
    ) -> Result<Elicited<T>, McpClientError> {
        self.elicit_form(message.into(), form_schema::<T>()).await
    }

    /// Asks the user to fill in a form with the fields of a JSON Schema, like
    /// [`elicit`](Self::elicit).
    ///
    /// The content of the answer is not validated against the schema.
    ///
    /// ```
    /// use inhouse::tool::{McpClient, Tool, ToolError, ToolServer};
    /// use serde_json::json;
    ///
    /// # inhouse_testkit::run(async {
    /// let region = Tool::new("region", "Ask for the region", async |client: McpClient| {
    ///     let region = json!({"type": "string", "enum": ["north", "south"], "default": "north"});
    ///     let form = json!({"type": "object", "properties": {"region": region}});
    ///     let answer = client.elicit_with_schema("Which region?", form).await?;
    ///     let answer = answer.accepted().ok_or("the user did not answer")?;
    ///     Ok::<_, ToolError>(answer["region"].to_string())
    /// });
    /// // The request fails without a client:
    /// let result = ToolServer::new("crm").tool(region).call("region", json!({})).await;
    /// assert!(result.is_error);
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`McpClientError`], which `?` converts into a [`ToolError`].
    ///
    /// # Cancellation
    /// Dropping the future cancels the request. So does the end of the call.
    pub async fn elicit_with_schema(
        &self,
        message: impl Into<String>,
        schema: Value,
    ) -> Result<Elicited<Value>, McpClientError> {
        self.elicit_form(message.into(), schema).await
    }

    /// Sends a prompt to the model of the client.
    ///
    /// MCP deprecates this request since 2026-07-28, and few clients support it. To ask Claude from a
    /// program of yours, start a [query](crate::query).
    ///
    /// ```
    /// use inhouse::tool::{McpClient, SamplingRequest, Tool, ToolError};
    ///
    /// let summarize = Tool::new("summarize", "Summarize the mail", async |client: McpClient| {
    ///     let request = SamplingRequest::new("Summarize: …", 200);
    ///     let answer = client.sample(&request).await?;
    ///     Ok::<_, ToolError>(answer.all_text())
    /// });
    /// # let _: Tool = summarize;
    /// ```
    ///
    /// # Errors
    /// [`McpClientError`], which `?` converts into a [`ToolError`].
    ///
    /// # Cancellation
    /// Dropping the future cancels the request. So does the end of the call.
    pub async fn sample(&self, request: &SamplingRequest) -> Result<Sampled, McpClientError> {
        let params =
            serde_json::to_value(request).expect("the request consists of strings and numbers");
        let result = self.request(ClientCapability::Sampling, params).await?;
        serde_json::from_value(result).map_err(McpClientError::InvalidAnswer)
    }

    async fn elicit_form<T: DeserializeOwned>(
        &self,
        message: String,
        schema: Value,
    ) -> Result<Elicited<T>, McpClientError> {
        let params = json!({"message": message, "requestedSchema": schema});
        let result = self.request(ClientCapability::Elicitation, params).await?;
        Elicited::decode(result).map_err(McpClientError::InvalidAnswer)
    }

    async fn request(
        &self,
        capability: ClientCapability,
        params: Value,
    ) -> Result<Value, McpClientError> {
        let link = self.link.as_ref().ok_or(McpClientError::NoClient)?;
        link.check(capability)?;
        if self.cancelled.is_cancelled() {
            return Err(McpClientError::Ended);
        }
        let response = link.request(capability, params);
        // The session ends its calls, so this is also the end of the session.
        let ended = async {
            self.cancelled.wait().await;
            // Only a task that the handler has spawned gets beyond this point: a handler is dropped
            // when its call ends, and must not run on because this future is polled first.
            tokio::task::yield_now().await;
        };
        tokio::select! {
            biased;
            () = ended => Err(McpClientError::Ended),
            response = tokio::time::timeout(self.timeout, response) => {
                response.unwrap_or(Err(McpClientError::TimedOut(self.timeout)))
            }
        }
    }
}

impl fmt::Debug for McpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpClient")
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

impl<S> Extract<S> for McpClient {
    fn extract(call: &Call<'_, S>) -> Result<Self, ToolError> {
        Ok((call.context.client)())
    }
}
