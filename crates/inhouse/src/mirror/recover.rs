use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use inhouse_store::{
    Append, Epoch, Lease, Position, ProjectKey, SessionKey, SessionStore, StoreErrorKind, StreamKey,
};
use tokio::fs::File;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::time::Instant;
use uuid::Uuid;

use super::persist::{next_entry, persist};
use super::session_files::{ChangedFile, files_below};
use super::unsent::{Header, Line, OwnedSession, unsent_path};
use crate::error::{Error, ErrorKind, Result};
use crate::resume::{held, release, store_error};

/// How long a session is leased while its entries are stored. The lease is renewed after half of this time.
const LEASE: Duration = Duration::from_secs(30);

/// How many bytes of the file are read at once.
const BUFFER: usize = 256 << 10;

/// How many bytes of entries are appended with one call; a longer entry takes one by itself.
const PART: usize = 1 << 20;

/// What became of the unsent entries of a session directory.
pub(crate) struct Recovered {
    /// How many entries were stored.
    pub(crate) stored: usize,
    /// The sessions whose entries were not stored: they have continued without these entries, or were erased.
    pub(crate) left: Vec<SessionKey>,
}

/// Stores the entries of a session directory and removes it; returns how many entries the store did not have.
pub(crate) async fn recover(
    directory: &Path,
    store: &(impl SessionStore + ?Sized),
) -> Result<usize> {
    let mut recovery = Recovery::new(store);
    let recovered = recovery.store_all_and_remove(directory).await;
    recovery.release().await;
    recovered
}

/// Stores the entries of a session directory, as the owner of one of their sessions.
pub(crate) async fn recover_as(
    directory: &Path,
    store: &(impl SessionStore + ?Sized),
    (session, epoch): (&SessionKey, Epoch),
) -> Result<Recovered> {
    let mut recovery = Recovery::new(store);
    let ownership = Ownership { epoch, lease: None };
    recovery.owned.insert(session.clone(), ownership);
    let recovered = recovery.store_all(directory).await;
    recovery.release().await;
    recovered
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

/// Entries of one stream that are not stored, and the position of the first one.
struct UnsentStream {
    stream: StreamKey,
    position: Position,
    entries: Vec<Bytes>,
}

/// The entries of one session that are not stored.
struct UnsentSession {
    key: SessionKey,
    /// The end of its main stream in the store; `None` if the host did not own the session, because the CLI named it after the store had
    /// failed.
    end: Option<Position>,
    streams: Vec<UnsentStream>,
}

impl UnsentSession {
    fn main(&self) -> Option<&UnsentStream> {
        let mut streams = self.streams.iter();
        streams.find(|unsent| unsent.stream.is_main())
    }
}

/// The content of a file with unsent entries.
struct UnsentFile {
    sessions: Vec<UnsentSession>,
}

impl UnsentFile {
    /// Reads the file of a session directory. The last line may be cut off: its write was not completed.
    async fn read(directory: &Path) -> Result<Self> {
        let path = unsent_path(directory);
        let file = File::open(&path).await.map_err(|error| {
            let text = format!("{} has no unsent entries", directory.display());
            Error::new(ErrorKind::Store, text).with_source(error)
        })?;
        let mut file = BufReader::with_capacity(BUFFER, file);
        let unreadable_file = |error: io::Error| {
            let text = format!("{} cannot be read", path.display());
            Error::new(ErrorKind::Store, text).with_source(error)
        };
        let header = next_line(&mut file).await.map_err(unreadable_file)?;
        let header: Header = serde_json::from_slice(&header).map_err(|error| {
            let (path, directory) = (path.display(), directory.display());
            let text = format!("the first line of {path} cannot be read; remove {path} and {directory} to drop the entries");
            Error::new(ErrorKind::Store, text).with_source(error)
        })?;
        let project = ProjectKey::new(header.project).map_err(store_error)?;
        let mut sessions = Vec::new();
        for OwnedSession { session, end } in header.sessions {
            sessions.push(UnsentSession {
                key: project.session(session).map_err(store_error)?,
                end: Some(Position::new(end)),
                streams: Vec::new(),
            });
        }
        for number in 2.. {
            let line = next_line(&mut file).await.map_err(unreadable_file)?;
            if line.is_empty() {
                break;
            }
            let unreadable = |error: &dyn std::fmt::Display| {
                let path = path.display();
                let text = format!(
                    "line {number} of {path} cannot be read: {error}; remove it and the lines behind it, and recover again: the entries before \
                     it are stored then"
                );
                Error::new(ErrorKind::Store, text)
            };
            let line: Line = serde_json::from_slice(&line).map_err(|error| unreadable(&error))?;
            let key = project.session(line.session).map_err(store_error)?;
            let stream = match line.subpath {
                Some(subpath) => key.stream(subpath).map_err(store_error)?,
                None => key.main(),
            };
            let at = sessions.iter().position(|other| other.key == key);
            let at = at.unwrap_or_else(|| {
                sessions.push(UnsentSession {
                    key,
                    end: None,
                    streams: Vec::new(),
                });
                sessions.len() - 1
            });
            let streams = &mut sessions[at].streams;
            let position = Position::new(line.position);
            let entry = Bytes::from(Box::<str>::from(line.entry).into_boxed_bytes());
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
        Ok(Self { sessions })
    }
}

/// Reads the next line with its end; an empty one at the end of the file, or if the last line is cut off.
async fn next_line(file: &mut BufReader<File>) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    file.read_until(b'\n', &mut line).await?;
    match line.ends_with(b"\n") {
        true => Ok(line),
        false => Ok(Vec::new()),
    }
}

/// The recovery of one directory.
struct Recovery<'a, S: ?Sized> {
    store: &'a S,
    /// The name of this call in leases.
    owner: String,
    /// The sessions that this call owns.
    owned: HashMap<SessionKey, Ownership>,
}

