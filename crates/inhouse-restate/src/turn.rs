//! The virtual object that runs turns on this worker.

use std::error::Error;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use inhouse_fleet::{
    Answer, Answers, HostError, HostErrorKind, Outcome, Question, QuestionId, Reply, RunTurn, Work,
};
use restate_sdk::context::DurableFuturesUnordered;
use restate_sdk::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::task::JoinError;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use uuid::Uuid;

use crate::admission::{Admission, Refused, Slot};

/// A turn that was lost this often is isolated.
const ISOLATED_AFTER: u32 = 2;

/// The virtual object `InhouseTurn`, whose key is the name of the session.
///
/// It is an object so that Restate runs one turn of a session at a time, also after the prompt of the session was cancelled or killed.
pub(crate) struct Turn {
    pub(crate) runner: Arc<dyn RunTurn>,
    pub(crate) admission: Admission,
    pub(crate) limit: Duration,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct TurnRequest {
    pub(crate) work: Work,
    pub(crate) answers: Vec<(QuestionId, Answer)>,
    /// The attempts that were charged before.
    pub(crate) attempts: u32,
    /// How often the turn was lost before, whether that was charged or not.
    pub(crate) losses: u32,
    pub(crate) max_attempts: u32,
}

/// The end of a turn.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum TurnEnd {
    Done(Reply),
    Deferred(Vec<Question>),
    Cancelled,
    /// The turn has to run again.
    Unfinished {
        /// The attempts that count towards the limit.
        charged: u32,
        /// How often the turn was lost, whether that is charged or not.
        losses: u32,
        reason: String,
        again: Again,
    },
}

/// When an unfinished turn runs again.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Again {
    /// Without a pause, because it runs on another worker.
    AtOnce,
    /// After a short pause, because this worker may get it again until its connection is closed.
    Soon,
    /// After pauses that become longer.
    Later,
}

/// An entry of the journal. An entry of an earlier delivery is returned from the journal instead of being written.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Mark {
    /// A delivery has arrived at a worker.
    Arrived(Uuid),
    /// The turn of the delivery has begun. If the delivery then fails without an end, its worker or the connection was lost.
    Began(Company),
    /// Another turn has begun beside one that was alone.
    Joined,
}

/// What runs on a worker besides a turn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum Company {
    /// Nothing, so the turn may be the reason if its worker is lost.
    Alone,
    /// Other turns.
    Shared,
    /// Other turns, none of which has been lost often.
    Isolated,
}

/// The deliveries that were lost while their turn ran.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Lost {
    all: u32,
    /// Those that count as attempts: the worker had no other turn, or none that was lost as often.
    charged: u32,
}

/// The result of the timer for the limit of a turn.
type LimitReached = Result<(), TerminalError>;

/// The reason why a running turn is stopped.
enum Interrupt {
    Cancelled,
    Limit,
    HandOver,
}

