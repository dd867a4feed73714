//! The answers of the model and the recorded requests.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::sync::{Notify, oneshot};

use super::{Answer, ApiError, ModelRequest, RequestKind, WaitTimeout, default_answers};

pub(crate) type Predicate = Arc<dyn Fn(&ModelRequest) -> bool + Send + Sync>;
pub(crate) type Otherwise = Arc<dyn Fn(&ModelRequest) -> Answer + Send + Sync>;

/// The state shared by the test and the server.
///
/// The lock is held briefly, and never while closures of the test run.
#[derive(Default)]
pub(crate) struct Script {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) queue: VecDeque<Answer>,
    pub(crate) otherwise: Option<Otherwise>,
    rules: Vec<Rule>,
    rules_made: usize,
    pub(crate) requests: Vec<ModelRequest>,
    unexpected: Vec<usize>,
    /// Indices of requests whose client disconnected in the middle of the answer.
    abandoned: Vec<usize>,
    stalls: Vec<oneshot::Sender<()>>,
    requests_taken: usize,
    abandoned_taken: usize,
}

struct Rule {
    id: usize,
    accepts: Predicate,
    answer: Answer,
    once: bool,
}

/// The answer to one request, and what its player needs.
pub(crate) struct Chosen {
    /// The answer; all its tool calls have ids.
    pub(crate) answer: Answer,
    /// The id of the message, if the answer is one.
    pub(crate) message_id: String,
    /// The position of the request in the record.
    pub(super) index: usize,
    /// Resolves when the test releases stalled answers.
    pub(crate) released: oneshot::Receiver<()>,
}

enum Choice {
    Ready(Answer),
    Compute(Otherwise),
    Exhausted,
}

impl Script {
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add_rule(&self, accepts: Predicate, answer: Answer, once: bool) {
        let mut state = self.lock();
        let id = state.rules_made;
        state.rules_made += 1;
        state.rules.push(Rule {
            id,
            accepts,
            answer,
            once,
        });
    }

    /// Records a request that is not answered from the script.
    pub(super) fn record(&self, request: ModelRequest) {
        let mut state = self.lock();
        if request.kind == RequestKind::Unknown {
            let index = state.requests.len();
            state.unexpected.push(index);
        }
        state.requests.push(request);
        drop(state);
        self.changed.notify_waiters();
    }

    /// Records a request for a message and chooses its answer under one lock.
    pub(crate) fn choose(&self, request: ModelRequest) -> Chosen {
        let accepted_by = self.accepting_rules(&request);
        let (release, released) = oneshot::channel();
        let mut state = self.lock();
        let index = state.requests.len();
        let choice = state.choice(&request, &accepted_by);
        if matches!(choice, Choice::Exhausted) {
            state.unexpected.push(index);
        }
        state.stalls.retain(|stall| !stall.is_closed());
        state.stalls.push(release);
        state.requests.push(request.clone());
        drop(state);
        self.changed.notify_waiters();

        let answer = match choice {
            Choice::Ready(answer) => answer,
            Choice::Compute(otherwise) => otherwise(&request),
            Choice::Exhausted => exhausted().into(),
        };
        let message_id = format!("msg_scripted_{index}");
        let answer = match answer {
            Answer::Turn(turn) => Answer::Turn(turn.with_call_ids(&message_id)),
            error @ Answer::Error(_) => error,
        };
        Chosen {
            answer,
            message_id,
            index,
            released,
        }
    }

    pub(super) fn client_disconnected(&self, index: usize) {
        self.lock().abandoned.push(index);
        self.changed.notify_waiters();
    }

    pub(super) fn release(&self) {
        for stall in std::mem::take(&mut self.lock().stalls) {
            // The receiver is gone if the answer is complete.
            let _ = stall.send(());
        }
    }

