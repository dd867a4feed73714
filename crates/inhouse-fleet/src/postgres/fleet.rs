use std::sync::Arc;
use std::time::{Duration, SystemTime};

use inhouse_store::postgres::PostgresStore;
use inhouse_store::{Erase, SessionKey, SessionStore as _};
use sqlx::postgres::PgPool;
use tokio::sync::OnceCell;
use tokio::time::timeout;

use super::health::ServedHosts;
use super::listen::Listener;
use super::settings::Settings;
use super::statement::Statement as _;
use super::waiting::WaitingCalls;
use super::{FleetError, FleetErrorKind, WorkState, schema};
use crate::{Answer, Question, QuestionId, Work, WorkId};

/// How long changes of the schema may take, with the wait for other calls that make them.
const MIGRATION: Duration = Duration::from_secs(300);

/// A queue of prompts in the PostgreSQL database of the sessions, which any number of hosts serve.
///
/// The prompts of a session are answered one at a time, in the order in which they were committed. The module documentation describes the
/// guarantees. Clones share their connections.
///
/// ```no_run
/// use inhouse_fleet::Work;
/// use inhouse_fleet::postgres::Fleet;
/// use inhouse_store::postgres::PostgresStore;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let store = PostgresStore::connect("postgres://agent@localhost/agents").await?;
/// let fleet = Fleet::postgres(&store);
/// let id = fleet.enqueue(Work::new("customer-42", "Charge 5 dollars").dedupe("order-9")).await?;
/// let reply = fleet.result(&id).await?; // a process with `serve` answers it
/// println!("{:?}", reply.text);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Fleet {
    pub(super) store: PostgresStore,
    pub(super) settings: Settings,
    pub(super) shared: Arc<Shared>,
}

/// State that the clones of a fleet share.
#[derive(Debug)]
pub(super) struct Shared {
    migrated: OnceCell<()>,
    pub(super) listener: Listener,
    pub(super) hosts: ServedHosts,
    waiting: WaitingCalls,
}

impl Shared {
    pub(super) fn new(pool: &PgPool, notifications: bool) -> Self {
        Self {
            migrated: OnceCell::new(),
            listener: Listener::new(notifications),
            hosts: ServedHosts::default(),
            waiting: WaitingCalls::new(pool),
        }
    }
}

impl Fleet {
    /// Creates a fleet in the database of a store. The first call brings the schema `inhouse` of the database up to date.
    #[must_use]
    pub fn postgres(store: &PostgresStore) -> Self {
        Self {
            store: store.clone(),
            settings: Settings::default(),
            shared: Arc::new(Shared::new(store.pool(), true)),
        }
    }

    /// Brings the schema of the database up to date. Needed only if `inhouse.enqueue` is called in SQL before any other function of a fleet.
    ///
    /// # Errors
    /// [`TooNew`](FleetErrorKind::TooNew) if a newer version of this crate has changed the schema;
    /// [`Refused`](FleetErrorKind::Refused) if the role may not create it;
    /// [`Unavailable`](FleetErrorKind::Unavailable) if another process has locked the schema for 30 s, or all of it takes longer than 5 minutes.
    pub async fn migrate(&self) -> Result<(), FleetError> {
        let migrated = &self.shared.migrated;
        let migrate = migrated.get_or_try_init(|| schema::migrate(self.store.pool()));
        let migrated = timeout(MIGRATION, migrate).await.map_err(|_| {
            let text = format!(
                "the schema is not up to date after {} s",
                MIGRATION.as_secs()
            );
            FleetError::new(FleetErrorKind::Unavailable, text)
        })?;
        migrated.map(|&()| ())
    }

