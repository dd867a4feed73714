//! `SessionStore` for object stores.

use std::time::{Duration, SystemTime};

use async_stream::try_stream;
use async_trait::async_trait;
use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use object_store::{ObjectMeta, ObjectStoreExt as _};
use uuid::Uuid;

use super::ObjectStore;
use super::index::Plan;
use super::log::failure;
use super::record::{self, Change, Head, Record};
use crate::{
    Append, EntryStream, Epoch, Erase, FileInfo, FilePath, Page, PageToken, Position, ProjectKey,
    Result, SessionInfo, SessionKey, SessionPage, SessionStore, StoreError, StoreErrorKind,
    StreamKey,
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
            if self.create(session, &mut index, record, &[]).await? {
                index.check(session, new)?;
                // A session without entries may have no head yet, and lists begin with heads.
                if index.end(&session.main()) == Position::START {
                    self.write_head(session, &index, None).await?;
                }
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
                if self.create(session, &mut index, record, &body).await? {
                    break;
                }
            } else if is_fresh {
                // Nothing to write, or an error: both only after the log was read.
                plan?;
                return Ok(index.end(stream));
            } else {
                self.refresh(session, &mut index).await?;
            }
            is_fresh = true;
        }
        let end = index.end(stream);
        if stream.is_main() {
            let summary = match &append.summary {
                Some(summary) => Some(summary.clone()),
                None => self.summary(session, index.summary).await?,
            };
            // The entries are stored. A head that is missing or old costs lists some requests, and the order of the list.
            let _ = self.write_head(session, &index, summary).await;
        }
        Ok(end)
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
        let mut heads = self.heads(project).await?;
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
        let object = Uuid::new_v4().to_string();
        let location = self.session_path("files", session).join(object.as_str());
        let mut index = self.fresh_index(session).await?;
        index.check(session, epoch)?;
        let record = Record {
            epoch: epoch.get(),
            change: Change::File {
                path: path.as_str().to_owned(),
                size: content.len() as u64,
                object,
            },
        };
        // The content has a new name, and counts only when the log names it.
        self.backend
            .put(&location, content.into())
            .await
            .map_err(failure)?;
        let former = loop {
            let former = index
                .files
                .get(path.as_str())
                .map(|file| file.object.clone());
            if self
                .create(session, &mut index, record.clone(), &[])
                .await?
            {
                break former;
            }
            if let Err(error) = index.check(session, epoch) {
                self.delete(&location).await?;
                return Err(error);
            }
        };
        if let Some(former) = former {
            let location = self.session_path("files", session).join(former.as_str());
            self.delete(&location).await?;
        }
        Ok(())
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

    async fn erase_idle(&self, idle: Duration, project: Option<&ProjectKey>) -> Result<u64> {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let limit = now.unwrap_or_default().saturating_sub(idle).as_micros();
        let projects = match project {
            Some(project) => vec![project.clone()],
            None => self.projects().await?,
        };
        let mut erased = 0;
        for project in projects {
            let heads = self.heads(&project).await?;
            for place in heads
                .iter()
                .filter(|place| u128::from(place.modified) <= limit)
            {
                let session = project.session(super::log::decoded(&place.name)?)?;
                self.erase_session(&session).await?;
                erased += 1;
            }
        }
        Ok(erased)
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
    async fn summary(&self, session: &SessionKey, number: Option<u64>) -> Result<Option<Bytes>> {
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
    async fn heads(&self, project: &ProjectKey) -> Result<Vec<Place>> {
        let heads = self
            .backend
            .list(Some(&self.project_path("heads", project)));
        let places = heads.map_ok(|head| Place::of(&head)).map_err(failure);
        places.try_collect().await
    }

    async fn erase_subpath(&self, stream: &StreamKey, subpath: &str) -> Result<()> {
        let session = stream.session();
        let mut index = self.fresh_index(session).await?;
        while !index.segments(stream).is_empty() {
            let record = Record {
                epoch: index.last_epoch,
                change: Change::EraseStream {
                    subpath: subpath.to_owned(),
                },
            };
            self.create(session, &mut index, record, &[]).await?;
        }
        // Also the records that an erasure which was cut off has left.
        while let Some(number) = index.next_erased(subpath) {
            self.blank(session, number, index.last_epoch).await?;
            index.note_blank(subpath);
        }
        Ok(())
    }

    async fn erase_session(&self, session: &SessionKey) -> Result<()> {
        let mut index = self.fresh_index(session).await?;
        // A session that is new or erased has nothing but markers.
        while index.epoch.is_some() {
            let record = Record {
                epoch: index.last_epoch,
                change: Change::Erase,
            };
            self.create(session, &mut index, record, &[]).await?;
        }
        // Also after an erasure that was cut off: all records before the marker, which is the last record.
        let marker = format!("{:020}", index.next.saturating_sub(1));
        let mut paths = self
            .paths_below(&self.session_path("logs", session))
            .await?;
        paths.retain(|path| path.filename().is_some_and(|name| *name < *marker));
        paths.extend(
            self.paths_below(&self.session_path("files", session))
                .await?,
        );
        paths.push(self.session_path("heads", session));
        self.delete_all(paths).await
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
