//! `SessionStore` for PostgreSQL.

use std::time::Duration;

use async_stream::try_stream;
use async_trait::async_trait;
use bytes::Bytes;
use futures_util::TryStreamExt as _;
use sqlx::{PgConnection, Postgres, Row as _, Transaction};

use super::PostgresStore;
use crate::{
    Append, EntryStream, Epoch, Erase, FileInfo, FilePath, Journal, Leases, Page, Position,
    ProjectKey, Result, SessionInfo, SessionKey, SessionPage, SessionStore, StoreError,
    StoreErrorKind, StreamKey, sql,
};

/// Appends in one statement. The share lock on the session lasts until the statement has committed, and a new owner updates that row, so it waits
/// for this statement or this statement sees the new epoch. Two appends of the same owner at the same time meet in the conflict on the
/// stream, then on the entries.
const APPEND: &str = "
with held as (
    select 1 from inhouse_session where project = $1 and session = $2 and epoch = $4 for share
), stream as (
    select id, next from inhouse_stream where project = $1 and session = $2 and subpath = $3
), state as (
    select coalesce((select next from stream), 0) as next,
           exists (select 1 from inhouse_entry where stream = (select id from stream)
                   and position >= $5 and position < $5 + cardinality($6) and epoch <> $4) as conflict
), extended as (
    insert into inhouse_stream (project, session, subpath, next, modified, summary)
    select $1, $2, $3, $5 + cardinality($6), inhouse_now(), $7 from held, state
    where $5 <= state.next and not state.conflict and $5 + cardinality($6) > state.next
    on conflict (project, session, subpath) do update
    set next = greatest(inhouse_stream.next, excluded.next),
        modified = greatest(inhouse_stream.modified + 1, excluded.modified),
        summary = case when excluded.next > inhouse_stream.next
                  then coalesce(excluded.summary, inhouse_stream.summary) else inhouse_stream.summary end
    returning id
), added as (
    insert into inhouse_entry (stream, position, epoch, body)
    select extended.id, $5 + entry.number - 1, $4, entry.body
    from extended, unnest($6) with ordinality as entry (body, number)
    on conflict do nothing
)
select (select count(*) from held), next, conflict from state";

#[async_trait]
impl SessionStore for PostgresStore {
    async fn fence(&self, session: &SessionKey, epoch: Option<Epoch>) -> Result<Epoch> {
        let epoch = match epoch {
            Some(epoch) => sql::to_i64(epoch.get())?,
            None => {
                // The second `nextval` runs when the row is locked, so epochs of a session grow in the order of their commits.
                let epoch: i64 = sqlx::query_scalar(
                    "insert into inhouse_session as s (project, session, epoch, owned)
                     values ($1, $2, nextval('inhouse_epoch'), inhouse_now())
                     on conflict (project, session) do update
                     set epoch = greatest(nextval('inhouse_epoch'), s.epoch + 1),
                         owner = null, until = 0, owned = excluded.owned
                     returning epoch",
                )
                .bind(session.project().as_str())
                .bind(session.session())
                .fetch_one(&self.pool)
                .await?;
                return sql::to_epoch(epoch);
            }
        };
        let current: i64 = sqlx::query_scalar(
            "insert into inhouse_session as s (project, session, epoch, owned) values ($1, $2, $3, inhouse_now())
             on conflict (project, session) do update
             set epoch = greatest(s.epoch, excluded.epoch),
                 owner = case when s.epoch < excluded.epoch then null else s.owner end,
                 until = case when s.epoch < excluded.epoch then 0 else s.until end,
                 owned = case when s.epoch < excluded.epoch then excluded.owned else s.owned end
             returning epoch",
        )
        .bind(session.project().as_str())
        .bind(session.session())
        .bind(epoch)
        .fetch_one(&self.pool)
        .await?;
        if current > epoch {
            return Err(StoreError::fenced(session, sql::to_epoch(epoch)?));
        }
        sql::to_epoch(epoch)
    }

    async fn append(&self, stream: &StreamKey, append: &Append) -> Result<Position> {
        sql::to_i64(append.end().get())?;
        let entries: Vec<&[u8]> = append.entries.iter().map(|entry| &**entry).collect();
        let summary = append.summary.as_ref().filter(|_| stream.is_main());
        let row = sqlx::query(APPEND)
            .bind(stream.session().project().as_str())
            .bind(stream.session().session())
            .bind(stream.subpath().unwrap_or_default())
            .bind(sql::to_i64(append.epoch.get())?)
            .bind(sql::to_i64(append.position.get())?)
            .bind(entries)
            .bind(summary.map(|summary| &**summary))
            .fetch_one(&self.pool)
            .await?;
        let end = sql::to_position(row.try_get(1)?)?;
        if row.try_get::<i64, _>(0)? == 0 {
            Err(StoreError::fenced(stream.session(), append.epoch))
        } else if append.position > end {
            Err(StoreError::gap(append.position, end))
        } else if row.try_get(2)? {
            Err(StoreError::conflict(append.position))
        } else {
            Ok(end.max(append.end()))
        }
    }

