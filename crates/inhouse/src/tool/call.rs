use std::borrow::Cow;
use std::sync::Arc;

use inhouse_proto::mcp::ToolCall;
use inhouse_proto::wire::replace_lone_surrogates;

use super::{Cancelled, Extract, McpClient, ToolError};
use crate::session::Session;

/// One call of a tool, from which [extractors](Extract) take the parameters of the handler.
///
/// See [`Extract`] for an example.
pub struct Call<'a, S> {
    pub(crate) state: &'a S,
    pub(crate) call: &'a ToolCall,
    pub(crate) context: &'a CallContext<'a>,
}

/// The client and the session of a call.
#[derive(Clone, Copy)]
pub(crate) struct CallContext<'a> {
    pub(crate) cancelled: &'a Cancelled,
    /// Lazy, because few handlers report progress.
    pub(crate) progress: &'a (dyn Fn() -> Progress + Sync),
    /// Lazy, because few handlers send messages to the client.
    pub(crate) client: &'a (dyn Fn() -> McpClient + Sync),
    pub(crate) session: &'a Session,
}

impl<'a, S> Call<'a, S> {
    /// Returns the state of the server.
    ///
    /// ```
    /// use inhouse::tool::{Call, Extract, Tool, ToolError, ToolServer};
    ///
    /// struct Language(String);
    ///
    /// impl Extract<String> for Language {
    ///     fn extract(call: &Call<'_, String>) -> Result<Self, ToolError> {
    ///         Ok(Self(call.state().clone()))
    ///     }
    /// }
    ///
    /// # inhouse_testkit::run(async {
    /// let tool = Tool::new("language", "The language", async |Language(name): Language| name);
    /// let server = ToolServer::with_state("app", "French".to_owned()).tool(tool);
    /// let result = server.call("language", serde_json::json!({})).await;
    /// assert_eq!(result.all_text(), "French");
    /// # });
    /// ```
    #[must_use]
    pub fn state(&self) -> &'a S {
        self.state
    }

    /// Returns the arguments as JSON text, not yet validated.
    ///
    /// The text is that of the CLI, but for lone surrogates (`\ud83d`), which `serde_json` rejects: each is replaced
    /// with U+FFFD.
    ///
    /// ```
    /// use inhouse::tool::{Call, Extract, Tool, ToolError, ToolServer};
    ///
    /// struct RawArguments(String);
    ///
    /// impl<S> Extract<S> for RawArguments {
    ///     fn extract(call: &Call<'_, S>) -> Result<Self, ToolError> {
    ///         Ok(Self(call.arguments().into_owned()))
    ///     }
    /// }
    ///
    /// # inhouse_testkit::run(async {
    /// let echo = Tool::new("echo", "The arguments", async |RawArguments(json): RawArguments| json);
    /// let server = ToolServer::new("app").tool(echo);
    /// let result = server.call("echo", serde_json::json!({"a": 1})).await;
    /// assert_eq!(result.all_text(), r#"{"a":1}"#);
    /// # });
    /// ```
    #[must_use]
    pub fn arguments(&self) -> Cow<'a, str> {
        replace_lone_surrogates(&self.call.arguments)
    }

    /// Returns the id of the `tool_use` block, such as `toolu_01…`; `None` without a conversation.
    ///
    /// A handler gets the id with [`CallId`].
    ///
    /// ```
    /// use inhouse::tool::{Call, Extract, Tool, ToolError, ToolServer};
    ///
    /// struct InConversation(bool);
    ///
    /// impl<S> Extract<S> for InConversation {
    ///     fn extract(call: &Call<'_, S>) -> Result<Self, ToolError> {
    ///         Ok(Self(call.tool_use_id().is_some()))
    ///     }
    /// }
    ///
    /// # inhouse_testkit::run(async {
    /// let tool = Tool::new("origin", "Whether Claude calls", async |InConversation(it): InConversation| {
    ///     it.to_string()
    /// });
    /// let server = ToolServer::new("app").tool(tool);
    /// assert_eq!(server.call("origin", serde_json::json!({})).await.all_text(), "false");
    /// # });
    /// ```
    #[must_use]
    pub fn tool_use_id(&self) -> Option<&'a str> {
        self.call.tool_use_id.as_deref()
    }
}

impl<S> Extract<S> for Session {
    fn extract(call: &Call<'_, S>) -> Result<Self, ToolError> {
        Ok(call.context.session.clone())
    }
}