    /// Adds a prompt to the queue of its session, and returns the id of the work.
    ///
    /// The same work may be enqueued again, so a call whose outcome is unknown can be repeated: work with the same id, or with the
    /// same [dedupe key](Work::dedupe) of the same tenant, is queued once, and the id of the first is returned. A key is known until its work is
    /// removed, see [`retention`](Self::retention). The call waits for an open transaction that has enqueued for the same session, 30 s at most. Of the
    /// calls of a process, one waits for each session with a connection, and all together have half of the connections.
    ///
    /// ```no_run
    /// use inhouse_fleet::Work;
    ///
    /// # async fn example(fleet: inhouse_fleet::Fleet) -> Result<(), inhouse_fleet::FleetError> {
    /// let work = Work::new("customer-42", "Charge 5 dollars").dedupe("order-9");
    /// let id = fleet.enqueue(work.clone()).await?;
    /// assert_eq!(fleet.enqueue(work).await?, id); // queued once
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Conflict`](FleetErrorKind::Conflict) if the id or the key belongs to another session or another text;
    /// [`Invalid`](FleetErrorKind::Invalid) if the name of the session or the tenant is empty, a name or the key has more than 1,000 bytes, or a
    /// text contains a NUL character.
    pub async fn enqueue(&self, work: Work) -> Result<WorkId, FleetError> {
        let pool = self.pool().await?;
        let not_before = work.not_before.map(seconds_since_1970);
        let query = sqlx::query_scalar(
            "with limits as materialized (select set_config('lock_timeout', $8, true))
             select inhouse.enqueue($1, $2, $3, $4, $5, to_timestamp($6::float8), $7) from limits",
        )
        .bind(&work.session)
        .bind(work.prompt)
        .bind(work.tenant)
        .bind(work.priority)
        .bind(work.dedupe)
        .bind(not_before)
        .bind(work.id.as_uuid());
        let enqueue = async {
            let mut call = self.shared.waiting.enter(&work.session, pool).await?;
            let query = query.bind(call.lock_timeout());
            query.fetch_one(&mut *call.connection).await
        };
        let id: uuid::Uuid = enqueue.in_time().await?;
        Ok(id.into())
    }

    /// Answers a question. When all questions of the turn are answered, a host continues it. The first answer to a question counts.
    ///
    /// ```no_run
    /// use inhouse_fleet::{Answer, Question};
    ///
    /// # async fn example(fleet: inhouse_fleet::Fleet, question: Question) -> Result<(), inhouse_fleet::FleetError> {
    /// fleet.answer(&question, Answer::Deny("Ask the customer first.".to_owned())).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`AlreadyAnswered`](FleetErrorKind::AlreadyAnswered) if the question has an answer;
    /// [`Closed`](FleetErrorKind::Closed) if its work has ended or continued without the call;
    /// [`NotFound`](FleetErrorKind::NotFound) if there is no such question;
    /// [`Invalid`](FleetErrorKind::Invalid) if the input of [`Answer::AllowWith`] is not a JSON object.
    pub async fn answer(&self, question: &Question, answer: Answer) -> Result<(), FleetError> {
        self.answer_id(question.id, answer).await
    }

    /// Answers a question by its id, as [`answer`](Self::answer) does.
    ///
    /// ```no_run
    /// use inhouse_fleet::{Answer, QuestionId};
    ///
    /// # async fn example(fleet: inhouse_fleet::Fleet, id: QuestionId) -> Result<(), inhouse_fleet::FleetError> {
    /// fleet.answer_id(id, Answer::Allow).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// See [`answer`](Self::answer).
    pub async fn answer_id(&self, question: QuestionId, answer: Answer) -> Result<(), FleetError> {
        if !answer.is_valid() {
            let text = "the input of a call is a JSON object";
            return Err(FleetError::new(FleetErrorKind::Invalid, text));
        }
        let status: String = sqlx::query_scalar("select inhouse.answer($1, $2)")
            .bind(question.as_uuid())
            .bind(serde_json::to_string(&answer)?)
            .fetch_one(self.pool().await?)
            .in_time()
            .await?;
        let kind = match &*status {
            "ok" => return Ok(()),
            "answered" => FleetErrorKind::AlreadyAnswered,
            "closed" => FleetErrorKind::Closed,
            _ => return Err(FleetError::not_found("question", question)),
        };
        Err(FleetError::new(kind, format!("question {question}")))
    }