    async fn end(&self, stream: &StreamKey) -> Result<Position> {
        let next: Option<i64> = sqlx::query_scalar(
            "select next from inhouse_stream where project = $1 and session = $2 and subpath = $3",
        )
        .bind(stream.session().project().as_str())
        .bind(stream.session().session())
        .bind(stream.subpath().unwrap_or_default())
        .fetch_optional(&self.pool)
        .await?;
        sql::to_position(next.unwrap_or(0))
    }

    fn load(&self, stream: &StreamKey, from: Position) -> EntryStream {
        let (pool, stream) = (self.pool.clone(), stream.clone());
        Box::pin(try_stream! {
            let mut rows = sqlx::query(
                "select body from inhouse_entry where stream =
                 (select id from inhouse_stream where project = $1 and session = $2 and subpath = $3)
                 and position >= $4 order by position",
            )
            .bind(stream.session().project().as_str())
            .bind(stream.session().session())
            .bind(stream.subpath().unwrap_or_default())
            .bind(sql::to_i64(from.get())?)
            .fetch(&pool);
            while let Some(row) = rows.try_next().await.map_err(StoreError::from)? {
                let body: Vec<u8> = row.try_get(0).map_err(StoreError::from)?;
                yield Bytes::from(body);
            }
        })
    }

    async fn subpaths(&self, session: &SessionKey) -> Result<Vec<StreamKey>> {
        let subpaths: Vec<String> = sqlx::query_scalar(
            "select subpath from inhouse_stream where project = $1 and session = $2 and subpath <> '' order by subpath",
        )
        .bind(session.project().as_str())
        .bind(session.session())
        .fetch_all(&self.pool)
        .await?;
        subpaths
            .into_iter()
            .map(|path| session.stream(path))
            .collect()
    }

    async fn list(&self, project: &ProjectKey, page: &Page) -> Result<SessionPage> {
        let place = sql::Place::before(page)?;
        let rows = sqlx::query(
            "select session, modified, next, summary from inhouse_stream
             where project = $1 and subpath = '' and (modified, session) < ($2, $3)
             order by modified desc, session desc limit $4",
        )
        .bind(project.as_str())
        .bind(place.modified)
        .bind(place.session)
        .bind(sql::row_limit(page))
        .fetch_all(&self.pool)
        .await?;
        let mut sessions = Vec::new();
        for row in rows {
            let key = project.session(row.try_get::<String, _>(0)?)?;
            let modified = row.try_get(1)?;
            let end = sql::to_position(row.try_get(2)?)?;
            let summary: Option<Vec<u8>> = row.try_get(3)?;
            let info = SessionInfo::new(key, sql::to_time(modified)?, end);
            sessions.push((modified, info.summary(summary.map(Bytes::from))));
        }
        Ok(sql::page(page, sessions))
    }

