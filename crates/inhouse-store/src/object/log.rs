//! Requests to the backend: the log, the heads and the files.

use bytes::Bytes;
use futures_util::lock::OwnedMutexGuard;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectStoreExt as _, PutMode, PutPayload};

use super::ObjectStore;
use super::index::Index;
use super::record::{self, Change, Head, Record};
use crate::{Epoch, ProjectKey, Result, SessionKey, StoreError, StoreErrorKind};

/// The length that is read of a record to see its header.
const HEADER: u64 = 4096;
/// The number of requests at the same time.
const PARALLEL: usize = 16;
/// The number of sessions whose index is kept without use.
const CACHED: usize = 256;
/// Missing numbers up to this many are looked for one by one: some backends list while objects are created, and may miss one.
const PROBED: u64 = 100;

impl ObjectStore {
    /// Locks what is known of a session, without a request.
    pub(super) async fn index(&self, session: &SessionKey) -> OwnedMutexGuard<Index> {
        let shared = {
            let mut indexes = self
                .indexes
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            if indexes.len() >= CACHED && !indexes.contains_key(session) {
                indexes.retain(|_, index| std::sync::Arc::strong_count(index) > 1);
            }
            indexes.entry(session.clone()).or_default().clone()
        };
        shared.lock_owned().await
    }

    /// Locks what is known of a session, after reading the records that are new.
    pub(super) async fn fresh_index(&self, session: &SessionKey) -> Result<OwnedMutexGuard<Index>> {
        let mut index = self.index(session).await;
        self.refresh(session, &mut index).await?;
        Ok(index)
    }

    /// Reads the records after those in the index; returns whether one of them erases the session.
    pub(super) async fn refresh(&self, session: &SessionKey, index: &mut Index) -> Result<bool> {
        let known = index.next;
        let mut numbers = self.numbers(session, known).await?;
        let missing: Vec<u64> = match numbers.first() {
            // The log of an erased session does not begin with zero.
            Some(first) => {
                let begin = if known == 0 { *first } else { known };
                let end = numbers[numbers.len() - 1];
                let missing = (begin..end).filter(|number| numbers.binary_search(number).is_err());
                missing.take(PROBED as usize).collect()
            }
            None => Vec::new(),
        };
        numbers.extend(missing);
        numbers.sort_unstable();
        let records: Vec<_> = stream::iter(numbers)
            .map(async |number| Ok::<_, StoreError>((number, self.record(session, number).await?)))
            .buffered(PARALLEL)
            .try_collect()
            .await?;
        let mut is_erased = false;
        for (number, record) in records {
            // A record that was listed and is missing was erased; the record that says so follows.
            if let Some(record) = record {
                is_erased |= record.change == Change::Erase;
                index.apply(number, record);
            }
        }
        Ok(is_erased)
    }

    /// Creates the next record. Returns false if there is one with this number already, after reading it into the index.
    ///
    /// # Errors
    /// `Fenced` if the session was erased in the meantime.
    pub(super) async fn create(
        &self,
        session: &SessionKey,
        index: &mut Index,
        record: Record,
        body: &[Bytes],
    ) -> Result<bool> {
        if !self.put_record(session, index, &record, body).await? {
            return Ok(false);
        }
        self.check_created(session, index, &record).await?;
        Ok(true)
    }

    /// Creates the next record like [`create`](Self::create), without the check afterwards.
    pub(super) async fn put_record(
        &self,
        session: &SessionKey,
        index: &mut Index,
        record: &Record,
        body: &[Bytes],
    ) -> Result<bool> {
        let number = index.next;
        let path = self.record_path(session, number);
        let payload = PutPayload::from_iter(record::encode(record, body)?);
        match self
            .backend
            .put_opts(&path, payload, PutMode::Create.into())
            .await
        {
            Ok(_) => {
                index.apply(number, record.clone());
                Ok(true)
            }
            Err(
                object_store::Error::AlreadyExists { .. }
                | object_store::Error::Precondition { .. },
            ) => {
                self.read_conflict(session, index).await?;
                Ok(false)
            }
            Err(error) => Err(failure(error)),
        }
    }