    /// Cancels a work item and returns its state. One that is queued, deferred or parked is cancelled at once.
    ///
    /// A running one stays [`Running`](WorkState::Running) until its host has killed the CLI. The next prompt of the session begins only then, or when
    /// that host is dead and its lease has ended. Finished work is not changed.
    ///
    /// ```no_run
    /// use inhouse_fleet::WorkId;
    /// use inhouse_fleet::postgres::WorkState;
    ///
    /// # async fn example(fleet: inhouse_fleet::Fleet, id: WorkId) -> Result<(), inhouse_fleet::FleetError> {
    /// if fleet.cancel(&id).await? == WorkState::Running {
    ///     println!("its host stops it");
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](FleetErrorKind::NotFound) if there is no such work.
    pub async fn cancel(&self, id: &WorkId) -> Result<WorkState, FleetError> {
        self.stop(*id, "cancel", None).await
    }

    /// Parks a work item, so that its session continues without it, and returns its state; a running one is stopped first, as
    /// with [`cancel`](Self::cancel).
    ///
    /// ```no_run
    /// use inhouse_fleet::WorkId;
    ///
    /// # async fn example(fleet: inhouse_fleet::Fleet, id: WorkId) -> Result<(), inhouse_fleet::FleetError> {
    /// fleet.park(&id, "the bank is closed").await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](FleetErrorKind::NotFound) if there is no such work.
    pub async fn park(&self, id: &WorkId, reason: &str) -> Result<WorkState, FleetError> {
        self.stop(*id, "park", Some(reason)).await
    }

    /// Queues a parked work again, with all its attempts and in its former place: before the prompts of its session that have not begun.
    ///
    /// ```no_run
    /// use inhouse_fleet::WorkId;
    ///
    /// # async fn example(fleet: inhouse_fleet::Fleet, id: WorkId) -> Result<(), inhouse_fleet::FleetError> {
    /// fleet.retry(&id).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Busy`](FleetErrorKind::Busy) if the work is not parked; [`NotFound`](FleetErrorKind::NotFound) if there is no such work.
    pub async fn retry(&self, id: &WorkId) -> Result<(), FleetError> {
        let before: Option<String> = sqlx::query_scalar("select inhouse.retry($1)")
            .bind(id.as_uuid())
            .fetch_one(self.pool().await?)
            .in_time()
            .await?;
        match before.as_deref() {
            Some("parked") => Ok(()),
            Some(state) => {
                let text = format!("work {id} is {state}, not parked");
                Err(FleetError::new(FleetErrorKind::Busy, text))
            }
            None => Err(FleetError::not_found("work", id)),
        }
    }

    /// Makes a host take no further work, finish or hand over what it has, and return from [`serve`](Self::serve). All hosts with that name are meant.
    ///
    /// ```no_run
    /// # async fn example(fleet: inhouse_fleet::Fleet) -> Result<(), inhouse_fleet::FleetError> {
    /// fleet.drain("agents-1").await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](FleetErrorKind::NotFound) if no host has that name.
    pub async fn drain(&self, host: &str) -> Result<(), FleetError> {
        let drained: i64 = sqlx::query_scalar(
            "with drained as (update inhouse.host set draining = true where name = $1 returning 1),
             notified as (select pg_notify('inhouse_work', 'drain') from drained)
             select count(*) from notified",
        )
        .bind(host)
        .fetch_one(self.pool().await?)
        .in_time()
        .await?;
        match drained {
            0 => Err(FleetError::not_found("host", host)),
            _ => Ok(()),
        }
    }

    /// Limits how many sessions of a tenant run at the same time, over all hosts; `None` removes the limit. Turns that run already continue.
    ///
    /// ```no_run
    /// # async fn example(fleet: inhouse_fleet::Fleet) -> Result<(), inhouse_fleet::FleetError> {
    /// fleet.set_tenant_limit("acme", Some(10)).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Unavailable`](FleetErrorKind::Unavailable) if the database cannot be reached.
    pub async fn set_tenant_limit(
        &self,
        tenant: &str,
        limit: Option<u32>,
    ) -> Result<(), FleetError> {
        let pool = self.pool().await?;
        let query = match limit {
            Some(limit) => sqlx::query(
                "with changed as (insert into inhouse.tenant (name, max_active) values ($1, $2)
                 on conflict (name) do update set max_active = excluded.max_active)
                 select pg_notify('inhouse_work', 'ready')",
            )
            .bind(tenant)
            .bind(i32::try_from(limit).unwrap_or(i32::MAX)),
            None => sqlx::query(
                "with changed as (delete from inhouse.tenant where name = $1)
                 select pg_notify('inhouse_work', 'ready')",
            )
            .bind(tenant),
        };
        query.execute(pool).in_time().await?;
        Ok(())
    }

    /// Erases a session: its prompts with answers, questions and events, and its transcript and files in this database.
    ///
    /// Waits for transactions that are about to enqueue for this session, 30 s at most. A transaction that enqueues its first prompt is not seen before
    /// it commits: that prompt remains.
    ///
    /// ```no_run
    /// # async fn example(fleet: inhouse_fleet::Fleet) -> Result<(), inhouse_fleet::FleetError> {
    /// fleet.erase("customer-42").await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Busy`](FleetErrorKind::Busy) if one of its prompts is running: cancel it first.
    pub async fn erase(&self, session: &str) -> Result<(), FleetError> {
        let pool = self.pool().await?;
        let erase = async {
            let mut call = self.shared.waiting.enter(session, pool).await?;
            let erase = sqlx::query_scalar(
                "with limits as materialized (select set_config('lock_timeout', $2, true))
                 select inhouse.erase($1) from limits",
            );
            let erase = erase.bind(session).bind(call.lock_timeout());
            erase.fetch_one(&mut *call.connection).await
        };
        let erased: bool = erase.in_time().await?;
        if !erased {
            let text = format!("a prompt of session {session:?} is running");
            return Err(FleetError::new(FleetErrorKind::Busy, text));
        }
        // The transcript and a stored workspace are in separate projects under the same id.
        let id = Work::new(session, "").session_id().to_string();
        let projects: Vec<String> =
            sqlx::query_scalar("select project from inhouse_session where session = $1")
                .bind(&id)
                .fetch_all(pool)
                .in_time()
                .await?;
        for project in projects {
            let key = SessionKey::new(project, id.clone())?;
            self.store.erase(&Erase::Session(key)).await?;
        }
        Ok(())
    }

    /// Returns the pool of the store, once the schema is up to date.
    pub(super) async fn pool(&self) -> Result<&PgPool, FleetError> {
        self.migrate().await?;
        Ok(self.store.pool())
    }

    async fn stop(
        &self,
        id: WorkId,
        how: &str,
        reason: Option<&str>,
    ) -> Result<WorkState, FleetError> {
        let state: Option<String> = sqlx::query_scalar("select inhouse.stop($1, $2, $3)")
            .bind(id.as_uuid())
            .bind(how)
            .bind(reason)
            .fetch_one(self.pool().await?)
            .in_time()
            .await?;
        let state = state.ok_or_else(|| FleetError::not_found("work", id))?;
        WorkState::read(&state)
    }
}

/// Converts a duration for `make_interval(secs => …)`; one that is too long for an interval means forever.
pub(super) fn seconds(duration: Duration) -> f64 {
    const CENTURY: f64 = 100.0 * 365.25 * 86400.0;
    duration.as_secs_f64().min(CENTURY)
}

fn seconds_since_1970(time: SystemTime) -> f64 {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) => since.as_secs_f64(),
        Err(before) => -before.duration().as_secs_f64(),
    }
}
