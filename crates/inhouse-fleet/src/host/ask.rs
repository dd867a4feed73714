use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use inhouse::hook::{HookOutput, Matcher, OnFailure, PreToolUse};
use inhouse::{HandlerError, Options};
use serde_json::value::to_raw_value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

use super::TurnEvents;
use crate::{Answer, Fence, Question, Work};

/// The questions of one turn: from the hooks, which belong to the session, to the engine, which belongs to the attempt.
pub(super) struct Asking {
    asked: UnboundedReceiver<AskedQuestion>,
    hooks: AskingHooks,
}

/// The end that hooks have.
#[derive(Clone)]
struct AskingHooks {
    asked: UnboundedSender<AskedQuestion>,
    /// The questions without an answer, in the order in which they were stored.
    open: Arc<Mutex<Vec<Question>>>,
    work: Arc<Work>,
    fence: Arc<Fence>,
}

struct AskedQuestion {
    question: Question,
    decision: oneshot::Sender<Decision>,
}

/// The decision about a call.
enum Decision {
    Answered(Answer),
    /// The question is stored, and has no answer.
    Open,
    /// Another call of the turn waits for its answer.
    Postponed,
}

/// The answer to a call that was made in parallel with one that waits.
///
/// If two calls are deferred, the CLI makes only the last of them after the resume, and removes the other one from the conversation (2.1.325).
const POSTPONED: &str = "This call was not made: another call of yours waits for the decision of a person, and only one can wait at a time. \
     Make exactly this call again as soon as you know what became of the other one.";

impl Asking {
    pub(super) fn new(work: &Work, fence: &Fence) -> Self {
        let (sender, asked) = unbounded_channel();
        Self {
            asked,
            hooks: AskingHooks {
                asked: sender,
                open: Arc::default(),
                work: Arc::new(work.clone()),
                fence: Arc::new(fence.clone()),
            },
        }
    }

    /// Adds a hook for each matcher.
    pub(super) fn add_hooks(&self, mut options: Options, calls: &[Matcher<PreToolUse>]) -> Options {
        for matcher in calls {
            let hooks = self.hooks.clone();
            // A call whose hook fails must not be made.
            let matcher = matcher.clone().on_failure(OnFailure::Block);
            options = options.hook(matcher, async move |call: PreToolUse, _| {
                hooks.ask(call).await
            });
        }
        options
    }

    /// Returns the questions that were stored in this turn and have no answer.
    pub(super) fn open(&self) -> Vec<Question> {
        self.hooks.open().clone()
    }

    /// Passes questions to the engine, also while the session connects: a deferred call is asked about before that is complete.
    ///
    /// Returns only if the engine cannot store a question. Its hook then stays without an answer, until the CLI is killed.
    pub(super) async fn serve(&mut self, events: &dyn TurnEvents) -> HandlerError {
        loop {
            // Never closed: a sender is in `self`.
            let Some(AskedQuestion { question, decision }) = self.asked.recv().await else {
                return pending().await;
            };
            let decided = if self.hooks.is_postponed(&question) {
                Decision::Postponed
            } else {
                match events.question(&question).await {
                    Ok(Some(answer)) => Decision::Answered(answer),
                    Ok(None) => {
                        self.hooks.note_open(question);
                        Decision::Open
                    }
                    Err(error) => return error,
                }
            };
            // Fails if the CLI has cancelled the hook.
            let _ = decision.send(decided);
        }
    }
}

impl AskingHooks {
    async fn ask(self, call: PreToolUse) -> Result<HookOutput<PreToolUse>, HandlerError> {
        let input = to_raw_value(&call.tool_input)?;
        let (id, tool) = (call.tool_use_id, call.tool_name);
        let fence = (*self.fence).clone();
        let question = Question::new(&self.work, id, tool, input, fence);
        let (decision, decided) = oneshot::channel();
        let asked = AskedQuestion { question, decision };
        if self.asked.send(asked).is_err() {
            // The attempt has ended, and the CLI is about to be killed.
            return pending().await;
        }
        Ok(match decided.await {
            Ok(Decision::Answered(Answer::Allow)) => HookOutput::allow(),
            Ok(Decision::Answered(Answer::AllowWith(input))) => {
                HookOutput::allow().update_input(input)
            }
            Ok(Decision::Answered(Answer::Deny(reason))) => HookOutput::deny(reason),
            Ok(Decision::Open) => HookOutput::defer(),
            Ok(Decision::Postponed) => HookOutput::deny(POSTPONED),
            Err(_) => return pending().await,
        })
    }

    /// Returns whether another call of the turn waits for its answer.
    fn is_postponed(&self, question: &Question) -> bool {
        self.open().iter().any(|other| other.id != question.id)
    }

    fn note_open(&self, question: Question) {
        let mut open = self.open();
        // Several matchers may have asked about the same call.
        if open.iter().all(|other| other.id != question.id) {
            open.push(question);
        }
    }

    fn open(&self) -> MutexGuard<'_, Vec<Question>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
