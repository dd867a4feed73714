//! One delivery: the turn, its events, and the report of its outcome to the database.

use std::any::Any;
use std::error::Error;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::FutureExt as _;
use inhouse::HandlerError;
use inhouse::message::Message;
use sqlx::Row as _;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use super::backoff::Backoff;
use super::fleet::seconds;
use super::health::ServedHost;
use super::statement::Statement as _;
use super::{Fleet, FleetError, FleetErrorKind, StoredMessages};
use crate::host::is_unavailable;
use crate::{
    Answer, Fence, HostError, HostErrorKind, Outcome, Question, QuestionId, Reply, RunTurn,
    TurnEvents, Work,
};

/// Messages that wait to be stored. A turn whose messages come faster waits.
const QUEUED_MESSAGES: usize = 256;
/// How long messages may take to be stored at most before they are given up. Watchers miss them, but the outcome of the turn, which is reported
/// after them, does not wait any longer.
const MESSAGES: Duration = Duration::from_secs(60);
/// After how many times the time of a dead host they are given up, if that is less.
const MESSAGES_TTLS: u32 = 4;
/// How long a question may take to be stored at most before the turn is given up.
const QUESTION: Duration = Duration::from_secs(30);
/// After how many times the time of a dead host it is given up, if that is less.
const QUESTION_TTLS: u32 = 2;

/// A session that was claimed for this host, with the prompt to run.
#[derive(Debug)]
pub(super) struct Delivery {
    /// The number of the delivery: a later one makes this one void.
    pub(super) claim: i64,
    pub(super) work: Work,
}

/// How a turn ended, for the database.
enum Ending {
    Done(Reply),
    Deferred(Vec<QuestionId>),
    /// The work returns to the queue.
    Returned {
        charged: bool,
        reason: Option<String>,
        sign: HostSign,
    },
}

impl Ending {
    fn sign(&self) -> HostSign {
        match self {
            Self::Done(_) | Self::Deferred(_) => HostSign::Succeeded,
            Self::Returned { sign, .. } => *sign,
        }
    }
}

/// What the end of a turn says about its host.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum HostSign {
    /// The host can run turns.
    Succeeded,
    Failed,
    /// The turn was stopped.
    Unknown,
}

impl HostSign {
    fn of(error: &HostError) -> Self {
        use HostErrorKind::{Events, Held, Options, Store};
        match error.kind() {
            // The application, other owners of the session, or a database that all hosts have, but not this host.
            Options | Held | Store | Events => Self::Unknown,
            _ if is_unavailable(error) => Self::Unknown,
            _ => Self::Failed,
        }
    }
}

/// The answer of the database to a report.
#[derive(Debug, PartialEq)]
enum Report {
    Accepted,
    /// The session was taken from this host.
    Lost,
    /// The session has another owner in the store.
    Fenced,
}

impl Delivery {
    /// Runs the turn and reports its outcome. Returns when the database has it, or does not want it any more.
    pub(super) async fn run(
        self,
        fleet: Fleet,
        health: Arc<ServedHost>,
        runner: Arc<dyn RunTurn>,
        stop: CancellationToken,
    ) -> HostSign {
        let (messages, queue) = channel(QUEUED_MESSAGES);
        let is_rejected = AtomicBool::new(false);
        let events = DatabaseEvents {
            fleet: &fleet,
            health: &health,
            delivery: &self,
            messages,
            is_rejected: &is_rejected,
        };
        let turn = async {
            let run = runner.run_turn_with(&self.work, stop, &events);
            let ended = AssertUnwindSafe(run).catch_unwind().await;
            // The end of the queue.
            drop(events);
            ending(ended)
        };
        let (mut ending, ()) = tokio::join!(turn, self.store_messages(&fleet, &health, queue));
        if let Ending::Returned { charged, .. } = &mut ending {
            // Another host could not store such a question either, so it would be asked forever.
            *charged |= is_rejected.load(Ordering::Relaxed);
        }
        let sign = ending.sign();
        self.report(&fleet, &health, ending).await;
        sign
    }

    async fn store_messages(
        &self,
        fleet: &Fleet,
        health: &ServedHost,
        mut queue: Receiver<String>,
    ) {
        let mut batch = Vec::new();
        let mut lost = false;
        while queue.recv_many(&mut batch, QUEUED_MESSAGES).await > 0 {
            let bodies = std::mem::take(&mut batch);
            // The messages of a session that another host has are not for its watchers.
            if !lost {
                match self.store_batch(fleet, health, &bodies).await {
                    Ok(report) => lost = report == Report::Lost,
                    Err(error) => tracing::error!(%error, "messages of a turn not stored"),
                }
            }
        }
    }

