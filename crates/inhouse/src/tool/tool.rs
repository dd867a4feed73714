use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use inhouse_proto::mcp::ToolDefinition;
use serde_json::Value;

use super::handler::{AnyHandler, Erased};
use super::interrupted::{self, AnyInterruptedHandler};
use super::{Handler, InterruptedHandler, schema};

const SEVERAL_INPUTS: &str = "its handler takes `Input` more than once, and only the first is listed; \
                              use one `Input` with a struct";

/// A tool: the definition that Claude reads, and the function that runs when Claude calls it.
///
/// Add it to a [`ToolServer`](super::ToolServer). `S` is the state of that server.
pub struct Tool<S = ()> {
    pub(crate) definition: ToolDefinition,
    pub(crate) handler: Arc<dyn AnyHandler<S>>,
    pub(crate) on_interrupted: Option<Arc<dyn AnyInterruptedHandler<S>>>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) concurrency: Option<usize>,
    pub(crate) problem: Option<String>,
}

impl<S> Tool<S> {
    /// Creates a tool from an async function or closure.
    ///
    /// Claude calls the tool by its name and decides by the description when to call it. The schemas
    /// of the arguments and of the result are inferred from the types of the handler: its parameters
    /// are [extractors](super::Extract), its result implements [`IntoToolResult`](super::IntoToolResult).
    ///
    /// ```
    /// use inhouse::tool::{Input, Tool, ToolServer};
    /// use schemars::JsonSchema;
    /// use serde::Deserialize;
    /// use serde_json::json;
    ///
    /// #[derive(Deserialize, JsonSchema)]
    /// struct Add {
    ///     a: f64,
    ///     b: f64,
    /// }
    ///
    /// # inhouse_testkit::run(async {
    /// let add = Tool::new("add", "Add two numbers", async |Input(Add { a, b }): Input<Add>| a + b);
    /// let calc = ToolServer::new("calc").tool(add);
    /// assert_eq!(calc.call("add", json!({"a": 40, "b": 2})).await.all_text(), "42");
    /// # });
    /// ```
    pub fn new<H, Args>(name: impl Into<String>, description: impl Into<String>, handler: H) -> Self
    where
        H: Handler<Args, S>,
        Args: 'static,
        S: 'static,
    {
        let mut inputs = 0;
        let input = schema::input(|generator| {
            let schemas = H::input_schemas(generator);
            inputs = schemas.len();
            schemas.into_iter().next()
        });
        let mut definition = ToolDefinition::new(name, input);
        definition.description = Some(description.into());
        definition.output_schema = schema::output(H::output_schema);
        Self {
            definition,
            handler: Arc::new(Erased::<H, Args>::new(handler)),
            on_interrupted: None,
            timeout: None,
            concurrency: None,
            problem: (inputs > 1).then(|| SEVERAL_INPUTS.to_owned()),
        }
    }

