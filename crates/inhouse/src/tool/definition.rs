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

    /// It changes nothing. The CLI runs calls of such tools side by side, and all others one by
    /// one.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.definition.annotations.read_only_hint = Some(true);
        self
    }

    /// Whether what it changes may be lost.
    #[must_use]
    pub fn destructive(mut self, destructive: bool) -> Self {
        self.definition.annotations.destructive_hint = Some(destructive);
        self
    }

    /// Calling it twice is the same as calling it once.
    #[must_use]
    pub fn idempotent(mut self) -> Self {
        self.definition.annotations.idempotent_hint = Some(true);
        self
    }

    /// Whether it deals with a world that it does not control, such as the web.
    #[must_use]
    pub fn open_world(mut self, open: bool) -> Self {
        self.definition.annotations.open_world_hint = Some(open);
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

    /// How long a call may take, waiting for its turn included. One that takes longer is dropped, and
    /// Claude is told.
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