    /// Stores messages; repeats it while the database is unavailable, for a limited time.
    ///
    /// # Errors
    /// The error of messages that the database does not accept, or did not accept in time.
    async fn store_batch(
        &self,
        fleet: &Fleet,
        health: &ServedHost,
        bodies: &[String],
    ) -> Result<Report, FleetError> {
        let kinds = vec!["message"; bodies.len()];
        let mut backoff = Backoff::new();
        let limit = MESSAGES.min(fleet.settings.host_ttl.saturating_mul(MESSAGES_TTLS));
        let give_up = Instant::now() + limit;
        loop {
            let stored = sqlx::query_scalar("select inhouse.record($1, $2, $3, $4)")
                .bind(&self.work.session)
                .bind(self.claim)
                .bind(&kinds)
                .bind(bodies)
                .fetch_one(fleet.store.pool())
                .in_time()
                .await;
            let stored = stored.and_then(|status: String| Report::read(&status));
            health.wrote(&stored);
            match stored {
                Err(error) if error.may_pass() && Instant::now() < give_up => {
                    wait_for(&error, &mut backoff).await;
                }
                answered => return answered,
            }
        }
    }

    async fn report(&self, fleet: &Fleet, health: &ServedHost, ending: Ending) {
        let work = self.work.id;
        let (charged, reason) = match self.tell_until_answered(fleet, health, &ending).await {
            Ok(Report::Accepted) => return,
            Ok(Report::Lost) => {
                tracing::warn!(%work, "the work was given to another host; the outcome of this one does not count");
                return;
            }
            Ok(Report::Fenced) => {
                tracing::warn!(%work, "turn ended under a former lease; its outcome does not count");
                (false, "another owner took over the session".to_owned())
            }
            // Otherwise the same would happen after the next attempt, forever.
            Err(error) => (true, format!("the outcome cannot be stored: {error}")),
        };
        let returned = Ending::Returned {
            charged,
            reason: Some(reason),
            sign: HostSign::Unknown,
        };
        if let Err(error) = self.tell_until_answered(fleet, health, &returned).await {
            tracing::error!(%work, %error, "the database refused the end of a turn");
        }
    }

    /// Reports an ending; repeats it while the database is unavailable or refuses it, for as long as this host serves: an answer must not be lost.
    ///
    /// # Errors
    /// The error of a report that the database does not accept.
    async fn tell_until_answered(
        &self,
        fleet: &Fleet,
        health: &ServedHost,
        ending: &Ending,
    ) -> Result<Report, FleetError> {
        let mut backoff = Backoff::new();
        loop {
            let reported = self.tell(fleet, ending).await;
            health.wrote(&reported);
            match reported {
                Err(error) if error.may_pass() => wait_for(&error, &mut backoff).await,
                answered => return answered,
            }
        }
    }

    async fn tell(&self, fleet: &Fleet, ending: &Ending) -> Result<Report, FleetError> {
        let settings = &fleet.settings;
        let query = match ending {
            Ending::Done(reply) => {
                let Fence {
                    project,
                    session,
                    epoch,
                } = &reply.fence;
                sqlx::query_scalar("select inhouse.done($1, $2, $3, $4, $5, $6)")
                    .bind(&self.work.session)
                    .bind(self.claim)
                    .bind(project)
                    .bind(session.to_string())
                    .bind(epoch_number(*epoch)?)
                    .bind(serde_json::to_string(reply)?)
            }
            Ending::Deferred(questions) => {
                let questions: Vec<_> = questions.iter().map(|id| id.as_uuid()).collect();
                sqlx::query_scalar("select inhouse.deferred($1, $2, $3)")
                    .bind(&self.work.session)
                    .bind(self.claim)
                    .bind(questions)
            }
            Ending::Returned {
                charged, reason, ..
            } => {
                // Work that is handed over begins at once elsewhere.
                let pause = match reason {
                    Some(_) => settings.retry_pause,
                    None => Duration::ZERO,
                };
                sqlx::query_scalar(
                    "select inhouse.returned($1, $2, $3, $4, $5, make_interval(secs => $6), make_interval(secs => $7))",
                )
                .bind(&self.work.session)
                .bind(self.claim)
                .bind(charged)
                .bind(reason)
                .bind(i32::try_from(settings.max_attempts).unwrap_or(i32::MAX))
                .bind(seconds(pause))
                .bind(seconds(settings.longest_retry_pause))
            }
        };
        let status: String = query.fetch_one(fleet.store.pool()).in_time().await?;
        Report::read(&status)
    }
}

impl Report {
    fn read(status: &str) -> Result<Self, FleetError> {
        match status {
            "ok" => Ok(Self::Accepted),
            "lost" => Ok(Self::Lost),
            "fenced" => Ok(Self::Fenced),
            status => {
                let text = format!("unknown status {status}");
                Err(FleetError::new(FleetErrorKind::Corrupt, text))
            }
        }
    }
}

/// Stores the events of a turn.
struct DatabaseEvents<'a> {
    fleet: &'a Fleet,
    health: &'a ServedHost,
    delivery: &'a Delivery,
    messages: Sender<String>,
    /// Whether the database did not accept a question, and a repetition does not help.
    is_rejected: &'a AtomicBool,
}

