use std::borrow::Cow;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use inhouse_proto::control::incoming::{Answer, HookCallback};
use inhouse_proto::control::outgoing::{HookMatcher, Initialize};
use serde::Serialize;

use super::{HookContext, Matcher, OnFailure};
use crate::error::HandlerError;
use crate::session::Session;
use crate::user_code::{Callback, Failure};

/// The hooks of a session. The CLI calls a hook by `hook_` and its index in this list.
#[derive(Clone, Default)]
pub(crate) struct Hooks(Vec<Hook>);

const CALLBACK_PREFIX: &str = "hook_";

/// A hook without the types of its event and its output.
#[derive(Clone)]
pub(crate) struct Hook {
    event: Cow<'static, str>,
    pattern: Option<String>,
    timeout: Option<Duration>,
    on_failure: Option<OnFailure>,
    problems: Vec<String>,
    run: Arc<Run>,
}

type Run = dyn Fn(&HookCallback, &Session) -> Running + Send + Sync;
type Running = Pin<Box<dyn Future<Output = Result<Answer, HookFailure>> + Send>>;

/// Decodes the input of a hook into its event.
type Decode<E> = fn(&str) -> Result<E, String>;

/// Why a hook has no output for the CLI.
enum HookFailure {
    /// The input does not have the shape of the event.
    Undecodable(String),
    /// The handler failed, or panicked.
    Handler(Failure),
    /// The output has no valid JSON form.
    InvalidOutput(serde_json::Error),
}

impl Hooks {
    pub(crate) fn push(&mut self, hook: Hook) {
        self.0.push(hook);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether there is a hook for an event.
    pub(crate) fn contain_event(&self, event: &str) -> bool {
        self.0.iter().any(|hook| hook.event == event)
    }

    /// Returns the configuration errors of all hooks, each with the event of its hook.
    pub(crate) fn problems(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().flat_map(|hook| {
            let problems = hook.problems.iter();
            problems.map(|problem| (&*hook.event, &**problem))
        })
    }

    /// Returns whether the CLI has to support `onFailure`, so that a hook that fails blocks.
    pub(crate) fn require_on_failure(&self) -> bool {
        // The CLI treats a value that it does not know like `block`, so unknown ones count, too.
        self.0
            .iter()
            .any(|hook| !matches!(hook.on_failure, None | Some(OnFailure::Continue)))
    }

    /// Adds the hooks to an `initialize` request.
    pub(crate) fn register(&self, mut initialize: Initialize) -> Initialize {
        for (index, hook) in self.0.iter().enumerate() {
            let mut matcher = HookMatcher::new([format!("{CALLBACK_PREFIX}{index}")]);
            matcher.matcher.clone_from(&hook.pattern);
            matcher.timeout = hook.timeout;
            matcher.on_failure.clone_from(&hook.on_failure);
            initialize = initialize.hook(hook.event.clone(), matcher);
        }
        initialize
    }

    /// Answers `hook_callback`; `None` if no hook has its id.
    ///
    /// A failure is an error reply: what follows from it is up to the CLI and `on_failure`.
    pub(crate) async fn answer(
        &self,
        callback: &HookCallback,
        session: &Session,
    ) -> Option<Answer> {
        let index = callback.callback_id.strip_prefix(CALLBACK_PREFIX)?;
        let hook = self.0.get(index.parse::<usize>().ok()?)?;
        let answer = (hook.run)(callback, session).await;
        Some(answer.unwrap_or_else(|failure| {
            // The reason may quote the event: it goes to the CLI, but not into the log.
            tracing::warn!(event = %hook.event, "hook failed");
            Answer::error(failure.describe(&hook.event))
        }))
    }
}

impl Hook {
    pub(crate) fn new<E, O, H, F>(
        event: Cow<'static, str>,
        matcher: Matcher<E>,
        decode: Decode<E>,
        handler: H,
    ) -> Self
    where
        E: Send + 'static,
        O: Serialize + 'static,
        H: FnOnce(E, HookContext) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<O, HandlerError>> + Send + 'static,
    {
        let handler = Callback::new(move |(event, context)| handler(event, context));
        let name = event.clone();
        let run = move |callback: &HookCallback, session: &Session| -> Running {
            let handler = handler.clone();
            let tool_use_id = callback.call_of(&name).map(ToOwned::to_owned);
            let decoded = decode(&callback.input);
            let (session, raw) = (session.clone(), callback.input.clone());
            Box::pin(async move {
                // Never decoded leniently: a guard must not miss a part of what it guards.
                let event = decoded.map_err(HookFailure::Undecodable)?;
                let input = |cancelled| {
                    (
                        event,
                        HookContext::new(session, tool_use_id, raw, cancelled),
                    )
                };
                let output = handler.call(input, None).await;
                Answer::success(&output.map_err(HookFailure::Handler)?)
                    .map_err(HookFailure::InvalidOutput)
            })
        };
        let mut problems = matcher.problems;
        if event.is_empty() {
            problems.push("an event without a name".to_owned());
        }
        Self {
            event,
            pattern: matcher.pattern,
            timeout: matcher.timeout,
            on_failure: matcher.on_failure,
            problems,
            run: Arc::new(run),
        }
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.0.iter().map(|hook| &hook.event))
            .finish()
    }
}

impl HookFailure {
    fn describe(&self, event: &str) -> String {
        match self {
            Self::Undecodable(reason) => {
                format!("the hook for {event} cannot read its event: {reason}")
            }
            Self::Handler(failure) => failure.describe(format_args!("the hook for {event}")),
            Self::InvalidOutput(error) => {
                format!("the hook for {event} has an invalid output: {error}")
            }
        }
    }
}