    /// Waits until `take` finds something in the state.
    pub(super) async fn wait<T>(
        &self,
        awaited: &'static str,
        within: Duration,
        take: impl Fn(&mut State) -> Option<T>,
    ) -> Result<T, WaitTimeout> {
        let found = tokio::time::timeout(within, async {
            loop {
                // Created before the check, so that no later change is missed.
                let changed = self.changed.notified();
                if let Some(found) = take(&mut self.lock()) {
                    return found;
                }
                changed.await;
            }
        });
        found
            .await
            .map_err(|_| WaitTimeout::new(awaited, within, &self.lock().requests))
    }

    fn accepting_rules(&self, request: &ModelRequest) -> Vec<usize> {
        let rules: Vec<_> = self
            .lock()
            .rules
            .iter()
            .map(|rule| (rule.id, Arc::clone(&rule.accepts)))
            .collect();
        rules
            .into_iter()
            .filter(|(_, accepts)| accepts(request))
            .map(|(id, _)| id)
            .collect()
    }
}

impl State {
    pub(crate) fn remaining(&self) -> usize {
        self.queue.len() + self.rules.iter().filter(|rule| rule.once).count()
    }

    /// Describes the requests without an answer and the answers without a request.
    pub(crate) fn problems(&self) -> Vec<String> {
        let unexpected = self.unexpected.iter().map(|&index| {
            format!(
                "the script of the model has no answer to this request:\n    {}",
                self.requests[index].summary()
            )
        });
        let mut problems: Vec<String> = unexpected.collect();
        let left = self.left_over();
        if !left.is_empty() {
            let left = left.join("\n    ");
            problems.push(format!(
                "these answers of the model were not used:\n    {left}"
            ));
        }
        problems
    }

    /// Describes each unused answer.
    fn left_over(&self) -> Vec<String> {
        let rules = self.rules.iter().filter(|rule| rule.once);
        let rules = rules.map(|rule| format!("{} (of a rule)", rule.answer));
        self.queue
            .iter()
            .map(Answer::to_string)
            .chain(rules)
            .collect()
    }

    pub(super) fn unexpected(&self) -> Vec<ModelRequest> {
        self.unexpected
            .iter()
            .map(|&index| self.requests[index].clone())
            .collect()
    }

    pub(super) fn take_request(&mut self) -> Option<ModelRequest> {
        let mut conversation = self
            .requests
            .iter()
            .filter(|request| request.kind == RequestKind::Conversation);
        let next = conversation.nth(self.requests_taken).cloned()?;
        self.requests_taken += 1;
        Some(next)
    }

    pub(super) fn take_abandoned(&mut self) -> Option<ModelRequest> {
        let index = *self.abandoned.get(self.abandoned_taken)?;
        self.abandoned_taken += 1;
        Some(self.requests[index].clone())
    }

    fn choice(&mut self, request: &ModelRequest, accepted_by: &[usize]) -> Choice {
        // A `once` rule may have been used since the predicates ran; it is not in the list any more.
        if let Some(at) = self
            .rules
            .iter()
            .position(|rule| accepted_by.contains(&rule.id))
        {
            let once = self.rules[at].once;
            let answer = if once {
                self.rules.remove(at).answer
            } else {
                self.rules[at].answer.clone()
            };
            return Choice::Ready(answer);
        }
        if request.kind == RequestKind::Structured {
            return Choice::Ready(default_answers::structured(request).into());
        }
        match (self.queue.pop_front(), &self.otherwise) {
            (Some(answer), _) => Choice::Ready(answer),
            (None, Some(otherwise)) => Choice::Compute(Arc::clone(otherwise)),
            (None, None) => Choice::Exhausted,
        }
    }
}

/// Returns an error that the CLI neither retries nor hides, so that a test with too few turns fails fast with the reason.
///
/// Not a 400, which CLI 2.1.325 retries five times.
fn exhausted() -> ApiError {
    ApiError::new(500).no_retry().message(
        "the script of the model is exhausted: the conversation needs more turns than the test has given",
    )
}
