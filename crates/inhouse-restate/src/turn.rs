//! The virtual object that runs turns on this worker.

use std::error::Error;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use inhouse_fleet::{
    Answer, Answers, HostError, Outcome, Question, QuestionId, Reply, RunTurn, Work,
};
use restate_sdk::context::DurableFuturesUnordered;
use restate_sdk::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::JoinError;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use uuid::Uuid;

use crate::admission::{Admission, Refused};

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
    Began,
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
        // Also wakes a turn that Restate has suspended, which would otherwise wait for ever.
        let mut limit = DurableFuturesUnordered::new();
        limit.push(ctx.sleep(self.limit));
        let lost = arrive(&ctx).await?;
        if lost > 0 && request.attempts + lost >= request.max_attempts {
            let reason = "its worker, or the connection to it, was lost during the turn";
            return Ok(Json(unfinished(lost, reason, Again::AtOnce)));
        }
        let permit = tokio::select! {
            biased;
            permit = self.admission.enter() => permit,
            interrupted = limit.next() => {
                return Ok(Json(match Interrupt::of(interrupted) {
                    Interrupt::Cancelled => TurnEnd::Cancelled,
                    _ => unfinished(lost, "no slot became free in time", Again::AtOnce),
                }));
            }
        };
        let permit = match permit {
            Ok(permit) => permit,
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
        mark(&ctx, Mark::Began).await?;

        let stop = CancellationToken::new();
        // A separate task: it is not polled less often when the connection is slow, and a panic in it is an error.
        let mut turn = self.spawn(request, lost, stop.clone(), permit);
        let interrupt = tokio::select! {
            biased;
            end = &mut turn => return Ok(Json(ended(end, lost, None))),
            interrupted = limit.next() => Interrupt::of(interrupted),
            () = self.admission.handed_over() => Interrupt::HandOver,
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
        lost: u32,
        stop: CancellationToken,
        permit: OwnedSemaphorePermit,
    ) -> AbortOnDropHandle<Result<Outcome, HostError>> {
        let runner = Arc::clone(&self.runner);
        let mut work = request.work;
        work.attempt = request.attempts + lost + 1;
        let answers: Answers = request.answers.into_iter().collect();
        AbortOnDropHandle::new(tokio::spawn(async move {
            let outcome = runner.run_turn_with(&work, stop, &answers).await;
            drop(permit);
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

/// Records the arrival of this delivery. Returns how many earlier ones were lost while their turn ran.
async fn arrive(ctx: &ObjectContext<'_>) -> Result<u32, TerminalError> {
    let delivery = Uuid::new_v4();
    let mut lost = 0;
    loop {
        match mark(ctx, Mark::Arrived(delivery)).await? {
            Mark::Arrived(other) if other == delivery => return Ok(lost),
            Mark::Arrived(_) => {}
            Mark::Began => lost += 1,
        }
    }
}

/// Appends a mark to the journal and returns it; or returns the one that is there already.
async fn mark(ctx: &ObjectContext<'_>, mark: Mark) -> Result<Mark, TerminalError> {
    let append = move || async move { Ok(Json(mark)) };
    Ok(ctx.run(append).name("mark").await?.into_inner())
}

fn ended(
    end: Result<Result<Outcome, HostError>, JoinError>,
    lost: u32,
    interrupt: Option<Interrupt>,
) -> TurnEnd {
    let error = match end {
        Ok(Ok(outcome)) => return ended_with(outcome, lost, interrupt),
        Ok(Err(error)) => error,
        Err(error) => {
            return unfinished(
                lost + 1,
                &format!("the turn panicked: {error}"),
                Again::Later,
            );
        }
    };
    match interrupt {
        Some(Interrupt::Cancelled) => TurnEnd::Cancelled,
        _ => unfinished(
            lost + u32::from(error.counts()),
            &chain(&error),
            Again::Later,
        ),
    }
}

fn ended_with(outcome: Outcome, lost: u32, interrupt: Option<Interrupt>) -> TurnEnd {
    match (outcome, interrupt) {
        (Outcome::Done(reply), _) => TurnEnd::Done(reply),
        (Outcome::Deferred(questions), _) if !questions.is_empty() => TurnEnd::Deferred(questions),
        (_, Some(Interrupt::Cancelled)) => TurnEnd::Cancelled,
        (_, Some(Interrupt::HandOver)) => unfinished(lost, "the worker shuts down", Again::AtOnce),
        (_, Some(Interrupt::Limit)) => {
            unfinished(lost + 1, "the turn exceeded its limit", Again::Later)
        }
        (Outcome::Fenced, None) => unfinished(lost, "another host owns the session", Again::Later),
        (outcome, None) => unfinished(
            lost + 1,
            &format!("unexpected outcome {outcome:?}"),
            Again::Later,
        ),
    }
}

fn unfinished(charged: u32, reason: &str, again: Again) -> TurnEnd {
    TurnEnd::Unfinished {
        charged,
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
