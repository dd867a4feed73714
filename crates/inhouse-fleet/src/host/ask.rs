//! Questions about calls, from the hooks of a turn to the engine.

use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use inhouse::hook::{HookOutput, Matcher, OnFailure, PreToolUse};
use inhouse::{HandlerError, Options};
use serde_json::value::to_raw_value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

use super::TurnEvents;
use crate::{Answer, Fence, Question, Work};

/// Passes the questions of one turn from its hooks to the engine. The hooks live as long as the session, the receiver as long as the attempt.
pub(super) struct QuestionChannel {
    asked: UnboundedReceiver<AskedQuestion>,
    hooks: QuestionSender,
}

/// The sending half, cloned into each hook.
#[derive(Clone)]
struct QuestionSender {
    asked: UnboundedSender<AskedQuestion>,
    /// The questions without an answer, in the order in which they were stored.
    open: Arc<Mutex<Vec<Question>>>,
    work: Arc<Work>,
    fence: Arc<Fence>,
    /// The calls of other work items that wait in the transcript. The CLI asks about them before it begins this work.
    stale: Arc<Mutex<Vec<String>>>,
}

struct AskedQuestion {
    question: Question,
    decision: oneshot::Sender<HookReply>,
}

/// The decision about a call.
enum HookReply {
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
     Make exactly this call again as soon as you know the outcome of the other one.";

/// The answer to a call of a work item that was given up: an answer to its question was given for that work item, and for no other.
const GIVEN_UP: &str =
    "This call was not made: the prompt that asked for it was cancelled or parked.";

/// The answer to a call of a subagent. If such a call is deferred, the CLI ends the subagent without it, and continues the turn (2.1.325).
const OF_SUBAGENT: &str = "This call was not made: a person has to decide about it, and can be asked only by the main agent. \
     End your task, and report that the main agent has to make this call itself.";

/// The answer to a call whose input a person has replaced by something else than an object.
const INVALID_INPUT: &str =
    "This call was not made: the input that a person gave for it is not a JSON object.";

impl QuestionChannel {
    pub(super) fn new(work: &Work, fence: &Fence) -> Self {
        let (sender, asked) = unbounded_channel();
        Self {
            asked,
            hooks: QuestionSender {
                asked: sender,
                open: Arc::default(),
                work: Arc::new(work.clone()),
                fence: Arc::new(fence.clone()),
                stale: Arc::default(),
            },
        }
    }

    /// Denies a call of another work.
    pub(super) fn deny_stale(&self, call: &str) {
        self.hooks.stale().push(call.to_owned());
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

    /// Passes questions to the engine, also while the session connects: the CLI asks about a deferred call before it accepts the session.
    ///
    /// Returns only if the engine cannot store a question. Its hook then stays without an answer, until the CLI is killed.
    pub(super) async fn serve(&mut self, events: &dyn TurnEvents) -> HandlerError {
        loop {
            // Never closed: a sender is in `self`.
            let Some(AskedQuestion { question, decision }) = self.asked.recv().await else {
                return pending().await;
            };
            let decided = if self.hooks.is_postponed(&question) {
                HookReply::Postponed
            } else {
                match events.question(&question).await {
                    Ok(Some(answer)) => HookReply::Answered(answer),
                    Ok(None) => {
                        self.hooks.note_open(question);
                        HookReply::Open
                    }
                    Err(error) => return error,
                }
            };
            // Fails if the CLI has cancelled the hook.
            let _ = decision.send(decided);
        }
    }
}

impl QuestionSender {
    async fn ask(self, call: PreToolUse) -> Result<HookOutput<PreToolUse>, HandlerError> {
        if self.stale().contains(&call.tool_use_id) {
            return Ok(HookOutput::deny(GIVEN_UP));
        }
        if call.common.agent_id.is_some() {
            return Ok(HookOutput::deny(OF_SUBAGENT));
        }
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
            Ok(HookReply::Answered(Answer::Allow)) => HookOutput::allow(),
            Ok(HookReply::Answered(answer)) if !answer.is_valid() => {
                HookOutput::deny(INVALID_INPUT)
            }
            Ok(HookReply::Answered(Answer::AllowWith(input))) => {
                HookOutput::allow().update_input(input)
            }
            Ok(HookReply::Answered(Answer::Deny(reason))) => HookOutput::deny(reason),
            Ok(HookReply::Open) => HookOutput::defer(),
            Ok(HookReply::Postponed) => HookOutput::deny(POSTPONED),
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

    fn stale(&self) -> MutexGuard<'_, Vec<String>> {
        self.stale.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self) -> MutexGuard<'_, Vec<Question>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