#[restate_sdk::object(
    name = "InhouseTurn",
    client_visibility = "pub(crate)",
    ingress_private
)]
impl Turn {
    /// Runs a turn.
    ///
    /// The commands of the journal are the timer and the marks, in this order in every delivery: nothing else may be awaited before the last
    /// mark was replayed.
    #[handler]
    async fn run(
        &self,
        ctx: ObjectContext<'_>,
        Json(request): Json<TurnRequest>,
    ) -> Result<Json<TurnEnd>, HandlerError> {
        // Also wakes a turn that Restate has suspended, which would otherwise wait forever.
        let mut limit = DurableFuturesUnordered::new();
        limit.push(ctx.sleep(self.limit));
        let lost = arrive(&ctx).await?;
        if lost.charged > 0 && request.attempts + lost.charged >= request.max_attempts {
            let reason = "its worker, or the connection to it, was lost during the turn";
            return Ok(Json(unfinished(lost, reason, Again::AtOnce)));
        }
        let is_isolated = request.losses + lost.all >= ISOLATED_AFTER;
        let slot = tokio::select! {
            biased;
            slot = self.admission.enter(is_isolated) => slot,
            interrupted = limit.next() => {
                return Ok(Json(match Interrupt::of(interrupted) {
                    Interrupt::Cancelled => TurnEnd::Cancelled,
                    _ => unfinished(lost, "no slot became free in time", Again::AtOnce),
                }));
            }
        };
        let slot = match slot {
            Ok(slot) => slot,
            Err(Refused::Draining) => {
                return Ok(Json(unfinished(lost, "the worker shuts down", Again::Soon)));
            }
            Err(Refused::Busy) => {
                return Ok(Json(unfinished(
                    lost,
                    "too many turns wait for a slot",
                    Again::Later,
                )));
            }
        };
        let joined = slot.joined();
        tokio::pin!(joined);
        let company = match slot.is_alone() {
            _ if is_isolated => Company::Isolated,
            true => Company::Alone,
            false => Company::Shared,
        };
        let mut alone = (company == Company::Alone).then(|| self.admission.note_alone());
        mark(&ctx, Mark::Began(company)).await?;
        if company != Company::Alone {
            // The other turn is not to be charged if this one ends the worker at once.
            self.admission.none_is_alone().await;
        }

        let stop = CancellationToken::new();
        // A separate task: it is not polled less often when the connection is slow, and a panic in it is an error.
        let mut turn = self.spawn(request, lost, stop.clone(), slot);
        let interrupt = loop {
            tokio::select! {
                biased;
                end = &mut turn => {
                    if has_lost_store(&end) {
                        self.admission.note_store_failure();
                    }
                    return Ok(Json(ended(end, lost, None)));
                }
                interrupted = limit.next() => break Interrupt::of(interrupted),
                () = self.admission.handed_over() => break Interrupt::HandOver,
                () = &mut joined, if alone.is_some() => {
                    if mark(&ctx, Mark::Joined).await.is_err() {
                        break Interrupt::Cancelled;
                    }
                    alone = None;
                }
            }
        };
        stop.cancel();
        Ok(Json(ended(turn.await, lost, Some(interrupt))))
    }

    /// Returns when the turn that runs has ended, because the handlers of an object run one at a time.
    #[handler]
    async fn settle(&self, _ctx: ObjectContext<'_>) -> Result<(), HandlerError> {
        Ok(())
    }
}

impl Turn {
    fn spawn(
        &self,
        request: TurnRequest,
        lost: Lost,
        stop: CancellationToken,
        slot: Slot,
    ) -> AbortOnDropHandle<Result<Outcome, HostError>> {
        let runner = Arc::clone(&self.runner);
        let mut work = request.work;
        work.attempt = request.attempts + lost.charged + 1;
        // Restate does not say which worker had the turn before.
        work.taken_over = lost.all > 0;
        let answers: Answers = request.answers.into_iter().collect();
        AbortOnDropHandle::new(tokio::spawn(async move {
            let outcome = runner.run_turn_with(&work, stop, &answers).await;
            drop(slot);
            outcome
        }))
    }
}

impl Interrupt {
    /// Returns why the wait for the limit of a turn has ended.
    fn of(wait: Result<Option<(usize, LimitReached)>, TerminalError>) -> Self {
        match wait {
            Ok(Some((_, Ok(())))) => Self::Limit,
            _ => Self::Cancelled,
        }
    }
}

/// Records the arrival of this delivery. Returns which earlier ones were lost while their turn ran.
async fn arrive(ctx: &ObjectContext<'_>) -> Result<Lost, TerminalError> {
    let delivery = Uuid::new_v4();
    let mut marks = Vec::new();
    loop {
        match mark(ctx, Mark::Arrived(delivery)).await? {
            Mark::Arrived(other) if other == delivery => return Ok(Lost::of(&marks)),
            mark => marks.push(mark),
        }
    }
}