    /// Returns the definition as it is listed to the CLI: name, description, schemas and hints.
    ///
    /// ```
    /// use inhouse::tool::Tool;
    ///
    /// let now: Tool = Tool::new("now", "The current time", async || "noon");
    /// assert_eq!(now.definition().name, "now");
    /// assert_eq!(now.definition().input_schema["type"], "object");
    /// ```
    #[must_use]
    pub fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    /// Sets a display name for user interfaces. By default there is none.
    ///
    /// ```
    /// use inhouse::tool::Tool;
    ///
    /// let search: Tool = Tool::new("search", "Search mail", async || "nothing").title("Mail search");
    /// assert_eq!(search.definition().title.as_deref(), Some("Mail search"));
    /// ```
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.definition.title = Some(title.into());
        self
    }

    /// Sets whether the tool only reads, that is, changes nothing (`readOnlyHint`).
    ///
    /// The CLI runs calls of read-only tools in parallel and all other calls one at a time. Each of
    /// the four hints is left out of the listing unless it is set; clients then assume the default
    /// of MCP, which for this one is `false`.
    ///
    /// ```
    /// use inhouse::tool::Tool;
    ///
    /// let send: Tool = Tool::new("send", "Send a mail", async || "sent")
    ///     .read_only(false)
    ///     .destructive(false);
    /// let hints = &send.definition().annotations;
    /// assert_eq!(hints.read_only_hint, Some(false));
    /// assert_eq!(hints.destructive_hint, Some(false));
    /// assert_eq!(hints.idempotent_hint, None);
    /// ```
    #[must_use]
    pub fn read_only(mut self, read_only: bool) -> Self {
        self.definition.annotations.read_only_hint = Some(read_only);
        self
    }

    /// Sets whether the tool may delete or overwrite data (`destructiveHint`; MCP's default is
    /// `true`).
    ///
    /// ```
    /// use inhouse::tool::Tool;
    ///
    /// let delete: Tool = Tool::new("delete", "Delete a mail", async || "deleted").destructive(true);
    /// assert_eq!(delete.definition().annotations.destructive_hint, Some(true));
    /// ```
    #[must_use]
    pub fn destructive(mut self, destructive: bool) -> Self {
        self.definition.annotations.destructive_hint = Some(destructive);
        self
    }

    /// Sets whether a repeated call with the same arguments has no further effect
    /// (`idempotentHint`; MCP's default is `false`).
    ///
    /// ```
    /// use inhouse::tool::Tool;
    ///
    /// let archive: Tool = Tool::new("archive", "Archive a mail", async || "done").idempotent(true);
    /// assert_eq!(archive.definition().annotations.idempotent_hint, Some(true));
    /// ```
    #[must_use]
    pub fn idempotent(mut self, idempotent: bool) -> Self {
        self.definition.annotations.idempotent_hint = Some(idempotent);
        self
    }

    /// Sets whether the tool talks to systems outside of the host's control, such as the web
    /// (`openWorldHint`; MCP's default is `true`).
    ///
    /// ```
    /// use inhouse::tool::Tool;
    ///
    /// let add: Tool = Tool::new("roll", "Roll a die", async || 4).open_world(false);
    /// assert_eq!(add.definition().annotations.open_world_hint, Some(false));
    /// ```
    #[must_use]
    pub fn open_world(mut self, open_world: bool) -> Self {
        self.definition.annotations.open_world_hint = Some(open_world);
        self
    }

    /// Includes the tool in every request to the model.
    ///
    /// By default Claude sees only the name of the tool and has to search for it before the first
    /// call.
    ///
    /// ```
    /// use inhouse::tool::Tool;
    ///
    /// let now: Tool = Tool::new("now", "The current time", async || "noon").always_load();
    /// assert_eq!(now.definition().meta["anthropic/alwaysLoad"], true);
    /// ```
    #[must_use]
    pub fn always_load(self) -> Self {
        self.meta("anthropic/alwaysLoad", Value::Bool(true))
    }

    /// Sets words by which Claude's tool search finds the tool, beside its name and description.
    ///
    /// ```
    /// use inhouse::tool::Tool;
    ///
    /// let now: Tool = Tool::new("now", "The current time", async || "noon").search_hint("clock date");
    /// assert_eq!(now.definition().meta["anthropic/searchHint"], "clock date");
    /// ```
    #[must_use]
    pub fn search_hint(self, hint: impl Into<String>) -> Self {
        self.meta("anthropic/searchHint", Value::String(hint.into()))
    }

    /// Sets how many characters of a result Claude reads inline. Of a longer result Claude reads the
    /// beginning and the path of a file with all of it.
    ///
    /// By default the CLI's own limit applies; of a result beyond it Claude gets only the file
    /// (2.1.325).
    ///
    /// ```
    /// use inhouse::tool::Tool;
    ///
    /// let log: Tool = Tool::new("log", "Read the log", async || "empty").max_result_size(200_000);
    /// assert_eq!(log.definition().meta["anthropic/maxResultSizeChars"], 200_000);
    /// ```
    #[must_use]
    pub fn max_result_size(self, characters: u64) -> Self {
        self.meta("anthropic/maxResultSizeChars", characters.into())
    }

    /// Sets a member of the definition's `_meta`, replacing one of the same name.
    ///
    /// ```
    /// use inhouse::tool::Tool;
    /// use serde_json::json;
    ///
    /// let now: Tool = Tool::new("now", "The current time", async || "noon")
    ///     .meta("example.com/unit", json!("UTC"));
    /// assert_eq!(now.definition().meta["example.com/unit"], "UTC");
    /// ```
    #[must_use]
    pub fn meta(mut self, name: impl Into<String>, value: Value) -> Self {
        self.definition.meta.insert(name.into(), value);
        self
    }

    /// Limits how long a call may take, waiting for a free slot included. A call that takes longer
    /// is dropped, and Claude reads that it timed out.
    ///
    /// By default the timeout of the server applies, and without one there is no limit. The CLI knows
    /// one limit for the whole server, see [`ToolServer::timeout`](super::ToolServer::timeout).
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use inhouse::tool::{Tool, ToolServer};
    /// use serde_json::json;
    ///
    /// # inhouse_testkit::run(async {
    /// let slow = Tool::new("slow", "Never returns", async || std::future::pending::<()>().await)
    ///     .timeout(Duration::from_secs(5));
    /// let result = ToolServer::new("test").tool(slow).call("slow", json!({})).await;
    /// assert!(result.is_error);
    /// assert!(result.all_text().contains("5s"));
    /// # });
    /// ```
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Limits how many calls run at once, in all sessions together; further calls wait.
    ///
    /// By default there is no limit. Zero counts as one.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    ///
    /// use inhouse::tool::{Tool, ToolServer};
    /// use serde_json::json;
    ///
    /// static RUNNING: AtomicUsize = AtomicUsize::new(0);
    ///
    /// # inhouse_testkit::run(async {
    /// let alone = Tool::new("alone", "Counts its running calls", async || {
    ///     let running = RUNNING.fetch_add(1, Ordering::SeqCst) + 1;
    ///     tokio::task::yield_now().await;
    ///     RUNNING.fetch_sub(1, Ordering::SeqCst);
    ///     running
    /// });
    /// let server = ToolServer::new("test").tool(alone.concurrency(1));
    /// let (first, second) =
    ///     tokio::join!(server.call("alone", json!({})), server.call("alone", json!({})));
    /// assert_eq!(first.all_text(), "1");
    /// assert_eq!(second.all_text(), "1");
    /// # });
    /// ```
    #[must_use]
    pub fn concurrency(mut self, calls: usize) -> Self {
        self.concurrency = Some(calls);
        self
    }

    /// Sets a handler that determines the outcome of a call whose host died while it ran.
    ///
    /// A [store](crate::Options::store) with a journal records every call of a tool that is not
    /// [read-only](Self::read_only): before the tool runs, and before its result is sent. When a session is resumed, each call
    /// without a recorded result is passed to this handler before the CLI starts, and Claude reads the returned [`Repair`](super::Repair) as
    /// the result of the call. Without a handler, or if it fails, Claude reads that the outcome is unknown.
    ///
    /// The id of the call is the same in both handlers, so it can be the key by which an external system recognizes a repeated
    /// request. The handler runs within the [timeout](Self::timeout) of the tool, or 20 s without one, and within
    /// [`Options::load_timeout`](crate::Options::load_timeout).
    ///
    /// ```
    /// use std::collections::HashMap;
    /// use std::sync::{Arc, Mutex};
    ///
    /// use inhouse::tool;
    /// use inhouse::tool::{CallId, Interrupted, Repair, State, ToolServer};
    /// use serde_json::json;
    ///
    /// #[derive(Clone, Default)]
    /// struct Db(Arc<Mutex<HashMap<String, String>>>);
    ///
    /// impl Db {
    ///     async fn charge_by_key(&self, key: &str) -> std::io::Result<Option<String>> {
    ///         Ok(self.0.lock().unwrap().get(key).cloned())
    ///     }
    /// }
    ///
    /// /// Charge the card.
    /// #[tool]
    /// async fn charge(
    ///     State(db): State<Db>,
    ///     CallId(id): CallId,
    ///     /** The amount */ dollars: u32,
    /// ) -> String {
    ///     let charge = format!("charged {dollars} dollars");
    ///     db.0.lock().unwrap().insert(id, charge.clone());
    ///     charge
    /// }
    ///
    /// # inhouse_testkit::run(async {
    /// let charge = charge::tool().on_interrupted(async |State(db): State<Db>, call: Interrupted| {
    ///     Ok(match db.charge_by_key(&call.id).await? {
    ///         Some(charge) => Repair::result(charge),
    ///         None => Repair::unknown(),
    ///     })
    /// });
    /// let bank = ToolServer::with_state("bank", Db::default()).tool(charge);
    /// let charged = bank.call("charge", json!({"dollars": 5})).await;
    /// assert_eq!(charged.all_text(), "charged 5 dollars");
    /// # });
    /// ```
    #[must_use]
    pub fn on_interrupted<H, Args>(mut self, handler: H) -> Self
    where
        H: InterruptedHandler<Args, S>,
        Args: 'static,
        S: 'static,
    {
        let handler = interrupted::Erased::<H, Args>::new(handler);
        self.on_interrupted = Some(Arc::new(handler));
        self
    }
}

impl<S> Tool<S> {
    /// Returns what makes the definition invalid for the CLI or the model.
    pub(super) fn problems(&self) -> Vec<String> {
        let name = &self.definition.name;
        let mut problems = Vec::new();
        if name.is_empty() {
            problems.push("a tool has an empty name".to_owned());
        }
        if let Some(problem) = &self.problem {
            problems.push(format!("the tool `{name}`: {problem}"));
        }
        let kind = self.definition.input_schema.get("type");
        if kind.and_then(Value::as_str) != Some("object") {
            problems.push(format!(
                "the arguments of the tool `{name}` are not an object; use a struct"
            ));
        }
        problems
    }
}

impl<S> Clone for Tool<S> {
    fn clone(&self) -> Self {
        Self {
            definition: self.definition.clone(),
            handler: Arc::clone(&self.handler),
            on_interrupted: self.on_interrupted.clone(),
            timeout: self.timeout,
            concurrency: self.concurrency,
            problem: self.problem.clone(),
        }
    }
}

impl<S> fmt::Debug for Tool<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool")
            .field("name", &self.definition.name)
            .finish_non_exhaustive()
    }
}