/// The ownership of a session.
struct Ownership {
    epoch: Epoch,
    /// The lease that this call has acquired, and when it was renewed.
    lease: Option<(Lease, Instant)>,
}

impl<'a, S: SessionStore + ?Sized> Recovery<'a, S> {
    fn new(store: &'a S) -> Self {
        Self {
            store,
            owner: format!("inhouse-recovery-{}", Uuid::new_v4()),
            owned: HashMap::new(),
        }
    }

    /// Stores all entries and removes the directory; returns how many entries the store did not have.
    async fn store_all_and_remove(&mut self, directory: &Path) -> Result<usize> {
        let recovered = self.store_all(directory).await?;
        if !recovered.left.is_empty() {
            let left: Vec<&str> = recovered.left.iter().map(SessionKey::session).collect();
            let text = format!(
                "entries of session {} were not stored: the session has continued in the store without them, or was erased; remove {} and {} \
                 to drop them",
                left.join(" and of session "),
                directory.display(),
                unsent_path(directory).display()
            );
            return Err(Error::new(ErrorKind::Store, text));
        }
        remove(directory).await.map_err(|error| {
            let text = format!(
                "everything is stored, but {} cannot be removed",
                directory.display()
            );
            Error::new(ErrorKind::Store, text).with_source(error)
        })?;
        Ok(recovered.stored)
    }

    /// Stores the entries and files of each session that has not continued without them.
    async fn store_all(&mut self, directory: &Path) -> Result<Recovered> {
        let UnsentFile { sessions } = UnsentFile::read(directory).await?;
        let owned = sessions.iter().filter(|session| session.end.is_some());
        let owned: Vec<SessionKey> = owned.map(|session| session.key.clone()).collect();
        let files = files_below(directory, &owned).await;
        let mut recovered = Recovered {
            stored: 0,
            left: Vec::new(),
        };
        let mut fitting = Vec::new();
        for session in sessions {
            let has_files = files.iter().any(|file| file.session == session.key);
            match self.missing_of(&session).await? {
                Some(missing) if missing.is_empty() && !has_files => {}
                Some(_) => fitting.push(session),
                None if session.end.is_some() => recovered.left.push(session.key),
                None => {
                    let session = session.key;
                    tracing::warn!(%session, "entries dropped: the CLI did not begin their session");
                }
            }
        }
        // Before the first write, so that nothing is stored if another host works on one of the sessions.
        for session in &fitting {
            self.own(&session.key).await?;
        }
        for session in fitting {
            // Once more under the epoch of this call: nothing can be added from now on.
            let Some(missing) = self.missing_of(&session).await? else {
                recovered.left.push(session.key);
                continue;
            };
            for file in files.iter().filter(|file| file.session == session.key) {
                self.store_file(file).await?;
            }
            for unsent in missing {
                recovered.stored += unsent.entries.len();
                self.append(unsent).await?;
            }
        }
        Ok(recovered)
    }

