use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use inhouse_proto::mcp::ToolDefinition;
use serde_json::Value;

use super::handler::{AnyHandler, Erased};
use super::{Handler, schema};

const TWO_INPUTS: &str = "its handler takes the arguments of the model more than once, and Claude \
                          would be told only of the first; use one `Input` with a struct";

/// A tool: what Claude sees of it, and the function that runs when Claude calls it.
pub struct Tool<S = ()> {
    pub(crate) definition: ToolDefinition,
    pub(crate) handler: Arc<dyn AnyHandler<S>>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) concurrency: Option<usize>,
    pub(crate) problem: Option<String>,
}

impl<S> Tool<S> {
    /// A tool from an async function or closure.
    ///
    /// The name is what Claude calls; the description tells it when to. The arguments and the
    /// result are described by the function's types.
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
            timeout: None,
            concurrency: None,
            problem: (inputs > 1).then(|| TWO_INPUTS.to_owned()),
        }
    }

    /// What Claude sees of it.
    #[must_use]
    pub fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    /// A name for people.
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
    #[must_use]
    pub fn destructive(mut self, destructive: bool) -> Self {
        self.definition.annotations.destructive_hint = Some(destructive);
        self
    }

    /// Sets whether a repeated call with the same arguments has no further effect
    /// (`idempotentHint`; MCP's default is `false`).
    #[must_use]
    pub fn idempotent(mut self, idempotent: bool) -> Self {
        self.definition.annotations.idempotent_hint = Some(idempotent);
        self
    }

    /// Sets whether the tool talks to systems outside of the host's control, such as the web
    /// (`openWorldHint`; MCP's default is `true`).
    #[must_use]
    pub fn open_world(mut self, open_world: bool) -> Self {
        self.definition.annotations.open_world_hint = Some(open_world);
        self
    }

    /// Puts it before Claude from the start; otherwise Claude has to search for it first.
    #[must_use]
    pub fn always_load(self) -> Self {
        self.meta("anthropic/alwaysLoad", Value::Bool(true))
    }

    /// Words by which Claude's search for tools finds it.
    #[must_use]
    pub fn search_hint(self, hint: impl Into<String>) -> Self {
        self.meta("anthropic/searchHint", Value::String(hint.into()))
    }

    /// How many characters of a result Claude reads in place. Of a longer one it gets the beginning,
    /// and a file with the whole.
    ///
    /// Without it the CLI's own limit counts, beyond which Claude gets only the file (2.1.325).
    #[must_use]
    pub fn max_result_size(self, characters: u64) -> Self {
        self.meta("anthropic/maxResultSizeChars", characters.into())
    }

    /// Anything else that the CLI should know of it.
    #[must_use]
    pub fn meta(mut self, name: impl Into<String>, value: Value) -> Self {
        self.definition.meta.insert(name.into(), value);
        self
    }

    /// Limits how long a call may take, waiting for a free slot included. A call that takes longer
    /// is dropped, and Claude reads that it timed out.
    ///
    /// The CLI knows one limit for the whole server, see [`ToolServer::timeout`](super::ToolServer::timeout).
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// How many calls may run at once; more wait for their turn.
    #[must_use]
    pub fn concurrency(mut self, calls: usize) -> Self {
        self.concurrency = Some(calls);
        self
    }
}

impl<S> Tool<S> {
    /// What the CLI, or the model, could not make sense of.
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
