use std::collections::HashMap;
use std::fs::File;
use std::future::poll_fn;
use std::io::{self, Write as _};
use std::path::Path;

use bytes::Bytes;
use inhouse_store::{Append, Epoch, Position, SessionKey, SessionStore, StoreError, StreamKey};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::queue::Queue;
use super::session_files::files_below;
use super::writer::result_records;
use crate::error::{Error, ErrorKind, Result};
use crate::resume::IdentifiedEntry;

/// The file with entries that are not stored, in the directory of their session.
pub(crate) const UNSENT_ENTRIES: &str = "unsent-entries.jsonl";

/// Entries of one stream, in order, that are not stored.
pub(super) struct UnsentEntries {
    pub(super) stream: StreamKey,
    pub(super) entries: Vec<Bytes>,
}

/// Entries that could not be stored, in a file.
pub(super) struct Unsent {
    /// The positions of the next entries. A stream that is not here begins with them.
    ends: HashMap<StreamKey, Position>,
    /// The session that the CLI works on.
    current: SessionKey,
    /// The last entry with an id of this session.
    last_entry: Option<IdentifiedEntry>,
    file: Option<File>,
}

/// A line of the file: an entry and where it belongs.
#[derive(Serialize, Deserialize)]
struct Line {
    project: String,
    session: String,
    subpath: Option<String>,
    position: u64,
    entry: Box<RawValue>,
}

impl Unsent {
    pub(super) fn new(
        ends: HashMap<StreamKey, Position>,
        current: SessionKey,
        last_entry: Option<IdentifiedEntry>,
    ) -> Self {
        Self {
            ends,
            current,
            last_entry,
            file: None,
        }
    }

    /// Creates the file in the directory of the session, which only this user can read.
    pub(super) fn create(
        &mut self,
        directory: &Path,
        unsent: Vec<UnsentEntries>,
    ) -> io::Result<()> {
        let mut options = File::options();
        // `create_new` follows no link: with `Options::os_user`, the directory belongs to another user.
        options.append(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        self.file = Some(options.open(directory.join(UNSENT_ENTRIES))?);
        self.add(unsent)
    }

    /// Adds everything that is left in the queue.
    pub(super) async fn add_all(&mut self, queue: &mut Queue) -> io::Result<()> {
        while !queue.is_empty() {
            let batch = queue.take().await?;
            for frame in batch.frames {
                if frame.stream.is_main() && *frame.stream.session() != self.current {
                    self.current = frame.stream.session().clone();
                    self.last_entry = None;
                }
                self.add(vec![UnsentEntries {
                    stream: frame.stream,
                    entries: frame.entries,
                }])?;
            }
            let last = self.last_entry.clone();
            let records = result_records(&self.current, last, batch.results);
            self.add(vec![records])?;
        }
        Ok(())
    }

    fn add(&mut self, unsent: Vec<UnsentEntries>) -> io::Result<()> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let mut text = Vec::new();
        for UnsentEntries { stream, entries } in unsent {
            let end = self.ends.entry(stream.clone()).or_default();
            if stream == self.current.main() {
                let last = IdentifiedEntry::last_of(*end, &entries);
                self.last_entry = last.or(self.last_entry.take());
            }
            for entry in entries {
                let line = Line {
                    project: stream.session().project().as_str().to_owned(),
                    session: stream.session().session().to_owned(),
                    subpath: stream.subpath().map(str::to_owned),
                    position: end.get(),
                    entry: RawValue::from_string(String::from_utf8_lossy(&entry).into_owned())?,
                };
                serde_json::to_writer(&mut text, &line)?;
                text.push(b'\n');
                *end = end.after(1);
            }
        }
        file.write_all(&text)?;
        file.sync_all()
    }
}

/// Stores the entries of a directory and removes it; returns how many entries the store did not have.
pub(crate) async fn recover(
    directory: &Path,
    store: &(impl SessionStore + ?Sized),
) -> Result<usize> {
    recover_as(directory, store, None).await?.ok_or_else(|| {
        let text = format!(
            "the session of {} has continued in the store without these entries; remove the directory to drop them",
            directory.display()
        );
        Error::new(ErrorKind::Store, text)
    })
}