    /// Becomes the owner of a session, once, and renews its lease.
    ///
    /// # Errors
    /// `Held` if another host works on the session.
    async fn own(&mut self, session: &SessionKey) -> Result<Epoch> {
        let now = Instant::now();
        if let Some(ownership) = self.owned.get_mut(session) {
            if let (Some(leases), Some((lease, renewed))) =
                (self.store.leases(), &mut ownership.lease)
                && now - *renewed > LEASE / 2
            {
                let former = lease.clone();
                let next = persist(|| leases.renew(&former, LEASE)).await;
                *lease = next.map_err(store_error)?;
                *renewed = now;
            }
            return Ok(ownership.epoch);
        }
        let ownership = match self.store.leases() {
            // Not by a fence: it would take the session from a host that has acquired it meanwhile.
            Some(leases) => {
                let lease = persist(|| leases.acquire(session, &self.owner, LEASE)).await;
                match lease {
                    Ok(lease) => Ownership {
                        epoch: lease.epoch,
                        lease: Some((lease, now)),
                    },
                    Err(error) if error.kind() == StoreErrorKind::Held => {
                        return Err(held(leases, session).await.with_source(error));
                    }
                    Err(error) => return Err(store_error(error)),
                }
            }
            None => {
                let epoch = persist(|| self.store.fence(session, None)).await;
                let epoch = epoch.map_err(store_error)?;
                Ownership { epoch, lease: None }
            }
        };
        let epoch = ownership.epoch;
        self.owned.insert(session.clone(), ownership);
        Ok(epoch)
    }

    /// Releases the leases that this call has acquired.
    async fn release(self) {
        let Some(leases) = self.store.leases() else {
            return;
        };
        for (lease, _) in self.owned.into_values().filter_map(|owned| owned.lease) {
            release(leases, &lease).await;
        }
    }

    async fn end(&self, stream: &StreamKey) -> Result<Position> {
        let end = persist(|| self.store.end(stream)).await;
        end.map_err(store_error)
    }

    /// Returns what the store lacks of a session; `None` if the session has continued without it or was erased, or the CLI did not begin it.
    async fn missing_of(&self, session: &UnsentSession) -> Result<Option<Vec<UnsentStream>>> {
        match session.end {
            Some(end) => {
                let stored = self.end(&session.key.main()).await?;
                let has_continued = stored > end && session.main().is_none();
                if stored < end || has_continued {
                    return Ok(None);
                }
            }
            None if session
                .main()
                .is_none_or(|main| main.position > Position::START) =>
            {
                return Ok(None);
            }
            None => {}
        }
        let mut missing = Vec::new();
        for unsent in &session.streams {
            match self.missing_of_stream(unsent).await? {
                Some(unsent) if unsent.entries.is_empty() => {}
                Some(unsent) => missing.push(unsent),
                None => return Ok(None),
            }
        }
        Ok(Some(missing))
    }

    /// Returns those of the entries that the stream lacks; `None` if it has others in their place, or lacks those before them.
    async fn missing_of_stream(&self, unsent: &UnsentStream) -> Result<Option<UnsentStream>> {
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

    async fn store_file(&mut self, file: &ChangedFile) -> Result<()> {
        let content = file.read().await.ok_or_else(|| {
            let text = format!("the file {} of the session cannot be read", file.path);
            Error::new(ErrorKind::Store, text)
        })?;
        let epoch = self.own(&file.session).await?;
        let (session, path) = (&file.session, &file.path);
        let put = persist(|| self.store.put_file(session, epoch, path, content.clone())).await;
        put.map_err(store_error)
    }

    /// Appends entries in parts: one call with all of them could take longer than a call may.
    async fn append(&mut self, unsent: UnsentStream) -> Result<()> {
        let mut position = unsent.position;
        for part in parts(&unsent.entries) {
            let epoch = self.own(unsent.stream.session()).await?;
            let append = Append::new(epoch, position, part.iter().cloned());
            let appended = persist(|| self.store.append(&unsent.stream, &append)).await;
            appended.map_err(store_error)?;
            position = position.after(part.len());
        }
        Ok(())
    }
}

/// Divides entries into parts for one call each.
fn parts(entries: &[Bytes]) -> impl Iterator<Item = &[Bytes]> {
    let mut rest = entries;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut size = 0;
        let fitting = rest.iter().take_while(|entry| {
            size += entry.len();
            size <= PART
        });
        let (part, others) = rest.split_at(fitting.count().max(1));
        rest = others;
        Some(part)
    })
}
