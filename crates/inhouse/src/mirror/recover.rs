use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::time::SystemTime;

use bytes::Bytes;
use inhouse_store::{Append, Epoch, Position, ProjectKey, SessionKey, SessionStore, StreamKey};

use super::persist::{next_entry, persist};
use super::session_files::{ChangedFile, files_below};
use super::unsent::{Header, Line, OwnedSession, unsent_path};
use crate::error::{Error, ErrorKind, Result};
use crate::resume::{held, store_error};

/// Stores the entries of a session directory and removes it; returns how many entries the store did not have.
pub(crate) async fn recover(
    directory: &Path,
    store: &(impl SessionStore + ?Sized),
) -> Result<usize> {
    recover_as(directory, store, None).await?.ok_or_else(|| {
        let text = format!(
            "the session of {} has continued in the store without these entries, or was erased; remove {} to drop them",
            directory.display(),
            unsent_path(directory).display()
        );
        Error::new(ErrorKind::Store, text)
    })
}

/// Stores the entries of a session directory and removes it, as the owner of one of their sessions.
///
/// Returns how many entries the store did not have; `None`, without storing anything, if a session has continued without them.
pub(crate) async fn recover_as(
    directory: &Path,
    store: &(impl SessionStore + ?Sized),
    owned: Option<(&SessionKey, Epoch)>,
) -> Result<Option<usize>> {
    let mut recovery = Recovery {
        store,
        epochs: owned
            .into_iter()
            .map(|(session, epoch)| (session.clone(), epoch))
            .collect(),
    };
    let unsent = UnsentFile::read(directory).await?;
    let sessions: Vec<SessionKey> = unsent.owned.iter().map(|(key, _)| key.clone()).collect();
    let files = files_below(directory, &sessions).await;
    for (session, end) in &unsent.owned {
        recovery.check_lease(session).await?;
        if recovery.end(&session.main()).await? < *end {
            // The session was erased meanwhile.
            return Ok(None);
        }
    }
    let mut missing = Vec::new();
    for (session, streams) in unsent.streams {
        match recovery.missing_of_all(&streams).await? {
            Some(streams) if sessions.contains(&session) => missing.extend(streams),
            None if sessions.contains(&session) => return Ok(None),
            // The host never owned this session: the CLI named it after the store had failed.
            Some(missing_streams) if is_whole(&streams) => {
                recovery.check_lease(&session).await?;
                missing.extend(missing_streams);
            }
            _ => tracing::warn!(%session, "entries dropped: the CLI did not begin their session"),
        }
    }
    missing.retain(|unsent| !unsent.entries.is_empty());
    for unsent in &missing {
        recovery.own(unsent.stream.session()).await?;
    }
    // Once more under the epoch of this call: nothing can be added from now on.
    let Some(missing) = recovery.missing_of_all(&missing).await? else {
        return Ok(None);
    };
    for file in files {
        recovery.store_file(file).await?;
    }
    let mut stored = 0;
    for unsent in missing {
        stored += unsent.entries.len();
        recovery.append(unsent).await?;
    }
    remove(directory).await.map_err(|error| {
        let text = format!(
            "everything is stored, but {} cannot be removed",
            directory.display()
        );
        Error::new(ErrorKind::Store, text).with_source(error)
    })?;
    Ok(Some(stored))
}

/// Removes the directory of a session and its unsent entries.
async fn remove(directory: &Path) -> io::Result<()> {
    let is_gone = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => Ok(()),
        _ => Err(error),
    };
    // The entries last: without them, the rest is removed when the session is opened.
    let removed = tokio::fs::remove_dir_all(directory).await;
    removed.or_else(is_gone)?;
    let removed = tokio::fs::remove_file(unsent_path(directory)).await;
    removed.or_else(is_gone)
}

/// Returns whether these are the streams of a session from its beginning.
fn is_whole(streams: &[UnsentStream]) -> bool {
    let mut streams = streams.iter();
    streams.any(|unsent| unsent.stream.is_main() && unsent.position == Position::START)
}

/// Entries of one stream that are not stored, and the position of the first one.
struct UnsentStream {
    stream: StreamKey,
    position: Position,
    entries: Vec<Bytes>,
}

/// The content of a file with unsent entries.
struct UnsentFile {
    /// The sessions that the host owned, with the ends of their main streams in the store.
    owned: Vec<(SessionKey, Position)>,
    /// The streams of each session.
    streams: Vec<(SessionKey, Vec<UnsentStream>)>,
}

