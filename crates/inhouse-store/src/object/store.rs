//! `SessionStore` for object stores.

use std::time::{Duration, SystemTime};

use async_stream::try_stream;
use async_trait::async_trait;
use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use object_store::{ObjectMeta, ObjectStoreExt as _};

use super::ObjectStore;
use super::erase::file_name;
use super::index::{Index, Plan};
use super::log::failure;
use super::record::{self, Change, Head, Record};
use crate::{
    Append, EntryStream, Epoch, Erase, ErasedStream, FileInfo, FilePath, Page, PageToken, Position,
    ProjectKey, Result, SessionInfo, SessionKey, SessionPage, SessionStore, StoreError,
    StoreErrorKind, StreamKey,
};

/// The number of records that a reader fetches ahead.
const READ_AHEAD: usize = 4;

#[async_trait]
impl SessionStore for ObjectStore {
    async fn fence(&self, session: &SessionKey, epoch: Option<Epoch>) -> Result<Epoch> {
        let mut index = self.fresh_index(session).await?;
        loop {
            let new = match epoch {
                Some(epoch) if index.epoch == Some(epoch) => return Ok(epoch),
                Some(epoch) if index.last_epoch >= epoch.get() => {
                    return Err(StoreError::fenced(session, epoch));
                }
                Some(epoch) => epoch,
                None => Epoch::new(index.last_epoch + 1),
            };
            let record = Record {
                epoch: new.get(),
                change: Change::Fence,
            };
            if self.put_record(session, &mut index, &record, &[]).await? {
                // A session without entries may have no head yet, and lists begin with heads. Written before the check, see `append`.
                if index.end(&session.main()) == Position::START {
                    self.write_head(session, &index, None).await?;
                }
                self.check_created(session, &mut index, &record).await?;
                index.check(session, new)?;
                return Ok(new);
            }
        }
    }

    async fn append(&self, stream: &StreamKey, append: &Append) -> Result<Position> {
        let session = stream.session();
        let mut index = self.index(session).await;
        let mut is_fresh = false;
        loop {
            let plan = index.plan(stream, append);
            if let Ok(Plan::Skip(skipped)) = plan {
                let summary = append.summary.as_ref().filter(|_| stream.is_main());
                let entries = &append.entries[skipped..];
                let record = Record {
                    epoch: append.epoch.get(),
                    change: Change::Append {
                        subpath: stream.subpath().map(str::to_owned),
                        position: append.position.after(skipped).get(),
                        summary: summary.map(Bytes::len),
                        lengths: entries.iter().map(Bytes::len).collect(),
                    },
                };
                let body: Vec<Bytes> = summary.into_iter().chain(entries).cloned().collect();
                if !self.put_record(session, &mut index, &record, &body).await? {
                    is_fresh = true;
                    continue;
                }
                let end = index.end(stream);
                if stream.is_main() {
                    let summary = match &append.summary {
                        Some(summary) => Ok(Some(summary.clone())),
                        None => self.summary(session, index.summary).await,
                    };
                    // Before the check: an erasure after the check finds the head, and an earlier one is seen by the check. The entries are
                    // stored; a head that is missing or old costs lists some requests, and the order of the list.
                    if let Ok(summary) = summary {
                        let _ = self.write_head(session, &index, summary).await;
                    }
                }
                self.check_created(session, &mut index, &record).await?;
                return Ok(end);
            }
            if is_fresh {
                // Nothing to write, or an error: both only after the log was read.
                plan?;
                return Ok(index.end(stream));
            }
            // An append that was dropped may have left its record and a head after an erasure.
            let is_known = index.next > 0;
            if self.refresh(session, &mut index).await? && is_known {
                self.complete_erasure(session, &mut index).await?;
            }
            is_fresh = true;
        }
    }

    async fn end(&self, stream: &StreamKey) -> Result<Position> {
        Ok(self.fresh_index(stream.session()).await?.end(stream))
    }