/// The id of a call in the conversation, such as `toolu_01…`.
///
/// Messages, hooks and permission requests about the call have the same id. Empty if the call does
/// not come from a conversation, as in [`ToolServer::call`](super::ToolServer::call).
///
/// ```
/// use inhouse::Options;
/// use inhouse::tool::{CallId, Tool, ToolServer};
/// use inhouse_testkit::FakeCli;
/// use serde_json::json;
///
/// # inhouse_testkit::run(async {
/// let echo = Tool::new("id", "Returns its own id", async |CallId(id): CallId| id);
/// let options = Options::new().tool_server(ToolServer::new("test").tool(echo));
/// FakeCli::play_cli(options, async |cli| {
///     let result = cli.call_tool("test", "id", json!({})).await;
///     assert!(result.all_text().starts_with("toolu_"));
/// })
/// .await;
/// # });
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallId(
    /// The id, or an empty string.
    pub String,
);

impl<S> Extract<S> for CallId {
    fn extract(call: &Call<'_, S>) -> Result<Self, ToolError> {
        Ok(Self(call.tool_use_id().unwrap_or_default().to_owned()))
    }
}

/// Reports the progress of a call to the client.
///
/// CLI 2.1.325 accepts the reports and shows nothing of them, and they do not extend a timeout. Other
/// MCP clients may show them. Reports are dropped if the client did not request progress, or after
/// the call has ended.
///
/// ```
/// use inhouse::tool::{Progress, Tool, ToolServer};
/// use serde_json::json;
///
/// # inhouse_testkit::run(async {
/// let import = Tool::new("import", "Import all rows", async |progress: Progress| {
///     for row in 1..=3 {
///         progress.report(f64::from(row), 3.0);
///     }
///     progress.report_with_message(3.0, 3.0, "building the index");
///     "imported"
/// });
/// let server = ToolServer::new("data").tool(import);
/// assert_eq!(server.call("import", json!({})).await.all_text(), "imported");
/// # });
/// ```
#[derive(Clone)]
pub struct Progress {
    report: Option<Arc<ReportProgress>>,
}

type ReportProgress = dyn Fn(f64, Option<f64>, Option<String>) + Send + Sync;

impl Progress {
    pub(crate) fn new(report: Option<Arc<ReportProgress>>) -> Self {
        Self { report }
    }

    /// Reports the amount of work done so far, and the total amount if it is known.
    ///
    /// MCP requires that `done` increases with each report. Does not wait for the client.
    ///
    /// ```
    /// use inhouse::tool::{Progress, Tool, ToolServer};
    ///
    /// # inhouse_testkit::run(async {
    /// let import = Tool::new("import", "Import all rows", async |progress: Progress| {
    ///     progress.report(50.0, 200.0);
    ///     "imported"
    /// });
    /// let server = ToolServer::new("data").tool(import);
    /// let (sender, mut reports) = tokio::sync::mpsc::unbounded_channel();
    /// let router = server.router().on_message(move |message| drop(sender.send(message)));
    /// let params = r#"{"name":"import","_meta":{"progressToken":7}}"#;
    /// let call = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
    /// router.handle(&call).await.expect("requests have a response");
    /// let report = reports.recv().await.expect("a report");
    /// assert!(report.contains(r#""progress":50"#));
    /// # });
    /// ```
    pub fn report(&self, done: f64, total: impl Into<Option<f64>>) {
        if let Some(report) = &self.report {
            report(done, total.into(), None);
        }
    }

    /// Reports progress like [`report`](Self::report), with a message for people.
    ///
    /// ```
    /// use inhouse::tool::{Progress, Tool, ToolServer};
    ///
    /// # inhouse_testkit::run(async {
    /// let import = Tool::new("import", "Import all rows", async |progress: Progress| {
    ///     progress.report_with_message(50.0, None, "row 50");
    ///     "imported"
    /// });
    /// let server = ToolServer::new("data").tool(import);
    /// let (sender, mut reports) = tokio::sync::mpsc::unbounded_channel();
    /// let router = server.router().on_message(move |message| drop(sender.send(message)));
    /// let params = r#"{"name":"import","_meta":{"progressToken":7}}"#;
    /// let call = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
    /// router.handle(&call).await.expect("requests have a response");
    /// let report = reports.recv().await.expect("a report");
    /// assert!(report.contains("row 50"));
    /// # });
    /// ```
    pub fn report_with_message(
        &self,
        done: f64,
        total: impl Into<Option<f64>>,
        message: impl Into<String>,
    ) {
        if let Some(report) = &self.report {
            report(done, total.into(), Some(message.into()));
        }
    }
}

impl std::fmt::Debug for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let requested = self.report.is_some();
        f.debug_struct("Progress")
            .field("requested", &requested)
            .finish()
    }
}

impl<S> Extract<S> for Progress {
    fn extract(call: &Call<'_, S>) -> Result<Self, ToolError> {
        Ok((call.context.progress)())
    }
}