    /// Checks that a record which was just created counts.
    ///
    /// Erasure removes records, so a writer with an old index may have created one in the middle of what was removed. The marker of the
    /// erasure has a greater number and is older than this record.
    ///
    /// # Errors
    /// `Fenced` if the session was erased in the meantime. Nothing of the record is left then.
    pub(super) async fn check_created(
        &self,
        session: &SessionKey,
        index: &mut Index,
        record: &Record,
    ) -> Result<()> {
        if self.refresh(session, index).await? {
            self.complete_erasure(session, index).await?;
            return Err(StoreError::fenced(session, Epoch::new(record.epoch)));
        }
        Ok(())
    }

    /// Reads the record that a create met, and those after it.
    async fn read_conflict(&self, session: &SessionKey, index: &mut Index) -> Result<()> {
        let number = index.next;
        // Not by a list: the object exists, but a backend may list it late.
        if let Some(record) = self.record(session, number).await? {
            index.apply(number, record);
        }
        if self.refresh(session, index).await? {
            // The record may be that of an earlier call, which was dropped before its check.
            self.complete_erasure(session, index).await?;
        }
        if index.next == number {
            // Neither created nor there: the caller would repeat this without end.
            let message = "the backend refuses to create an object that does not exist";
            return Err(StoreError::new(StoreErrorKind::Unavailable, message));
        }
        Ok(())
    }

    /// Replaces a record by one without content.
    pub(super) async fn blank(&self, session: &SessionKey, number: u64, epoch: u64) -> Result<()> {
        let record = Record {
            epoch,
            change: Change::Blank,
        };
        let payload = PutPayload::from_iter(record::encode(&record, &[])?);
        let path = self.record_path(session, number);
        self.backend.put(&path, payload).await.map_err(failure)?;
        Ok(())
    }

    /// Returns a whole record with its body.
    pub(super) async fn whole_record(
        &self,
        session: &SessionKey,
        number: u64,
    ) -> Result<(Record, Bytes)> {
        let path = self.record_path(session, number);
        let object = self.get(&path).await?.ok_or_else(vanished)?;
        record::decode(&object)
    }

