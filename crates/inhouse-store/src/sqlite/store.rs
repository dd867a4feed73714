//! `SessionStore` for SQLite.

use std::time::Duration;

use async_stream::try_stream;
use async_trait::async_trait;
use bytes::Bytes;
use futures_util::TryStreamExt as _;
use sqlx::{QueryBuilder, Row as _, Sqlite, SqliteConnection};

use super::{SqliteStore, current_epoch, now, own};
use crate::{
    Append, EntryStream, Epoch, Erase, ErasedStream, FileInfo, FilePath, Journal, Leases, Page,
    Position, ProjectKey, Result, SessionInfo, SessionKey, SessionPage, SessionStore, StoreError,
    StreamKey, compress, sql,
};

/// Rows of one insert statement: five parameters each, of at most 32,766.
const ROWS_PER_INSERT: usize = 100;

#[async_trait]
impl SessionStore for SqliteStore {
    async fn fence(&self, session: &SessionKey, epoch: Option<Epoch>) -> Result<Epoch> {
        let mut transaction = self.begin().await?;
        let current = current_epoch(&mut transaction, session).await?;
        let epoch = match (current, epoch) {
            (Some(current), Some(epoch)) if current == epoch => return Ok(epoch),
            (Some(current), Some(epoch)) if current > epoch => {
                return Err(StoreError::fenced(session, epoch));
            }
            _ => own(&mut transaction, session, epoch, None).await?,
        };
        transaction.commit().await?;
        Ok(epoch)
    }

