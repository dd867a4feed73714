//! `SessionStore` for PostgreSQL.

use std::time::Duration;

use async_stream::try_stream;
use async_trait::async_trait;
use bytes::Bytes;
use sqlx::Row as _;

use super::PostgresStore;
use crate::{
    Append, EntryStream, Epoch, Erase, ErasedStream, FileInfo, FilePath, Journal, Leases, Page,
    Position, ProjectKey, Result, SessionInfo, SessionKey, SessionPage, SessionStore, StoreError,
    StoreErrorKind, StreamKey, sql,
};

/// Appends in one statement. The share lock on the session lasts until the statement has committed, and a new owner updates that row, so it waits
/// for this statement or this statement sees the new epoch. Two appends of the same owner at the same time meet at the row of the
/// stream, then at the entries.
///
/// `stream` and `state` are as old as the beginning of the statement. If the stream is erased while the statement waits for a lock, neither
/// `extended` nor `created` has a row, and the append is tried again.
const APPEND: &str = "
with limits as materialized (
    select set_config('lock_timeout', '5s', true)
), held as (
    select 1 from inhouse_session, limits
    where project = $1 and session = $2 and epoch = $4 for share of inhouse_session
), stream as (
    select id, next from inhouse_stream where project = $1 and session = $2 and subpath = $3
), state as (
    select coalesce((select next from stream), 0) as next,
           exists (select 1 from inhouse_entry where stream = (select id from stream)
                   and position >= $5 and position < $5 + cardinality($6) and epoch <> $4) as conflict
), extended as (
    update inhouse_stream s
    set next = greatest(s.next, $5 + cardinality($6)),
        modified = greatest(s.modified + 1, inhouse_now()),
        summary = case when $5 + cardinality($6) > s.next then coalesce($7, s.summary) else s.summary end
    from held, state, stream
    where s.id = stream.id and s.next >= $5 and not state.conflict and $5 + cardinality($6) > state.next
    returning s.id
), created as (
    insert into inhouse_stream as s (project, session, subpath, next, modified, summary)
    select $1, $2, $3, cardinality($6), inhouse_now(), $7 from held
    where $5 = 0 and cardinality($6) > 0 and not exists (select 1 from stream)
    on conflict (project, session, subpath) do update
    set next = greatest(s.next, excluded.next),
        modified = greatest(s.modified + 1, excluded.modified),
        summary = case when excluded.next > s.next then coalesce(excluded.summary, s.summary) else s.summary end
    returning id
), added as (
    insert into inhouse_entry (stream, position, epoch, body)
    select written.id, $5 + entry.number - 1, $4, entry.body
    from (select id from extended union all select id from created) as written,
         unnest($6) with ordinality as entry (body, number)
    on conflict do nothing
)
select (select count(*) from held), next, conflict,
       exists (select 1 from extended) or exists (select 1 from created) from state";

/// Reads entries from a position on: up to 256, of about a megabyte, and at least one.
const PAGE: &str = "
select body from (
    select position, body, sum(octet_length(body)) over (order by position) - octet_length(body) as before
    from (select position, body from inhouse_entry where stream = $1 and position >= $2 order by position limit 256) as rows
) as page where before < 1048576 order by position";