impl UnsentFile {
    /// Reads the file of a session directory. The last line may be cut off: its write was not completed.
    async fn read(directory: &Path) -> Result<Self> {
        let path = unsent_path(directory);
        let text = tokio::fs::read_to_string(&path).await.map_err(|error| {
            let text = format!("{} has no unsent entries", directory.display());
            Error::new(ErrorKind::Store, text).with_source(error)
        })?;
        let unreadable = |error: &dyn std::fmt::Display| {
            let text = format!("{} cannot be read: {error}", path.display());
            Error::new(ErrorKind::Store, text)
        };
        let mut lines = text
            .split_inclusive('\n')
            .filter_map(|line| line.strip_suffix('\n'));
        let header = lines.next().unwrap_or_default();
        let header: Header = serde_json::from_str(header).map_err(|error| unreadable(&error))?;
        let project = ProjectKey::new(header.project).map_err(store_error)?;
        let mut owned = Vec::new();
        for OwnedSession { session, end } in header.sessions {
            let session = project.session(session).map_err(store_error)?;
            owned.push((session, Position::new(end)));
        }
        let mut sessions: Vec<(SessionKey, Vec<UnsentStream>)> = Vec::new();
        for line in lines {
            let line: Line = serde_json::from_str(line).map_err(|error| unreadable(&error))?;
            let session = project.session(line.session).map_err(store_error)?;
            let stream = match line.subpath {
                Some(subpath) => session.stream(subpath).map_err(store_error)?,
                None => session.main(),
            };
            let at = sessions.iter().position(|(other, _)| *other == session);
            let at = at.unwrap_or_else(|| {
                sessions.push((session, Vec::new()));
                sessions.len() - 1
            });
            let streams = &mut sessions[at].1;
            let position = Position::new(line.position);
            let entry = Bytes::copy_from_slice(line.entry.get().as_bytes());
            match streams.iter_mut().find(|other| other.stream == stream) {
                Some(other) if other.position.after(other.entries.len()) == position => {
                    other.entries.push(entry);
                }
                Some(_) => return Err(unreadable(&"an entry is missing")),
                None => streams.push(UnsentStream {
                    stream,
                    position,
                    entries: vec![entry],
                }),
            }
        }
        Ok(Self {
            owned,
            streams: sessions,
        })
    }
}

/// The recovery of one directory.
struct Recovery<'a, S: ?Sized> {
    store: &'a S,
    /// The epochs of the sessions that this call owns.
    epochs: HashMap<SessionKey, Epoch>,
}

impl<S: SessionStore + ?Sized> Recovery<'_, S> {
    /// Checks that no other host works on a session.
    async fn check_lease(&self, session: &SessionKey) -> Result<()> {
        let Some(leases) = self.store.leases() else {
            return Ok(());
        };
        if self.epochs.contains_key(session) {
            return Ok(());
        }
        let holder = persist(|| leases.holder(session)).await;
        let holder = holder.map_err(store_error)?;
        match holder.is_some_and(|lease| lease.until > SystemTime::now()) {
            true => Err(held(leases, session).await),
            false => Ok(()),
        }
    }

    /// Becomes the owner of a session, once.
    async fn own(&mut self, session: &SessionKey) -> Result<Epoch> {
        if let Some(epoch) = self.epochs.get(session) {
            return Ok(*epoch);
        }
        let epoch = persist(|| self.store.fence(session, None)).await;
        let epoch = epoch.map_err(store_error)?;
        self.epochs.insert(session.clone(), epoch);
        Ok(epoch)
    }

    async fn end(&self, stream: &StreamKey) -> Result<Position> {
        let end = persist(|| self.store.end(stream)).await;
        end.map_err(store_error)
    }

    /// Returns what the store lacks of these streams; `None` if one has other entries in their place.
    async fn missing_of_all(&self, streams: &[UnsentStream]) -> Result<Option<Vec<UnsentStream>>> {
        let mut missing = Vec::new();
        for unsent in streams {
            match self.missing_of(unsent).await? {
                Some(unsent) => missing.push(unsent),
                None => return Ok(None),
            }
        }
        Ok(Some(missing))
    }

    /// Returns those of the entries that the stream lacks; `None` if it has others in their place, or lacks those before them.
    async fn missing_of(&self, unsent: &UnsentStream) -> Result<Option<UnsentStream>> {
        if self.end(&unsent.stream).await? < unsent.position {
            return Ok(None);
        }
        // Some may be stored already: an acknowledgement was lost, or an earlier recovery was cut off.
        let mut load = self.store.load(&unsent.stream, unsent.position);
        let mut present = 0;
        while let Some(entry) = next_entry(&mut load).await.map_err(store_error)? {
            if unsent.entries.get(present) != Some(&entry) {
                return Ok(None);
            }
            present += 1;
        }
        Ok(Some(UnsentStream {
            stream: unsent.stream.clone(),
            position: unsent.position.after(present),
            entries: unsent.entries[present..].to_vec(),
        }))
    }

    async fn store_file(&mut self, file: ChangedFile) -> Result<()> {
        let content = file.read().await.ok_or_else(|| {
            let text = format!("the file {} of the session cannot be read", file.path);
            Error::new(ErrorKind::Store, text)
        })?;
        let epoch = self.own(&file.session).await?;
        let (session, path) = (&file.session, &file.path);
        let put = persist(|| self.store.put_file(session, epoch, path, content.clone())).await;
        put.map_err(store_error)
    }

    async fn append(&mut self, unsent: UnsentStream) -> Result<()> {
        let epoch = self.own(unsent.stream.session()).await?;
        let append = Append::new(epoch, unsent.position, unsent.entries);
        let appended = persist(|| self.store.append(&unsent.stream, &append)).await;
        appended.map(drop).map_err(store_error)
    }
}
