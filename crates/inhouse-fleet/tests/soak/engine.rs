//! The engine on PostgreSQL, which keeps its queue in the database of the sessions.
//!
//! The soak tests of other engines use the files beside this one, with an `engine` module that has the same items.

use std::time::Duration;

use inhouse_fleet::postgres::{Event, Fleet, WorkState};
use inhouse_fleet::{Answer, FleetErrorKind, Question, RunTurn, Work, WorkId};
use inhouse_store::postgres::PostgresStore;
use inhouse_testkit::Isolation;
use inhouse_testkit::engine_battery::WorkEnd;
use inhouse_testkit::soak::CHECK_INTERVAL;
use tokio::time::interval;

use crate::scene::{Start, text};
use crate::worker::Plan;

/// How often workers look for work that they were not notified of.
const POLL: Duration = Duration::from_millis(200);

/// Whether a question can be answered before the turn that asks it has ended.
pub(crate) const STORES_QUESTIONS_AT_ONCE: bool = true;

/// A part of the reason of a work that was parked because its workers were lost.
pub(crate) const LOST: &str = "died";

/// The outcomes of a turn in a worker that was taken over.
pub(crate) const OUTCOMES_OF_ZOMBIES: &[&str] = &["fenced", "cancelled"];

/// Another way to run the engine in some of the scenarios. There is one way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variant;

impl Variant {
    /// The variant of most scenarios.
    pub(crate) const USUAL: Self = Self;

    /// Returns the variant for a number that scenarios count up.
    pub(crate) fn of(_number: u32) -> Self {
        Self
    }
}

/// A fleet as its callers see it.
pub(crate) struct Engine {
    store: PostgresStore,
    fleet: Fleet,
}

impl Engine {
    /// Starts the engine. Its workers get the number of attempts with their plans.
    pub(crate) async fn start(
        store: &PostgresStore,
        _: &Isolation,
        _: Variant,
        _max_attempts: u32,
    ) -> Self {
        let fleet = Fleet::postgres(store).poll_interval(POLL);
        fleet.migrate().await.expect("the database is empty");
        Self {
            store: store.clone(),
            fleet,
        }
    }

    /// Completes the plan of a worker that is about to start.
    pub(crate) fn prepare(&self, _plan: &mut Plan) {}

    /// Notes that a worker has started.
    pub(crate) fn started(&self, _plan: &Plan, _pid: u32) {}

    pub(crate) async fn enqueue(&self, work: Work) -> Result<WorkId, String> {
        self.fleet.enqueue(work).await.map_err(text)
    }

    /// Waits for the end of a work.
    pub(crate) async fn end(&self, id: WorkId) -> Result<WorkEnd, String> {
        match self.fleet.result(&id).await {
            Ok(reply) => Ok(WorkEnd::Done(reply)),
            Err(error) => match error.kind() {
                FleetErrorKind::Parked => Ok(WorkEnd::Parked(text(error))),
                FleetErrorKind::Cancelled => Ok(WorkEnd::Cancelled),
                _ => Err(text(error)),
            },
        }
    }

    /// Describes the state of a work.
    pub(crate) async fn status(&self, id: WorkId) -> String {
        format!("{:?}", self.fleet.work(&id).await)
    }

    pub(crate) async fn cancel(&self, id: WorkId) -> Result<(), String> {
        self.fleet.cancel(&id).await.map(drop).map_err(text)
    }

    /// Waits for the next question of a work.
    pub(crate) async fn question(&self, id: WorkId) -> Result<Question, String> {
        let mut events = self.fleet.watch(&id).await.map_err(text)?;
        while let Some(event) = events.next().await {
            if let Event::Question(question) = event.map_err(text)? {
                return Ok(*question);
            }
        }
        Err(format!("work {id} has ended without a question"))
    }

    /// Waits until a work waits for an answer.
    pub(crate) async fn deferred(&self, id: WorkId) -> Result<(), String> {
        let mut checks = interval(CHECK_INTERVAL);
        while self.fleet.work(&id).await.map_err(text)?.state != WorkState::Deferred {
            checks.tick().await;
        }
        Ok(())
    }

    pub(crate) async fn answer(&self, question: &Question, answer: Answer) -> Result<(), String> {
        self.fleet.answer(question, answer).await.map_err(text)
    }

    /// Returns how many questions were asked.
    pub(crate) async fn questions(&self) -> Result<usize, String> {
        let rows: Vec<String> = self.rows("select q::text from inhouse.question q").await?;
        Ok(rows.len())
    }

    /// Returns the beginnings of all attempts, in their order.
    pub(crate) async fn starts(&self) -> Result<Vec<Start>, String> {
        let rows: Vec<(String, String, String)> = sqlx::query_as(
            "select w.prompt, e.kind, e.body from inhouse.event e join inhouse.work w on w.id = e.work
             where e.kind in ('started', 'resumed') order by e.id",
        )
        .fetch_all(self.store.pool())
        .await
        .map_err(text)?;
        let rows = rows.into_iter().map(|(prompt, kind, worker)| Start {
            prompt,
            kind,
            worker,
        });
        Ok(rows.collect())
    }

    /// Returns how many attempts a work was charged.
    pub(crate) async fn attempts(&self, id: WorkId) -> Result<u32, String> {
        let work = self.fleet.work(&id).await.map_err(text)?;
        Ok(work.attempts)
    }

    /// Returns everything that the engine has stored.
    pub(crate) async fn stored(&self) -> Result<Vec<String>, String> {
        let mut rows = self
            .rows("select w::text from inhouse.work w order by w.id")
            .await?;
        let events = "select e::text from inhouse.event e order by e.id";
        rows.extend(self.rows(events).await?);
        Ok(rows)
    }

    async fn rows(&self, query: &'static str) -> Result<Vec<String>, String> {
        let rows = sqlx::query_scalar(query).fetch_all(self.store.pool());
        rows.await.map_err(text)
    }
}

/// Runs the work of a fleet in a worker process.
pub(crate) async fn serve(
    plan: &Plan,
    store: &PostgresStore,
    runner: impl RunTurn + 'static,
    shutdown: impl Future<Output = ()> + Send,
) -> Result<(), String> {
    let fleet = Fleet::postgres(store)
        .host_name(&plan.name)
        .host_ttl(plan.lease)
        .poll_interval(POLL)
        .grace(plan.grace)
        .max_attempts(plan.max_attempts)
        .retry_pause(Duration::from_millis(50), Duration::from_millis(200));
    let served = fleet.serve(runner, shutdown).await;
    served.map_err(|error| format!("{error:?}"))
}