    fn load(&self, stream: &StreamKey, from: Position) -> EntryStream {
        let (store, key) = (self.clone(), stream.clone());
        Box::pin(try_stream! {
            let segments = store.fresh_index(key.session()).await?.segments(&key).to_vec();
            let segments = segments.into_iter().filter(|segment| segment.end > from);
            let mut segments = stream::iter(segments)
                .map(async |segment| {
                    let (record, body) = store.whole_record(key.session(), segment.number).await?;
                    Ok::<_, StoreError>((segment, record, body))
                })
                .buffered(READ_AHEAD);
            while let Some((segment, record, body)) = segments.try_next().await? {
                let Change::Append { summary, lengths, .. } = record.change else {
                    Err(super::log::vanished())?
                };
                let (_, entries) = record::entries(summary, &lengths, body)?;
                let skipped = from.get().saturating_sub(segment.position.get());
                for entry in entries.into_iter().skip(usize::try_from(skipped).unwrap_or(usize::MAX)) {
                    yield entry;
                }
            }
        })
    }

    async fn subpaths(&self, session: &SessionKey) -> Result<Vec<StreamKey>> {
        let index = self.fresh_index(session).await?;
        index
            .subpaths()
            .map(|subpath| session.stream(subpath))
            .collect()
    }

    async fn list(&self, project: &ProjectKey, page: &Page) -> Result<SessionPage> {
        let after = page.after.as_ref().map(Place::parse).transpose()?;
        let mut heads: Vec<Place> = self.heads(project).await?.iter().map(Place::of).collect();
        heads.retain(|place| after.as_ref().is_none_or(|after| place < after));
        heads.sort_unstable();
        let limit = page.limit.max(1);
        let mut sessions: Vec<SessionInfo> = Vec::new();
        let mut last = None;
        while let Some(place) = heads.pop() {
            if sessions.len() == limit {
                return Ok(SessionPage::new(sessions, last.as_ref().map(Place::token)));
            }
            let session = project.session(super::log::decoded(&place.name)?)?;
            if let Some((end, summary)) = self.described(&session).await? {
                let modified = SystemTime::UNIX_EPOCH + Duration::from_micros(place.modified);
                sessions.push(SessionInfo::new(session, modified, end).summary(summary));
                last = Some(place);
            }
        }
        Ok(SessionPage::new(sessions, None))
    }

    async fn put_file(
        &self,
        session: &SessionKey,
        epoch: Epoch,
        path: &FilePath,
        content: Bytes,
    ) -> Result<()> {
        let mut index = self.fresh_index(session).await?;
        let written = self.write_file(session, &mut index, epoch, path, content);
        let written = written.await;
        if written.as_ref().is_err_and(StoreError::is_fenced) {
            // After an erasure, also the content of an earlier attempt whose outcome was not known.
            self.complete_erasure(session, &mut index).await?;
        }
        written
    }

    async fn file(&self, session: &SessionKey, path: &FilePath) -> Result<Option<Bytes>> {
        let index = self.fresh_index(session).await?;
        let Some(file) = index.files.get(path.as_str()) else {
            return Ok(None);
        };
        let location = self
            .session_path("files", session)
            .join(file.object.as_str());
        let content = self.get(&location).await?;
        content.ok_or_else(super::log::vanished).map(Some)
    }

    async fn files(&self, session: &SessionKey) -> Result<Vec<FileInfo>> {
        let index = self.fresh_index(session).await?;
        let files = index.files.iter();
        files
            .map(|(path, file)| Ok(FileInfo::new(FilePath::new(path)?, file.size)))
            .collect()
    }

    async fn erase(&self, what: &Erase) -> Result<()> {
        match what {
            Erase::Stream(stream) => match stream.subpath() {
                Some(subpath) => self.erase_subpath(stream, subpath).await,
                None => self.erase_session(stream.session()).await,
            },
            Erase::Session(session) => self.erase_session(session).await,
            Erase::Project(project) => {
                for session in self.sessions(project).await? {
                    self.erase_session(&session).await?;
                }
                Ok(())
            }
        }
    }

    fn erase_idle(&self, idle: Duration, project: Option<&ProjectKey>) -> ErasedStream {
        let since = SystemTime::now().checked_sub(idle);
        let since = since.unwrap_or(SystemTime::UNIX_EPOCH);
        self.erase_idle_since(since, project.cloned())
    }
}

