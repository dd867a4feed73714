//! Erasure in SQLite.

use std::time::{Duration, Instant};

use async_stream::try_stream;
use futures_util::TryStreamExt as _;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection as _, Row as _, Sqlite, SqliteConnection, Transaction};

use super::{SqliteStore, now};
use crate::{ErasedStream, ProjectKey, Result, SessionKey, StoreError, StreamKey};

/// How long an erasure waits for readers before the log is emptied. Writes wait meanwhile.
const CHECKPOINT_TIMEOUT: Duration = Duration::from_millis(100);

/// The number of keys of idle sessions that are read at once.
const KEYS: i64 = 1000;

/// The number of idle sessions after whose erasure the log is emptied.
const EMPTIED: usize = 100;

/// The longest pause between the erasures of two sessions.
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

/// Adds the condition for a session `s` to be idle: no lease at the time `?3`, and no append after `?4`.
macro_rules! if_idle {
    ($statement:literal) => {
        concat!(
            $statement,
            " and (owner is null or until <= ?3)
              and coalesce((select modified from inhouse_stream t
                            where t.project = s.project and t.session = s.session and t.subpath = ''), owned) <= ?4"
        )
    };
}

/// Reads keys of idle sessions after a key.
const IDLE: &str = concat!(
    if_idle!(
        "select project, session from inhouse_session s
         where (project, session) > (?1, ?2) and (?5 is null or project = ?5)"
    ),
    " order by project, session limit ?6"
);

const DELETE_IDLE: &str =
    if_idle!("delete from inhouse_session as s where project = ?1 and session = ?2");

impl SqliteStore {
    pub(super) async fn erase_stream(&self, stream: &StreamKey) -> Result<()> {
        let mut transaction = self.begin().await?;
        let id: Option<i64> = sqlx::query_scalar(
            "delete from inhouse_stream where project = ? and session = ? and subpath = ? returning id",
        )
        .bind(stream.session().project().as_str())
        .bind(stream.session().session())
        .bind(stream.subpath().unwrap_or_default())
        .fetch_optional(&mut *transaction)
        .await?;
        sqlx::query("delete from inhouse_entry where stream = ?")
            .bind(id)
            .execute(&mut *transaction)
            .await?;
        Ok(transaction.commit().await?)
    }

    pub(super) async fn erase_session(&self, session: &SessionKey) -> Result<()> {
        let mut transaction = self.begin().await?;
        sqlx::query("delete from inhouse_session where project = ? and session = ?")
            .bind(session.project().as_str())
            .bind(session.session())
            .execute(&mut *transaction)
            .await?;
        erase_data(transaction, session).await
    }

    pub(super) async fn erase_project(&self, project: &ProjectKey) -> Result<()> {
        let sessions: Vec<String> =
            sqlx::query_scalar("select session from inhouse_session where project = ?")
                .bind(project.as_str())
                .fetch_all(&self.readers)
                .await?;
        for session in sessions {
            let begin = Instant::now();
            self.erase_session(&project.session(session)?).await?;
            pause_after(begin).await;
        }
        Ok(())
    }

    /// Erases the sessions without an append after `since`, each in a separate transaction, and removes them from the log.
    pub(super) fn erase_idle_since(&self, since: i64, project: Option<ProjectKey>) -> ErasedStream {
        let store = self.clone();
        let mut sessions = self.erase_each_idle(since, project);
        Box::pin(try_stream! {
            let mut erased = 0;
            loop {
                match sessions.try_next().await {
                    Ok(Some(session)) => yield session,
                    Ok(None) => break,
                    Err(error) => {
                        // The first error says more than that of the log, which the next erasure empties.
                        let _ = store.empty_log().await;
                        Err(error)?;
                    }
                }
                erased += 1;
                if erased % EMPTIED == 0 {
                    store.empty_log().await?;
                }
            }
            store.empty_log().await?;
        })
    }

    /// Erases the sessions without an append after `since`, each in a separate transaction. The log may keep them.
    fn erase_each_idle(&self, since: i64, project: Option<ProjectKey>) -> ErasedStream {
        let store = self.clone();
        Box::pin(try_stream! {
            let (mut last_project, mut last_session) = (String::new(), String::new());
            loop {
                let rows = sqlx::query(IDLE)
                    .bind(last_project.as_str())
                    .bind(last_session.as_str())
                    .bind(now())
                    .bind(since)
                    .bind(project.as_ref().map(ProjectKey::as_str))
                    .bind(KEYS)
                    .fetch_all(&store.readers)
                    .await
                    .map_err(StoreError::from)?;
                if rows.is_empty() {
                    return;
                }
                for row in rows {
                    last_project = row.try_get(0).map_err(StoreError::from)?;
                    last_session = row.try_get(1).map_err(StoreError::from)?;
                    let session = SessionKey::new(last_project.as_str(), last_session.as_str())?;
                    let begin = Instant::now();
                    if store.erase_if_idle(&session, since).await? {
                        yield session;
                    }
                    pause_after(begin).await;
                }
            }
        })
    }

    /// Erases a session if it is still idle; returns whether it was erased.
    async fn erase_if_idle(&self, session: &SessionKey, since: i64) -> Result<bool> {
        let mut transaction = self.begin().await?;
        let deleted = sqlx::query(DELETE_IDLE)
            .bind(session.project().as_str())
            .bind(session.session())
            .bind(now())
            .bind(since)
            .execute(&mut *transaction)
            .await?;
        if deleted.rows_affected() == 0 {
            return Ok(false);
        }
        erase_data(transaction, session).await?;
        Ok(true)
    }

    /// Moves the log into the file and empties it, so that erased data is in neither.
    pub(super) async fn empty_log(&self) -> Result<()> {
        // A separate connection: a call that is dropped must not leave another timeout behind.
        let options = self.writer.connect_options();
        let options = SqliteConnectOptions::clone(&options).busy_timeout(CHECKPOINT_TIMEOUT);
        let mut connection = SqliteConnection::connect_with(&options).await?;
        // Readers may keep the log, which is no error: the data is erased all the same.
        sqlx::query("pragma wal_checkpoint(truncate)")
            .execute(&mut connection)
            .await?;
        Ok(connection.close().await?)
    }
}

/// Erases the data of a session whose row in `inhouse_session` this transaction has deleted, and commits.
async fn erase_data(
    mut transaction: Transaction<'static, Sqlite>,
    session: &SessionKey,
) -> Result<()> {
    for statement in [
        "delete from inhouse_entry where stream in
         (select id from inhouse_stream where project = ? and session = ?)",
        "delete from inhouse_stream where project = ? and session = ?",
        "delete from inhouse_file where project = ? and session = ?",
        "delete from inhouse_journal where project = ? and session = ?",
    ] {
        sqlx::query(statement)
            .bind(session.project().as_str())
            .bind(session.session())
            .execute(&mut *transaction)
            .await?;
    }
    Ok(transaction.commit().await?)
}

/// Pauses for as long as an erasure took. Other processes ask for the lock of the file again and again, and find it free only in a pause.
async fn pause_after(begin: Instant) {
    tokio::time::sleep(begin.elapsed().min(LONGEST_PAUSE)).await;
}