/// Stores the entries of a directory and removes it, as the owner of one of their sessions.
///
/// Returns how many entries the store did not have; `None`, without storing anything, if a session has continued without them.
pub(crate) async fn recover_as(
    directory: &Path,
    store: &(impl SessionStore + ?Sized),
    owned: Option<(&SessionKey, Epoch)>,
) -> Result<Option<usize>> {
    let mut missing = Vec::new();
    for (position, unsent) in read(directory).await? {
        match missing_of(store, position, unsent).await? {
            Some(unsent) => missing.push(unsent),
            None => return Ok(None),
        }
    }
    let epoch_of = async |session: &SessionKey| match owned {
        Some((owned, epoch)) if owned == session => Ok(epoch),
        _ => store.fence(session, None).await.map_err(failed),
    };
    for file in files_below(directory).await {
        let content = file.read().await.ok_or_else(|| {
            let text = format!("the file {} of the session cannot be read", file.path);
            Error::new(ErrorKind::Store, text)
        })?;
        let epoch = epoch_of(&file.session).await?;
        let put = store.put_file(&file.session, epoch, &file.path, content);
        put.await.map_err(failed)?;
    }
    let mut stored = 0;
    for (position, UnsentEntries { stream, entries }) in missing {
        stored += entries.len();
        let epoch = epoch_of(stream.session()).await?;
        let append = Append::new(epoch, position, entries);
        store.append(&stream, &append).await.map_err(failed)?;
    }
    tokio::fs::remove_dir_all(directory)
        .await
        .map_err(|error| {
            let text = format!(
                "everything is stored, but {} cannot be removed",
                directory.display()
            );
            Error::new(ErrorKind::Store, text).with_source(error)
        })?;
    Ok(Some(stored))
}

/// Reads the entries of each stream, with the position of the first one.
async fn read(directory: &Path) -> Result<Vec<(Position, UnsentEntries)>> {
    let path = directory.join(UNSENT_ENTRIES);
    let text = tokio::fs::read_to_string(&path).await.map_err(|error| {
        let text = format!("{} has no unsent entries", directory.display());
        Error::new(ErrorKind::Store, text).with_source(error)
    })?;
    let lines = text.lines().map(serde_json::from_str);
    let lines: Vec<Line> = lines.collect::<Result<_, _>>().map_err(|error| {
        let text = format!("{} cannot be read; it may be cut off", path.display());
        Error::new(ErrorKind::Store, text).with_source(error)
    })?;
    let mut streams: Vec<(Position, UnsentEntries)> = Vec::new();
    for line in lines {
        let session = SessionKey::new(line.project, line.session).map_err(failed)?;
        let stream = match line.subpath {
            Some(subpath) => session.stream(subpath).map_err(failed)?,
            None => session.main(),
        };
        let entry = Bytes::copy_from_slice(line.entry.get().as_bytes());
        match streams.iter_mut().find(|(_, other)| other.stream == stream) {
            Some((_, unsent)) => unsent.entries.push(entry),
            None => streams.push((
                Position::new(line.position),
                UnsentEntries {
                    stream,
                    entries: vec![entry],
                },
            )),
        }
    }
    Ok(streams)
}

/// Returns those of the entries that the stream lacks, with the position of the first one; `None` if it has others in their place.
async fn missing_of(
    store: &(impl SessionStore + ?Sized),
    position: Position,
    unsent: UnsentEntries,
) -> Result<Option<(Position, UnsentEntries)>> {
    let UnsentEntries { stream, entries } = unsent;
    // Some may be stored already: an acknowledgement was lost, or an earlier recovery was cut off.
    let mut load = store.load(&stream, position);
    let mut present = 0;
    while let Some(entry) = poll_fn(|cx| load.as_mut().poll_next(cx)).await {
        if entries.get(present) != Some(&entry.map_err(failed)?) {
            return Ok(None);
        }
        present += 1;
    }
    let missing = UnsentEntries {
        stream,
        entries: entries[present..].to_vec(),
    };
    Ok(Some((position.after(present), missing)))
}

fn failed(error: StoreError) -> Error {
    let kind = match error.is_fenced() {
        true => ErrorKind::Fenced,
        false => ErrorKind::Store,
    };
    Error::new(kind, "the session store failed").with_source(error)
}
