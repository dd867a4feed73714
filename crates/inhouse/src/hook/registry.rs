use std::borrow::Cow;
use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use inhouse_proto::control::incoming::{Answer, HookCallback};
use inhouse_proto::control::outgoing::{HookMatcher, Initialize};
use serde::Serialize;

use super::{HookContext, Matcher, OnFailure};
use crate::callback::Callback;
use crate::driver::Answering;
use crate::error::HandlerError;
use crate::session::Session;

/// The hooks of a session, each known to the CLI by its number.
#[derive(Clone, Default)]
pub(crate) struct Hooks(Vec<Hook>);

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

type Run = dyn Fn(Occurrence) -> Answering + Send + Sync;

/// Types the input of a hook, or says why it cannot.
type Decode<E> = fn(&str) -> Result<E, String>;

impl Hooks {
    pub(crate) fn push(&mut self, hook: Hook) {
        self.0.push(hook);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether some of them are about an event.
    pub(crate) fn are_about(&self, event: &str) -> bool {
        self.0.iter().any(|hook| *hook.event == *event)
    }

    /// What is wrong with them, each with the event that it is about.
    pub(crate) fn problems(&self) -> impl Iterator<Item = (&str, &str)> {
        let hooks = self.0.iter();
        hooks.flat_map(|hook| {
            hook.problems
                .iter()
                .map(|problem| (&*hook.event, &**problem))
        })
    }

    /// Whether the session may only begin if a hook that fails holds its event up.
    pub(crate) fn must_block(&self) -> bool {
        // The CLI takes a word that it does not know for `block`.
        let goes_on = |hook: &Hook| matches!(hook.on_failure, None | Some(OnFailure::Continue));
        !self.0.iter().all(goes_on)
    }

    /// Tells the CLI what to call which hook for.
    pub(crate) fn announce(&self, initialize: Initialize) -> Initialize {
        let numbered = self.0.iter().enumerate();
        numbered.fold(initialize, |initialize, (number, hook)| {
            let mut matcher = HookMatcher::new([format!("{PREFIX}{number}")]);
            matcher.matcher.clone_from(&hook.pattern);
            matcher.timeout = hook.timeout;
            matcher.on_failure.clone_from(&hook.on_failure);
            initialize.hook(hook.event.clone(), matcher)
        })
    }

    /// Begins to answer a callback, if there is a hook of its id.
    pub(crate) fn begin(
        &self,
        callback: &HookCallback<'_>,
        session: &Session,
    ) -> Option<Answering> {
        let number = callback.callback_id.strip_prefix(PREFIX)?;
        let hook = self.0.get(number.parse::<usize>().ok()?)?;
        Some((hook.run)(Occurrence {
            input: callback.input.get().to_owned(),
            tool_use_id: callback.call_of(&hook.event).map(ToOwned::to_owned),
            session: session.clone(),
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
        let callback = Callback::new(move |(event, context)| handler(event, context));
        let name = event.clone();
        let run = move |occurrence: Occurrence| -> Answering {
            let (callback, name) = (callback.clone(), name.clone());
            Box::pin(async move {
                let answer = occurrence.put_to(&callback, decode).await;
                answer.unwrap_or_else(|problem| {
                    // What went wrong may quote what happened.
                    tracing::warn!(event = %name, "a hook failed; the CLI is told");
                    Answer::error(format!("the hook for {name} {problem}"))
                })
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
        let events = self.0.iter().map(|hook| &hook.event);
        f.debug_list().entries(events).finish()
    }
}

/// What the CLI tells a hook.
struct Occurrence {
    input: String,
    tool_use_id: Option<String>,
    session: Session,
}

impl Occurrence {
    /// Asks a hook about it. A problem reads after "the hook for …".
    async fn put_to<E: Send + 'static, O: Serialize + 'static>(
        self,
        callback: &Callback<(E, HookContext), O>,
        decode: Decode<E>,
    ) -> Result<Answer, String> {
        let payload = decode(&self.input);
        // Not passed over: a guard that cannot see what it guards has not agreed to it.
        let payload = payload.map_err(|reason| format!("cannot read its event: {reason}"))?;
        let (tool_use_id, session) = (self.tool_use_id, self.session);
        let question = |cancelled| {
            let context = HookContext::new(session, tool_use_id, cancelled);
            (payload, context)
        };
        let output = callback.ask(question, None).await;
        let output = output.map_err(|failure| failure.to_string())?;
        Answer::success(&output).map_err(|error| format!("has an invalid output: {error}"))
    }
}

const PREFIX: &str = "hook_";