#[async_trait]
impl SessionStore for PostgresStore {
    async fn fence(&self, session: &SessionKey, epoch: Option<Epoch>) -> Result<Epoch> {
        let epoch = match epoch {
            Some(epoch) => sql::to_i64(epoch.get())?,
            None => return self.fence_next(session).await,
        };
        let current: i64 = sqlx::query_scalar(
            "with limits as materialized (select set_config('lock_timeout', '5s', true))
             insert into inhouse_session as s (project, session, epoch, owned)
             select $1, $2, $3, inhouse_now() from limits
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
        loop {
            let row = sqlx::query(APPEND)
                .bind(stream.session().project().as_str())
                .bind(stream.session().session())
                .bind(stream.subpath().unwrap_or_default())
                .bind(sql::to_i64(append.epoch.get())?)
                .bind(sql::to_i64(append.position.get())?)
                .bind(&entries)
                .bind(summary.map(|summary| &**summary))
                .fetch_one(&self.pool)
                .await?;
            let end = sql::to_position(row.try_get(1)?)?;
            if row.try_get::<i64, _>(0)? == 0 {
                return Err(StoreError::fenced(stream.session(), append.epoch));
            } else if append.position > end {
                return Err(StoreError::gap(append.position, end));
            } else if row.try_get(2)? {
                return Err(StoreError::conflict(append.position));
            } else if append.end() <= end || row.try_get(3)? {
                return Ok(end.max(append.end()));
            }
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
        // By pages: what a dropped statement has left to send is read before its connection is used again.
        Box::pin(try_stream! {
            let row = sqlx::query(
                "select id, next from inhouse_stream where project = $1 and session = $2 and subpath = $3",
            )
            .bind(stream.session().project().as_str())
            .bind(stream.session().session())
            .bind(stream.subpath().unwrap_or_default())
            .fetch_optional(&pool)
            .await
            .map_err(StoreError::from)?;
            let Some(row) = row else { return };
            let (id, end): (i64, i64) = (
                row.try_get(0).map_err(StoreError::from)?,
                row.try_get(1).map_err(StoreError::from)?,
            );
            let mut next = sql::to_i64(from.get())?;
            while next < end {
                let page = sqlx::query(PAGE).bind(id).bind(next).fetch_all(&pool).await;
                let page = page.map_err(StoreError::from)?;
                if page.is_empty() {
                    let message = "the stream was erased while it was read";
                    Err(StoreError::new(StoreErrorKind::Unavailable, message))?;
                }
                for row in page {
                    next += 1;
                    yield Bytes::from(row.try_get::<Vec<u8>, _>(0).map_err(StoreError::from)?);
                }
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
            "with limits as materialized (select set_config('lock_timeout', '5s', true)), held as (
                 select 1 from inhouse_session, limits
                 where project = $1 and session = $2 and epoch = $3 for share of inhouse_session
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
            Erase::Stream(stream) if !stream.is_main() => self.erase_stream(stream).await,
            Erase::Stream(stream) => self.erase_session(stream.session()).await,
            Erase::Session(session) => self.erase_session(session).await,
            Erase::Project(project) => {
                let sessions: Vec<String> =
                    sqlx::query_scalar("select session from inhouse_session where project = $1")
                        .bind(project.as_str())
                        .fetch_all(&self.pool)
                        .await?;
                for session in sessions {
                    self.erase_session(&project.session(session)?).await?;
                }
                Ok(())
            }
        }
    }

    fn erase_idle(&self, idle: Duration, project: Option<&ProjectKey>) -> ErasedStream {
        self.erase_idle_since(sql::to_microseconds(idle), project.cloned())
    }

    fn leases(&self) -> Option<&dyn Leases> {
        Some(self)
    }

    fn journal(&self) -> Option<&dyn Journal> {
        Some(self)
    }
}

impl PostgresStore {
    /// Returns an epoch for a new owner, which is the current one only when a statement sets it.
    ///
    /// The statement names the epoch, so one that was dropped and arrives after its repetition has a smaller epoch than that and changes nothing.
    pub(super) async fn next_epoch(&self, session: &SessionKey) -> Result<i64> {
        let epoch = sqlx::query_scalar(
            "select greatest(nextval('inhouse_epoch'), 1 + coalesce(
                 (select epoch from inhouse_session where project = $1 and session = $2), 0))",
        );
        let epoch = epoch
            .bind(session.project().as_str())
            .bind(session.session());
        Ok(epoch.fetch_one(&self.pool).await?)
    }

    async fn fence_next(&self, session: &SessionKey) -> Result<Epoch> {
        loop {
            let epoch = self.next_epoch(session).await?;
            let written = sqlx::query(
                "with limits as materialized (select set_config('lock_timeout', '5s', true))
                 insert into inhouse_session as s (project, session, epoch, owned)
                 select $1, $2, $3, inhouse_now() from limits
                 on conflict (project, session) do update
                 set epoch = excluded.epoch, owner = null, until = 0, owned = excluded.owned
                 where s.epoch < excluded.epoch",
            )
            .bind(session.project().as_str())
            .bind(session.session())
            .bind(epoch)
            .execute(&self.pool)
            .await?;
            // None if another owner took a greater epoch in between.
            if written.rows_affected() > 0 {
                return sql::to_epoch(epoch);
            }
        }
    }
}