    async fn put_file(
        &self,
        session: &SessionKey,
        epoch: Epoch,
        path: &FilePath,
        content: Bytes,
    ) -> Result<()> {
        let written = sqlx::query(
            "with held as (
                 select 1 from inhouse_session where project = $1 and session = $2 and epoch = $3 for share
             )
             insert into inhouse_file (project, session, path, body) select $1, $2, $4, $5 from held
             on conflict (project, session, path) do update set body = excluded.body",
        )
        .bind(session.project().as_str())
        .bind(session.session())
        .bind(sql::to_i64(epoch.get())?)
        .bind(path.as_str())
        .bind(&*content)
        .execute(&self.pool)
        .await?;
        match written.rows_affected() {
            0 => Err(StoreError::fenced(session, epoch)),
            _ => Ok(()),
        }
    }

    async fn file(&self, session: &SessionKey, path: &FilePath) -> Result<Option<Bytes>> {
        let body: Option<Vec<u8>> = sqlx::query_scalar(
            "select body from inhouse_file where project = $1 and session = $2 and path = $3",
        )
        .bind(session.project().as_str())
        .bind(session.session())
        .bind(path.as_str())
        .fetch_optional(&self.pool)
        .await?;
        Ok(body.map(Bytes::from))
    }

    async fn files(&self, session: &SessionKey) -> Result<Vec<FileInfo>> {
        let rows = sqlx::query(
            "select path, octet_length(body)::bigint from inhouse_file
             where project = $1 and session = $2 order by path",
        )
        .bind(session.project().as_str())
        .bind(session.session())
        .fetch_all(&self.pool)
        .await?;
        let mut files = Vec::new();
        for row in rows {
            let path = FilePath::new(row.try_get::<String, _>(0)?)?;
            files.push(FileInfo::new(path, sql::to_u64(row.try_get(1)?)?));
        }
        Ok(files)
    }

    async fn erase(&self, what: &Erase) -> Result<()> {
        match what {
            Erase::Stream(stream) if !stream.is_main() => {
                // The lock waits for an append in progress, whose entries the statement after it would not see otherwise.
                let mut transaction = self.begin().await?;
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
            Erase::Stream(stream) => self.erase_session(stream.session()).await,
            Erase::Session(session) => self.erase_session(session).await,
            Erase::Project(project) => {
                let mut transaction = self.begin().await?;
                let sessions: Vec<String> = sqlx::query_scalar(
                    "delete from inhouse_session where project = $1 returning session",
                )
                .bind(project.as_str())
                .fetch_all(&mut *transaction)
                .await?;
                erase_data(&mut transaction, project, &sessions).await?;
                Ok(transaction.commit().await?)
            }
        }
    }

    async fn erase_idle(&self, idle: Duration, project: Option<&ProjectKey>) -> Result<u64> {
        let rows = sqlx::query(
            "select project, session from inhouse_session where $1::text is null or project = $1",
        )
        .bind(project.map(ProjectKey::as_str))
        .fetch_all(&self.pool)
        .await?;
        let mut erased = 0;
        for row in rows {
            let (project, session) = (row.try_get::<String, _>(0)?, row.try_get::<String, _>(1)?);
            let session = SessionKey::new(project, session)?;
            erased += u64::from(self.erase_if_idle(&session, idle).await?);
        }
        Ok(erased)
    }

    fn leases(&self) -> Option<&dyn Leases> {
        Some(self)
    }

    fn journal(&self) -> Option<&dyn Journal> {
        Some(self)
    }
}

impl PostgresStore {
    /// Begins a transaction, in a task that ends even if this future is dropped.
    ///
    /// Dropping `Pool::begin` after its request was sent returns a connection with an open transaction to the pool (sqlx 0.9): later
    /// writes on it would not be committed.
    async fn begin(&self) -> Result<Transaction<'static, Postgres>> {
        let pool = self.pool.clone();
        let begun = tokio::spawn(async move { pool.begin().await }).await;
        Ok(begun.map_err(|error| {
            StoreError::new(StoreErrorKind::Unavailable, "the runtime is shutting down")
                .with_source(error)
        })??)
    }

    async fn erase_session(&self, session: &SessionKey) -> Result<()> {
        let mut transaction = self.begin().await?;
        // First, so that an append in progress ends before, and a later one is fenced.
        sqlx::query("delete from inhouse_session where project = $1 and session = $2")
            .bind(session.project().as_str())
            .bind(session.session())
            .execute(&mut *transaction)
            .await?;
        let sessions = [session.session().to_owned()];
        erase_data(&mut transaction, session.project(), &sessions).await?;
        Ok(transaction.commit().await?)
    }

    async fn erase_if_idle(&self, session: &SessionKey, idle: Duration) -> Result<bool> {
        let mut transaction = self.begin().await?;
        // The lock waits for an append in progress, and the second statement sees its time.
        for statement in [
            "select 1 from inhouse_session where project = $1 and session = $2 and inhouse_now() >= $3 for update",
            "delete from inhouse_session s where project = $1 and session = $2
             and (owner is null or until <= inhouse_now())
             and coalesce((select modified from inhouse_stream t
                           where t.project = s.project and t.session = s.session and t.subpath = ''), owned)
                 <= inhouse_now() - $3",
        ] {
            let done = sqlx::query(statement)
                .bind(session.project().as_str())
                .bind(session.session())
                .bind(sql::to_microseconds(idle))
                .execute(&mut *transaction)
                .await?;
            if done.rows_affected() == 0 {
                return Ok(false);
            }
        }
        let sessions = [session.session().to_owned()];
        erase_data(&mut transaction, session.project(), &sessions).await?;
        transaction.commit().await?;
        Ok(true)
    }
}

/// Erases the data of sessions whose rows in `inhouse_session` this transaction has deleted.
async fn erase_data(
    connection: &mut PgConnection,
    project: &ProjectKey,
    sessions: &[String],
) -> Result<()> {
    for statement in [
        "delete from inhouse_entry where stream in
         (select id from inhouse_stream where project = $1 and session = any($2))",
        "delete from inhouse_stream where project = $1 and session = any($2)",
        "delete from inhouse_file where project = $1 and session = any($2)",
        "delete from inhouse_journal where project = $1 and session = any($2)",
    ] {
        sqlx::query(statement)
            .bind(project.as_str())
            .bind(sessions)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}
