//! Erasure in an object store.

use std::time::{Duration, SystemTime};

use async_stream::try_stream;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStoreExt as _};
use uuid::Uuid;

use super::ObjectStore;
use super::index::Index;
use super::log::{decoded, failure};
use super::record::{self, Change, Head, Record};
use crate::{Epoch, ErasedStream, ProjectKey, Result, SessionKey, StreamKey};

/// The digits of an epoch in the name of a file, and of a number in the name of a record.
const DIGITS: usize = 20;

/// Returns a new name for the content of a file. An erasure removes the files of the owners before it, and keeps those of later ones.
pub(super) fn file_name(epoch: Epoch) -> String {
    format!("{:020}-{}", epoch.get(), Uuid::new_v4())
}

/// Returns the epoch in the name of a file; the smallest one for another name.
fn epoch_of_file(name: &str) -> u64 {
    let epoch = name.split_once('-').map(|(epoch, _)| epoch);
    let epoch = epoch.filter(|epoch| epoch.len() == DIGITS);
    epoch.and_then(|epoch| epoch.parse().ok()).unwrap_or(0)
}

/// A session that may be idle.
struct Listed {
    session: SessionKey,
    head: ObjectMeta,
    /// The number of the next record when it was listed, if its head was recent.
    next: Option<u64>,
}

impl ObjectStore {
    pub(super) async fn erase_subpath(&self, stream: &StreamKey, subpath: &str) -> Result<()> {
        let session = stream.session();
        let mut index = self.fresh_index(session).await?;
        while !index.segments(stream).is_empty() {
            let record = Record {
                epoch: index.last_epoch,
                change: Change::EraseStream {
                    subpath: subpath.to_owned(),
                },
            };
            match self.create(session, &mut index, record, &[]).await {
                Ok(_) => {}
                Err(error) if error.is_fenced() => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        // Also the records that an erasure which was cut off has left.
        while let Some(number) = index.next_erased(subpath) {
            self.blank(session, number, index.last_epoch).await?;
            index.note_blank(subpath);
        }
        Ok(())
    }

    pub(super) async fn erase_session(&self, session: &SessionKey) -> Result<()> {
        let mut index = self.fresh_index(session).await?;
        // A session that is new or erased has nothing but markers.
        while index.epoch.is_some() && !self.mark_erased(session, &mut index).await? {}
        // Also after an erasure that was cut off.
        self.complete_erasure(session, &mut index).await
    }

    /// Erases the sessions without an append and without a new owner since a time, one after the other.
    pub(super) fn erase_idle_since(
        &self,
        since: SystemTime,
        project: Option<ProjectKey>,
    ) -> ErasedStream {
        let store = self.clone();
        Box::pin(try_stream! {
            let projects = match project {
                Some(project) => vec![project],
                None => store.projects().await?,
            };
            for project in projects {
                let mut listed = Vec::new();
                for head in store.heads(&project).await? {
                    if is_older(&head, since) {
                        let name = head.location.filename().unwrap_or_default();
                        let session = project.session(decoded(name)?)?;
                        let next = match is_recent(&head, since) {
                            true => Some(store.fresh_index(&session).await?.next),
                            false => None,
                        };
                        listed.push(Listed { session, head, next });
                    }
                }
                for listed in listed {
                    if store.erase_if_idle(&listed, since).await? {
                        yield listed.session;
                    }
                }
            }
        })
    }

    /// Erases a session unless it was used after it was listed; returns whether it was erased.
    async fn erase_if_idle(&self, listed: &Listed, since: SystemTime) -> Result<bool> {
        let session = &listed.session;
        let mut index = self.fresh_index(session).await?;
        if index.epoch.is_none() {
            self.complete_erasure(session, &mut index).await?;
            return Ok(false);
        }
        // Every write after this is a record after those in the index, which the marker would meet.
        let head = self.metadata(&listed.head.location).await?;
        let last = self.record_path(session, index.next - 1);
        let last = self.metadata(&last).await?;
        let is_idle = head.is_some_and(|head| is_same(&head, &listed.head))
            && last.is_some_and(|record| {
                let is_known = listed.next == Some(index.next) || !is_recent(&record, since);
                is_known && is_older(&record, since)
            });
        if !is_idle || !self.mark_erased(session, &mut index).await? {
            return Ok(false);
        }
        self.complete_erasure(session, &mut index).await?;
        Ok(true)
    }

    /// Creates the record that erases a session. Returns false if it met another record, or another erasure.
    async fn mark_erased(&self, session: &SessionKey, index: &mut Index) -> Result<bool> {
        let record = Record {
            epoch: index.last_epoch,
            change: Change::Erase,
        };
        match self.create(session, index, record, &[]).await {
            Err(error) if error.is_fenced() => Ok(false),
            created => created,
        }
    }

    /// Removes what there is from before the last erasure in the index; nothing if there was none.
    ///
    /// An owner that began after the erasure keeps its records, files and head.
    pub(super) async fn complete_erasure(
        &self,
        session: &SessionKey,
        index: &mut Index,
    ) -> Result<()> {
        let Some(marker) = index.marker else {
            return Ok(());
        };
        let name = |path: &Path| path.filename().unwrap_or_default().to_owned();
        let first = format!("{:020}", marker.number);
        let log = self.session_path("logs", session);
        let mut paths = self.paths_below(&log).await?;
        paths.retain(|path| name(path) < first);
        let files = self.session_path("files", session);
        let files = self.paths_below(&files).await?.into_iter();
        paths.extend(files.filter(|path| epoch_of_file(&name(path)) <= marker.epoch));
        self.delete_all(paths).await?;

        let path = self.session_path("heads", session);
        let Some(object) = self.get(&path).await? else {
            return Ok(());
        };
        let (head, _) = record::decode::<Head>(&object)?;
        if head.number > marker.number {
            return Ok(());
        }
        self.delete(&path).await?;
        // An owner that has written its head in between has written a record before that.
        self.refresh(session, index).await?;
        if index.epoch.is_some() {
            let summary = self.summary(session, index.summary).await?;
            self.write_head(session, index, summary).await?;
        }
        Ok(())
    }

    /// Returns what the backend says of an object; `None` if there is none.
    async fn metadata(&self, path: &Path) -> Result<Option<ObjectMeta>> {
        match self.backend.head(path).await {
            Ok(metadata) => Ok(Some(metadata)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(failure(error)),
        }
    }
}

fn is_older(object: &ObjectMeta, since: SystemTime) -> bool {
    SystemTime::from(object.last_modified) <= since
}

/// Returns whether the time of an object may be too coarse to tell that it was written before another time: many backends have whole seconds.
///
/// The margin is a minute, because the head of a session is written some time after its record.
fn is_recent(object: &ObjectMeta, since: SystemTime) -> bool {
    SystemTime::from(object.last_modified) + Duration::from_secs(60) > since
}

/// Returns whether an object was not written in between.
fn is_same(now: &ObjectMeta, listed: &ObjectMeta) -> bool {
    // Backends differ between a list and a request for one object: in quotation marks, and in parts of a second.
    let tag = |object: &ObjectMeta| {
        let tag = object.e_tag.as_deref().map(|tag| tag.trim_matches('"'));
        tag.map(str::to_owned)
    };
    let is_same_tag = match (tag(now), tag(listed)) {
        (Some(now), Some(listed)) => now == listed,
        _ => true,
    };
    is_same_tag && now.last_modified.timestamp() == listed.last_modified.timestamp()
}