#[async_trait]
impl TurnEvents for DatabaseEvents<'_> {
    async fn message(&self, message: &Message) {
        let is_stored = match self.fleet.settings.messages {
            StoredMessages::None => false,
            StoredMessages::Whole => !matches!(message, Message::StreamEvent(_)),
            StoredMessages::Partial => true,
        };
        if is_stored {
            // The receiver outlives this turn.
            let _ = self.messages.send(message.raw().to_owned()).await;
        }
    }

    async fn question(&self, question: &Question) -> Result<Option<Answer>, HandlerError> {
        let mut backoff = Backoff::new();
        let ttl = self.fleet.settings.host_ttl;
        let limit = QUESTION.min(ttl.saturating_mul(QUESTION_TTLS));
        let deadline = Instant::now() + limit;
        loop {
            let asked = timeout(limit, self.ask(question)).await;
            if let Ok(asked) = &asked {
                self.health.wrote(asked);
            }
            match asked {
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(error)) if error.may_pass() && Instant::now() < deadline => {
                    backoff.wait().await;
                }
                Ok(Err(error)) => {
                    // A lost session and a database that is away say nothing about the question. One that still refuses it at the deadline is
                    // charged, because the CLI would otherwise make the same call forever.
                    if error.kind() != FleetErrorKind::Closed && !error.is_retryable() {
                        self.is_rejected.store(true, Ordering::Relaxed);
                    }
                    return Err(error.into());
                }
                Err(elapsed) => return Err(elapsed.into()),
            }
        }
    }
}

impl DatabaseEvents<'_> {
    async fn ask(&self, question: &Question) -> Result<Option<Answer>, FleetError> {
        let Fence {
            project,
            session,
            epoch,
        } = &question.fence;
        let row = sqlx::query(
            "select status, given from inhouse.ask($1, $2, $3, $4, $5, $6, $7, $8, make_interval(secs => $9))",
        )
        .bind(&self.delivery.work.session)
        .bind(self.delivery.claim)
        .bind(project)
        .bind(session.to_string())
        .bind(epoch_number(*epoch)?)
        .bind(question.id.as_uuid())
        .bind(&question.call)
        .bind(serde_json::to_string(question)?)
        .bind(seconds(self.fleet.settings.question_ttl))
        .fetch_one(self.fleet.store.pool())
        .in_time()
        .await?;
        if Report::read(row.try_get(0)?)? != Report::Accepted {
            let text = "the work was given to another host";
            return Err(FleetError::new(FleetErrorKind::Closed, text));
        }
        let answer: Option<String> = row.try_get(1)?;
        Ok(answer
            .map(|answer| serde_json::from_str(&answer))
            .transpose()?)
    }
}

fn ending(ended: Result<Result<Outcome, HostError>, Box<dyn Any + Send>>) -> Ending {
    let (sign, charged, reason) = match ended {
        Ok(Ok(Outcome::Done(reply))) => return Ending::Done(reply),
        Ok(Ok(Outcome::Deferred(questions))) if !questions.is_empty() => {
            return Ending::Deferred(questions.iter().map(|question| question.id).collect());
        }
        Ok(Ok(Outcome::Deferred(_))) => {
            let text = "the turn was deferred without a question";
            (HostSign::Failed, true, text.to_owned())
        }
        // Why it was stopped is in the database: a person asked for it, or this host hands over.
        Ok(Ok(Outcome::Cancelled)) => {
            return Ending::Returned {
                charged: false,
                reason: None,
                sign: HostSign::Unknown,
            };
        }
        Ok(Ok(Outcome::Fenced)) => {
            let text = "the session was lost to another owner, or its lease could not be renewed";
            (HostSign::Unknown, false, text.to_owned())
        }
        Ok(Err(error)) => (HostSign::of(&error), error.counts(), with_sources(&error)),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            let text = format!("the host panicked: {}", text.unwrap_or("no message"));
            (HostSign::Failed, true, text)
        }
    };
    Ending::Returned {
        charged,
        // PostgreSQL has no NUL in texts.
        reason: Some(reason.replace('\0', "\u{fffd}")),
        sign,
    }
}

fn with_sources(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(": ");
        text.push_str(&error.to_string());
        source = error.source();
    }
    text
}

fn epoch_number(epoch: u64) -> Result<i64, FleetError> {
    i64::try_from(epoch)
        .map_err(|error| FleetError::new(FleetErrorKind::Invalid, "epoch").with_source(error))
}

/// Waits before a write is repeated.
///
/// The end of `serve` ends the repetition: the database has then given the work to another host, or does so.
async fn wait_for(error: &FleetError, backoff: &mut Backoff) {
    tracing::warn!(%error, "the database does not answer, trying again");
    backoff.wait().await;
}