impl ObjectStore {
    /// Returns the end and the summary of a session for a list; `None` without entries in the main stream.
    async fn described(&self, session: &SessionKey) -> Result<Option<(Position, Option<Bytes>)>> {
        let Some(object) = self.get(&self.session_path("heads", session)).await? else {
            return Ok(None);
        };
        let (head, body) = record::decode::<Head>(&object)?;
        let newer = self.numbers(session, head.number + 1).await?;
        let (end, summary) = match newer.is_empty() {
            true => (Position::new(head.end), head.has_summary.then_some(body)),
            false => {
                let index = self.fresh_index(session).await?;
                let summary = self.summary(session, index.summary).await?;
                (index.end(&session.main()), summary)
            }
        };
        Ok((end != Position::START).then_some((end, summary)))
    }

    /// Returns the summary in the record with this number.
    pub(super) async fn summary(
        &self,
        session: &SessionKey,
        number: Option<u64>,
    ) -> Result<Option<Bytes>> {
        let Some(number) = number else {
            return Ok(None);
        };
        let (record, body) = self.whole_record(session, number).await?;
        let Change::Append { summary, .. } = record.change else {
            return Err(super::log::vanished());
        };
        Ok(record::entries(summary, &[], body)?.0)
    }

    /// Returns the heads of a project, in any order.
    pub(super) async fn heads(&self, project: &ProjectKey) -> Result<Vec<ObjectMeta>> {
        let heads = self
            .backend
            .list(Some(&self.project_path("heads", project)));
        heads.map_err(failure).try_collect().await
    }

    /// Writes the content of a file and the record that names it.
    async fn write_file(
        &self,
        session: &SessionKey,
        index: &mut Index,
        epoch: Epoch,
        path: &FilePath,
        content: Bytes,
    ) -> Result<()> {
        index.check(session, epoch)?;
        let object = file_name(epoch);
        let location = self.session_path("files", session).join(object.as_str());
        let record = Record {
            epoch: epoch.get(),
            change: Change::File {
                path: path.as_str().to_owned(),
                size: content.len() as u64,
                object: object.clone(),
            },
        };
        // The content has a new name, and counts only when the log names it.
        self.backend
            .put(&location, content.into())
            .await
            .map_err(failure)?;
        let former = loop {
            let object_of_path = |index: &Index| {
                let file = index.files.get(path.as_str());
                file.map(|file| file.object.clone())
            };
            let former = object_of_path(index);
            if self.create(session, index, record.clone(), &[]).await? {
                break former;
            }
            // The client of the backend repeats a create without an answer, and meets the record of its first attempt.
            if object_of_path(index).as_ref() == Some(&object) {
                break former;
            }
            if let Err(error) = index.check(session, epoch) {
                self.delete(&location).await?;
                return Err(error);
            }
        };
        if let Some(former) = former.filter(|former| *former != object) {
            let location = self.session_path("files", session).join(former.as_str());
            self.delete(&location).await?;
        }
        Ok(())
    }
}

/// A place in the list of sessions.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    /// Microseconds since 1970.
    modified: u64,
    /// The name of the head, with special characters encoded.
    name: String,
}

impl Place {
    fn of(head: &ObjectMeta) -> Self {
        let modified = head.last_modified.timestamp_micros();
        Self {
            modified: u64::try_from(modified).unwrap_or(0),
            name: head.location.filename().unwrap_or_default().to_owned(),
        }
    }

    fn token(&self) -> PageToken {
        PageToken::new(format!("{}.{}", self.modified, self.name))
    }

    fn parse(token: &PageToken) -> Result<Self> {
        let parts = token.as_str().split_once('.');
        let place = parts.and_then(|(modified, name)| {
            Some(Self {
                modified: modified.parse().ok()?,
                name: name.to_owned(),
            })
        });
        place.ok_or_else(|| {
            StoreError::new(StoreErrorKind::Invalid, format!("page token {token:?}"))
        })
    }
}
