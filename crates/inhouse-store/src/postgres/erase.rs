//! Erasure in PostgreSQL.

use async_stream::try_stream;
use sqlx::{Postgres, Row as _, Transaction};

use super::PostgresStore;
use crate::{ErasedStream, ProjectKey, Result, SessionKey, StoreError, StoreErrorKind, StreamKey};

/// The number of keys of idle sessions that are read at once.
const KEYS: i64 = 1000;

/// The limits of a transaction: how long it waits for a lock, and how long it lasts if its host is stopped.
const BEGIN: &str =
    "begin; set local lock_timeout = '5s'; set local idle_in_transaction_session_timeout = '60s'";

/// The SQLSTATE of a statement that has waited for a lock for too long.
const LOCK_NOT_AVAILABLE: &str = "55P03";

/// Adds the condition for a session `s` to be idle: no lease, and no append after the time `$3`.
macro_rules! if_idle {
    ($statement:literal) => {
        concat!(
            $statement,
            " and (owner is null or until <= inhouse_now())
              and coalesce((select modified from inhouse_stream t
                            where t.project = s.project and t.session = s.session and t.subpath = ''), owned) <= $3"
        )
    };
}

/// Reads keys of idle sessions after a key.
const IDLE: &str = concat!(
    if_idle!(
        "select project, session from inhouse_session s
         where (project, session) > ($1, $2) and ($4::text is null or project = $4)"
    ),
    " order by project, session limit $5"
);

/// Locks an idle session. The lock waits for an append in progress, and the statement after it sees its time. A session that is in use is not locked.
const LOCK_IDLE: &str = concat!(
    if_idle!("select 1 from inhouse_session s where project = $1 and session = $2"),
    " for update"
);

const DELETE_IDLE: &str =
    if_idle!("delete from inhouse_session s where project = $1 and session = $2");

impl PostgresStore {
    pub(super) async fn erase_stream(&self, stream: &StreamKey) -> Result<()> {
        let mut transaction = self.begin().await?;
        // First, as in an erasure of the session, which has entries locked before their stream. Renewals do not wait for a key share lock.
        sqlx::query(
            "select 1 from inhouse_session where project = $1 and session = $2 for key share",
        )
        .bind(stream.session().project().as_str())
        .bind(stream.session().session())
        .execute(&mut *transaction)
        .await?;
        // The lock waits for an append in progress, whose entries the statement after it would not see otherwise.
        let id: Option<i64> = sqlx::query_scalar(
            "delete from inhouse_stream where project = $1 and session = $2 and subpath = $3 returning id",
        )
        .bind(stream.session().project().as_str())
        .bind(stream.session().session())
        .bind(stream.subpath().unwrap_or_default())
        .fetch_optional(&mut *transaction)
        .await?;
        sqlx::query("delete from inhouse_entry where stream = $1")
            .bind(id)
            .execute(&mut *transaction)
            .await?;
        Ok(transaction.commit().await?)
    }

    pub(super) async fn erase_session(&self, session: &SessionKey) -> Result<()> {
        let mut transaction = self.begin().await?;
        // First, so that an append in progress ends before, and a later one is fenced.
        sqlx::query("delete from inhouse_session where project = $1 and session = $2")
            .bind(session.project().as_str())
            .bind(session.session())
            .execute(&mut *transaction)
            .await?;
        erase_data(transaction, session).await
    }

    /// Erases the sessions without an append for `idle` microseconds before now, each in a separate transaction.
    pub(super) fn erase_idle_since(&self, idle: i64, project: Option<ProjectKey>) -> ErasedStream {
        let store = self.clone();
        Box::pin(try_stream! {
            let since = sqlx::query_scalar("select inhouse_now() - $1").bind(idle);
            let since: i64 = since.fetch_one(&store.pool).await.map_err(StoreError::from)?;
            let (mut last_project, mut last_session) = (String::new(), String::new());
            loop {
                let rows = sqlx::query(IDLE)
                    .bind(last_project.as_str())
                    .bind(last_session.as_str())
                    .bind(since)
                    .bind(project.as_ref().map(ProjectKey::as_str))
                    .bind(KEYS)
                    .fetch_all(&store.pool)
                    .await
                    .map_err(StoreError::from)?;
                if rows.is_empty() {
                    return;
                }
                for row in rows {
                    last_project = row.try_get(0).map_err(StoreError::from)?;
                    last_session = row.try_get(1).map_err(StoreError::from)?;
                    let session = SessionKey::new(last_project.as_str(), last_session.as_str())?;
                    if store.erase_if_idle(&session, since).await? {
                        yield session;
                    }
                }
            }
        })
    }

    /// Erases a session if it is still idle and not locked for long; returns whether it was erased.
    async fn erase_if_idle(&self, session: &SessionKey, since: i64) -> Result<bool> {
        let mut transaction = self.begin().await?;
        for statement in [LOCK_IDLE, DELETE_IDLE] {
            let done = sqlx::query(statement)
                .bind(session.project().as_str())
                .bind(session.session())
                .bind(since)
                .execute(&mut *transaction)
                .await;
            match done {
                Ok(done) if done.rows_affected() > 0 => {}
                Ok(_) => return Ok(false),
                Err(sqlx::Error::Database(error))
                    if error.code().as_deref() == Some(LOCK_NOT_AVAILABLE) =>
                {
                    return Ok(false);
                }
                Err(error) => return Err(error.into()),
            }
        }
        erase_data(transaction, session).await?;
        Ok(true)
    }

    /// Begins a transaction, in a task that ends even if this future is dropped.
    ///
    /// Dropping `Pool::begin` after its request was sent returns a connection with an open transaction to the pool (sqlx 0.9): later
    /// writes on it would not be committed.
    async fn begin(&self) -> Result<Transaction<'static, Postgres>> {
        let pool = self.pool.clone();
        let begun = tokio::spawn(async move { pool.begin_with(BEGIN).await }).await;
        Ok(begun.map_err(|error| {
            StoreError::new(StoreErrorKind::Unavailable, "the runtime is shutting down")
                .with_source(error)
        })??)
    }
}

/// Erases the data of a session whose row in `inhouse_session` this transaction has deleted, and commits.
async fn erase_data(
    mut transaction: Transaction<'static, Postgres>,
    session: &SessionKey,
) -> Result<()> {
    for statement in [
        "delete from inhouse_entry where stream in
         (select id from inhouse_stream where project = $1 and session = $2)",
        "delete from inhouse_stream where project = $1 and session = $2",
        "delete from inhouse_file where project = $1 and session = $2",
        "delete from inhouse_journal where project = $1 and session = $2",
    ] {
        sqlx::query(statement)
            .bind(session.project().as_str())
            .bind(session.session())
            .execute(&mut *transaction)
            .await?;
    }
    Ok(transaction.commit().await?)
}