    /// Returns a record without its body; `None` if there is none with this number.
    async fn record(&self, session: &SessionKey, number: u64) -> Result<Option<Record>> {
        let path = self.record_path(session, number);
        let options = GetOptions {
            range: Some(GetRange::Bounded(0..HEADER)),
            ..GetOptions::default()
        };
        let begin = match self.backend.get_opts(&path, options).await {
            Ok(result) => result.bytes().await.map_err(failure)?,
            Err(object_store::Error::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(failure(error)),
        };
        if let Some((header, _)) = record::header::<Record>(&begin)? {
            return Ok(Some(header.content));
        }
        let Some(object) = self.get(&path).await? else {
            return Ok(None);
        };
        let header = record::header::<Record>(&object)?;
        let (header, _) = header.ok_or_else(|| record::corrupt("an object without a header"))?;
        Ok(Some(header.content))
    }

    /// Returns the numbers of records from `from` on, in order.
    pub(super) async fn numbers(&self, session: &SessionKey, from: u64) -> Result<Vec<u64>> {
        let log = self.session_path("logs", session);
        let objects = match from.checked_sub(1) {
            Some(last) => {
                let offset = self.record_path(session, last);
                self.backend.list_with_offset(Some(&log), &offset)
            }
            None => self.backend.list(Some(&log)),
        };
        let paths = objects.map_ok(|object| object.location).map_err(failure);
        let paths: Vec<Path> = paths.try_collect().await?;
        let mut numbers = Vec::new();
        for path in paths {
            let number = path.filename().and_then(|name| name.parse().ok());
            numbers.push(number.ok_or_else(|| record::corrupt("a record without a number"))?);
        }
        // Some backends ignore the offset (Azurite 3.35), and not every one lists in order.
        numbers.retain(|number| *number >= from);
        numbers.sort_unstable();
        Ok(numbers)
    }

    pub(super) async fn write_head(
        &self,
        session: &SessionKey,
        index: &Index,
        summary: Option<Bytes>,
    ) -> Result<()> {
        let head = Head {
            session: session.session().to_owned(),
            number: index.next - 1,
            end: index.end(&session.main()).get(),
            has_summary: summary.is_some(),
        };
        let object = record::encode(head, summary.as_slice())?;
        let path = self.session_path("heads", session);
        let payload = PutPayload::from_iter(object);
        self.backend.put(&path, payload).await.map_err(failure)?;
        Ok(())
    }

    /// Returns an object; `None` if there is none.
    pub(super) async fn get(&self, path: &Path) -> Result<Option<Bytes>> {
        match self.backend.get(path).await {
            Ok(result) => Ok(Some(result.bytes().await.map_err(failure)?)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(failure(error)),
        }
    }

    pub(super) async fn delete(&self, path: &Path) -> Result<()> {
        match self.backend.delete(path).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(failure(error)),
        }
    }

    /// Returns the paths of all objects below a path.
    pub(super) async fn paths_below(&self, path: &Path) -> Result<Vec<Path>> {
        let objects = self.backend.list(Some(path));
        let paths = objects.map_ok(|object| object.location).map_err(failure);
        paths.try_collect().await
    }

    pub(super) async fn delete_all(&self, paths: Vec<Path>) -> Result<()> {
        let deleted = stream::iter(paths)
            .map(async |path| self.delete(&path).await)
            .buffer_unordered(PARALLEL);
        deleted.try_collect().await
    }

    /// Returns the sessions of a project that have a log.
    pub(super) async fn sessions(&self, project: &ProjectKey) -> Result<Vec<SessionKey>> {
        let logs = self.project_path("logs", project);
        let found = self.backend.list_with_delimiter(Some(&logs)).await;
        let mut sessions = Vec::new();
        for path in found.map_err(failure)?.common_prefixes {
            let name = path.filename().unwrap_or_default();
            sessions.push(project.session(decoded(name)?)?);
        }
        Ok(sessions)
    }

    /// Returns the projects of this store.
    pub(super) async fn projects(&self) -> Result<Vec<ProjectKey>> {
        let prefix = (!self.prefix.is_root()).then_some(&self.prefix);
        let found = self.backend.list_with_delimiter(prefix).await;
        let mut projects = Vec::new();
        for path in found.map_err(failure)?.common_prefixes {
            projects.push(ProjectKey::new(decoded(
                path.filename().unwrap_or_default(),
            )?)?);
        }
        Ok(projects)
    }

    pub(super) fn project_path(&self, kind: &'static str, project: &ProjectKey) -> Path {
        self.prefix.clone().join(project.as_str()).join(kind)
    }

    pub(super) fn session_path(&self, kind: &'static str, session: &SessionKey) -> Path {
        self.project_path(kind, session.project())
            .join(session.session())
    }

    pub(super) fn record_path(&self, session: &SessionKey, number: u64) -> Path {
        // With leading zeros, so that the order of names is the order of numbers.
        self.session_path("logs", session)
            .join(format!("{number:020}"))
    }
}

/// Reverses the encoding of special characters in a part of a path.
pub(super) fn decoded(part: &str) -> Result<String> {
    let text = percent_encoding::percent_decode_str(part).decode_utf8();
    let text = text.map_err(|_| record::corrupt("the name of an object"))?;
    Ok(text.into_owned())
}

pub(super) fn failure(error: object_store::Error) -> StoreError {
    use object_store::Error::{InvalidPath, NotImplemented, NotSupported};
    let kind = match error {
        InvalidPath { .. } | NotSupported { .. } | NotImplemented { .. } => StoreErrorKind::Invalid,
        _ => StoreErrorKind::Unavailable,
    };
    StoreError::new(kind, "object store").with_source(error)
}

/// Returns the error for an object that was erased after the log was read.
pub(super) fn vanished() -> StoreError {
    StoreError::new(
        StoreErrorKind::Unavailable,
        "an object was erased while it was read",
    )
}