impl Lost {
    /// Counts the lost deliveries in the marks of a journal.
    fn of(marks: &[Mark]) -> Self {
        let mut lost = Self::default();
        for (place, mark) in marks.iter().enumerate() {
            if let Mark::Began(company) = mark {
                let is_joined = marks.get(place + 1) == Some(&Mark::Joined);
                lost.all += 1;
                lost.charged += u32::from(*company != Company::Shared && !is_joined);
            }
        }
        lost
    }

    /// Adds an attempt that has failed here.
    fn and_failed(mut self) -> Self {
        self.charged += 1;
        self
    }
}

/// Appends a mark to the journal and returns it; or returns the one that is there already.
async fn mark(ctx: &ObjectContext<'_>, mark: Mark) -> Result<Mark, TerminalError> {
    let append = move || async move { Ok(Json(mark)) };
    Ok(ctx.run(append).name("mark").await?.into_inner())
}

/// Returns whether a turn has ended because its store failed, or did not renew the lease.
fn has_lost_store(end: &Result<Result<Outcome, HostError>, JoinError>) -> bool {
    match end {
        Ok(Ok(outcome)) => matches!(outcome, Outcome::Fenced),
        Ok(Err(error)) => error.kind() == HostErrorKind::Store,
        Err(_) => false,
    }
}

fn ended(
    end: Result<Result<Outcome, HostError>, JoinError>,
    lost: Lost,
    interrupt: Option<Interrupt>,
) -> TurnEnd {
    let error = match end {
        Ok(Ok(outcome)) => return ended_with(outcome, lost, interrupt),
        Ok(Err(error)) => error,
        Err(error) => {
            return unfinished(
                lost.and_failed(),
                &format!("the turn panicked: {error}"),
                Again::Later,
            );
        }
    };
    match interrupt {
        Some(Interrupt::Cancelled) => TurnEnd::Cancelled,
        _ if error.counts() => unfinished(lost.and_failed(), &chain(&error), Again::Later),
        _ => unfinished(lost, &chain(&error), Again::Later),
    }
}

fn ended_with(outcome: Outcome, lost: Lost, interrupt: Option<Interrupt>) -> TurnEnd {
    match (outcome, interrupt) {
        (Outcome::Done(reply), _) => TurnEnd::Done(reply),
        (Outcome::Deferred(questions), _) if !questions.is_empty() => TurnEnd::Deferred(questions),
        (_, Some(Interrupt::Cancelled)) => TurnEnd::Cancelled,
        (_, Some(Interrupt::HandOver)) => unfinished(lost, "the worker shuts down", Again::AtOnce),
        (_, Some(Interrupt::Limit)) => unfinished(
            lost.and_failed(),
            "the turn exceeded its limit",
            Again::Later,
        ),
        (Outcome::Fenced, None) => unfinished(lost, "another host owns the session", Again::Later),
        (outcome, None) => unfinished(
            lost.and_failed(),
            &format!("unexpected outcome {outcome:?}"),
            Again::Later,
        ),
    }
}

fn unfinished(lost: Lost, reason: &str, again: Again) -> TurnEnd {
    TurnEnd::Unfinished {
        charged: lost.charged,
        losses: lost.all,
        reason: reason.to_owned(),
        again,
    }
}

/// Returns the messages of an error and its sources.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let _ = write!(text, ": {error}");
        source = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_charged_unless_other_turns_ran() {
        let arrived = || Mark::Arrived(Uuid::new_v4());
        let lost = |marks: &[Mark]| {
            let Lost { all, charged } = Lost::of(marks);
            (all, charged)
        };
        assert_eq!(lost(&[arrived(), arrived()]), (0, 0));
        let alone = [arrived(), Mark::Began(Company::Alone), arrived()];
        assert_eq!(lost(&alone), (1, 1));
        let shared = [arrived(), Mark::Began(Company::Shared), arrived()];
        assert_eq!(lost(&shared), (1, 0));
        let began = Mark::Began(Company::Alone);
        let joined = [arrived(), began, Mark::Joined, arrived()];
        assert_eq!(lost(&joined), (1, 0));
        let isolated = [arrived(), Mark::Began(Company::Isolated)];
        assert_eq!(lost(&isolated), (1, 1));
    }
}