    async fn append(&self, stream: &StreamKey, append: &Append) -> Result<Position> {
        let position = sql::to_i64(append.position.get())?;
        let append_end = sql::to_i64(append.end().get())?;
        let epoch = sql::to_i64(append.epoch.get())?;
        let mut transaction = self.begin_held(stream.session(), append.epoch).await?;
        let row = sqlx::query(
            "select id, next from inhouse_stream where project = ? and session = ? and subpath = ?",
        )
        .bind(stream.session().project().as_str())
        .bind(stream.session().session())
        .bind(stream.subpath().unwrap_or_default())
        .fetch_optional(&mut *transaction)
        .await?;
        let (id, end) = match row {
            Some(row) => (Some(row.try_get::<i64, _>(0)?), row.try_get::<i64, _>(1)?),
            None => (None, 0),
        };
        if position > end {
            return Err(StoreError::gap(append.position, sql::to_position(end)?));
        }
        if position < end.min(append_end) {
            let of_others: bool = sqlx::query_scalar(
                "select exists (select 1 from inhouse_entry
                 where stream = ? and position >= ? and position < ? and epoch <> ?)",
            )
            .bind(id)
            .bind(position)
            .bind(append_end)
            .bind(epoch)
            .fetch_one(&mut *transaction)
            .await?;
            if of_others {
                return Err(StoreError::conflict(append.position));
            }
        }
        if append_end <= end {
            return sql::to_position(end);
        }
        let summary = append.summary.as_ref().filter(|_| stream.is_main());
        let id: i64 = sqlx::query_scalar(
            "insert into inhouse_stream (project, session, subpath, next, modified, summary) values (?, ?, ?, ?, ?, ?)
             on conflict (project, session, subpath) do update
             set next = excluded.next, modified = max(excluded.modified, modified + 1),
                 summary = coalesce(excluded.summary, summary)
             returning id",
        )
        .bind(stream.session().project().as_str())
        .bind(stream.session().session())
        .bind(stream.subpath().unwrap_or_default())
        .bind(append_end)
        .bind(now())
        .bind(summary.map(|summary| &**summary))
        .fetch_one(&mut *transaction)
        .await?;
        let skipped = usize::try_from(end - position).unwrap_or(usize::MAX);
        let new: Vec<_> = append.entries[skipped..].iter().zip(end..).collect();
        for rows in new.chunks(ROWS_PER_INSERT) {
            insert(&mut transaction, id, epoch, rows).await?;
        }
        transaction.commit().await?;
        Ok(append.end())
    }

    async fn end(&self, stream: &StreamKey) -> Result<Position> {
        let next: Option<i64> = sqlx::query_scalar(
            "select next from inhouse_stream where project = ? and session = ? and subpath = ?",
        )
        .bind(stream.session().project().as_str())
        .bind(stream.session().session())
        .bind(stream.subpath().unwrap_or_default())
        .fetch_optional(&self.readers)
        .await?;
        sql::to_position(next.unwrap_or(0))
    }

    fn load(&self, stream: &StreamKey, from: Position) -> EntryStream {
        let (readers, stream) = (self.readers.clone(), stream.clone());
        Box::pin(try_stream! {
            let mut rows = sqlx::query(
                "select encoding, body from inhouse_entry where stream =
                 (select id from inhouse_stream where project = ? and session = ? and subpath = ?)
                 and position >= ? order by position",
            )
            .bind(stream.session().project().as_str())
            .bind(stream.session().session())
            .bind(stream.subpath().unwrap_or_default())
            .bind(sql::to_i64(from.get())?)
            .fetch(&readers);
            while let Some(row) = rows.try_next().await.map_err(StoreError::from)? {
                let body: Vec<u8> = row.try_get(1).map_err(StoreError::from)?;
                yield compress::decode(row.try_get(0).map_err(StoreError::from)?, body.into())?;
            }
        })
    }

    async fn subpaths(&self, session: &SessionKey) -> Result<Vec<StreamKey>> {
        let subpaths: Vec<String> = sqlx::query_scalar(
            "select subpath from inhouse_stream where project = ? and session = ? and subpath <> '' order by subpath",
        )
        .bind(session.project().as_str())
        .bind(session.session())
        .fetch_all(&self.readers)
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
             where project = ?1 and subpath = '' and (modified, session) < (?2, ?3)
             order by modified desc, session desc limit ?4",
        )
        .bind(project.as_str())
        .bind(place.modified)
        .bind(place.session)
        .bind(sql::row_limit(page))
        .fetch_all(&self.readers)
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
        let size = sql::to_i64(content.len() as u64)?;
        let (encoding, body) = compress::encode(&content);
        let mut transaction = self.begin_held(session, epoch).await?;
        sqlx::query(
            "insert or replace into inhouse_file (project, session, path, size, encoding, body) values (?, ?, ?, ?, ?, ?)",
        )
        .bind(session.project().as_str())
        .bind(session.session())
        .bind(path.as_str())
        .bind(size)
        .bind(i64::from(encoding))
        .bind(&*body)
        .execute(&mut *transaction)
        .await?;
        Ok(transaction.commit().await?)
    }

    async fn file(&self, session: &SessionKey, path: &FilePath) -> Result<Option<Bytes>> {
        let row = sqlx::query(
            "select encoding, body from inhouse_file where project = ? and session = ? and path = ?",
        )
        .bind(session.project().as_str())
        .bind(session.session())
        .bind(path.as_str())
        .fetch_optional(&self.readers)
        .await?;
        let Some(row) = row else { return Ok(None) };
        let body: Vec<u8> = row.try_get(1)?;
        compress::decode(row.try_get(0)?, body.into()).map(Some)
    }

    async fn files(&self, session: &SessionKey) -> Result<Vec<FileInfo>> {
        let rows = sqlx::query(
            "select path, size from inhouse_file where project = ? and session = ? order by path",
        )
        .bind(session.project().as_str())
        .bind(session.session())
        .fetch_all(&self.readers)
        .await?;
        let mut files = Vec::new();
        for row in rows {
            let path = FilePath::new(row.try_get::<String, _>(0)?)?;
            files.push(FileInfo::new(path, sql::to_u64(row.try_get(1)?)?));
        }
        Ok(files)
    }

    async fn erase(&self, what: &Erase) -> Result<()> {
        let erased = match what {
            Erase::Stream(stream) if !stream.is_main() => self.erase_stream(stream).await,
            Erase::Stream(stream) => self.erase_session(stream.session()).await,
            Erase::Session(session) => self.erase_session(session).await,
            Erase::Project(project) => self.erase_project(project).await,
        };
        // Also after an error: some sessions of a project may be erased.
        let emptied = self.empty_log().await;
        erased.and(emptied)
    }

    fn erase_idle(&self, idle: Duration, project: Option<&ProjectKey>) -> ErasedStream {
        self.erase_idle_since(now() - sql::to_microseconds(idle), project.cloned())
    }

    fn leases(&self) -> Option<&dyn Leases> {
        Some(self)
    }

    fn journal(&self) -> Option<&dyn Journal> {
        Some(self)
    }
}

/// Inserts entries with their positions.
async fn insert(
    connection: &mut SqliteConnection,
    stream: i64,
    epoch: i64,
    entries: &[(&Bytes, i64)],
) -> Result<()> {
    let mut query = QueryBuilder::<Sqlite>::new(
        "insert into inhouse_entry (stream, position, epoch, encoding, body) ",
    );
    query.push_values(entries, |mut row, (entry, position)| {
        let (encoding, body) = compress::encode(entry);
        row.push_bind(stream)
            .push_bind(*position)
            .push_bind(epoch)
            .push_bind(i64::from(encoding))
            .push_bind(Vec::from(body));
    });
    query.build().execute(connection).await?;
    Ok(())
}
