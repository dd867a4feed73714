use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use inhouse_proto::session::{Entry, SessionId, is_safe_subpath, metadata_content};
use inhouse_store::FilePath;
use tempfile::TempDir;

use super::archive::create_private_dir;
use super::batches::BATCH;
use super::blocking::{blocking, file_error};
use super::files::SessionFiles;
use super::location::{Location, is_absent};
use super::stored::StoreImport;
use super::subagents::metadata_path;
use super::{Export, SessionEntry};
use crate::error::{Error, Result};

/// A session that is being written from its entries; see [`Sessions::import`](super::Sessions::import).
///
/// On disk, the entries are written to a temporary directory beside the sessions of the project. If this is dropped before
/// [`finish`](Self::finish), nothing remains.
///
/// In a store, entries are appended about 1 MiB at a time, under the lease of the session. What was appended before an error or a drop remains.
/// The import can be repeated: it continues behind the entries that the store has already.
///
/// ```
/// use inhouse::sessions::{SessionEntry, Sessions};
///
/// # inhouse_testkit::run(async {
/// # let config = tempfile::tempdir().unwrap();
/// let sessions = Sessions::new().config_dir(config.path()).project("/app");
/// let mut import = sessions.import("0b9c6f6e-7a46-4f0c-9d5e-3f6f1f1c2a11").await?;
/// let line = r#"{"type":"user","uuid":"u1","message":{"content":"Hello"}}"#;
/// import.push(SessionEntry::new(line)).await?;
/// // Nothing remains of an import that is not finished.
/// drop(import);
/// assert!(sessions.list().await?.is_empty());
/// # Ok::<(), inhouse::Error>(()) }).unwrap();
/// ```
#[must_use = "an import has to be finished"]
pub struct Import {
    id: SessionId,
    target: Target,
    has_entries: bool,
}

enum Target {
    Disk(DiskImport),
    Store(StoreImport),
}

/// A session that is being written to the disk.
struct DiskImport {
    id: SessionId,
    /// The directory of the project.
    dir: PathBuf,
    /// The directory with the unfinished session: a file `main` and a directory `session`.
    staging: TempDir,
    /// Lines that are not written yet, by transcript.
    pending: HashMap<Option<String>, Vec<u8>>,
    /// Number of bytes in `pending`.
    size: usize,
    /// The last metadata of each subagent.
    metadata: HashMap<String, String>,
}

impl Import {
    pub(super) async fn begin(location: &Location, id: SessionId) -> Result<Self> {
        let target = match location.stored()? {
            Some(project) => Target::Store(StoreImport::begin(&project, &id).await?),
            None => {
                let (dir, id) = (location.import_dir()?, id.clone());
                Target::Disk(blocking(move || DiskImport::begin(dir, id)).await?)
            }
        };
        Ok(Self {
            id,
            target,
            has_entries: false,
        })
    }

    /// Adds an entry. Entries of the same transcript are written in the order in which they are added.
    ///
    /// Entries are written byte for byte. Their member `sessionId` should be the id of the session; to give a session
    /// another id, [fork](super::Sessions::fork) it after the import.
    ///
    /// ```
    /// use inhouse::ErrorKind;
    /// use inhouse::sessions::{SessionEntry, Sessions};
    ///
    /// # inhouse_testkit::run(async {
    /// # let config = tempfile::tempdir().unwrap();
    /// # let sessions = Sessions::new().config_dir(config.path()).project("/app");
    /// let mut import = sessions.import("0b9c6f6e-7a46-4f0c-9d5e-3f6f1f1c2a11").await?;
    /// let outside = SessionEntry::at("../other", r#"{"type":"user"}"#);
    /// let error = import.push(outside).await.unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Config);
    /// # Ok::<(), inhouse::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// `Config` if the line is not an entry, or if the subpath would leave the directory of the session; the entry is
    /// not added. `Config` also if the store has other entries of the session, `Fenced` if it has another owner, and `Store` if a file or the
    /// store cannot be written; the import cannot be completed then.
    ///
    /// # Cancellation
    /// After the future was dropped before its completion, the import must not be continued.
    pub async fn push(&mut self, entry: SessionEntry) -> Result<()> {
        let SessionEntry { subpath, line } = entry;
        if let Some(subpath) = &subpath
            && !is_safe_subpath(subpath)
        {
            let message = format!("the subpath {subpath:?} leaves the directory of the session");
            return Err(Error::config(message));
        }
        if Entry::read(&line).is_none() || line.contains('\n') {
            let message = "an entry to import is not a JSON object with a `type` on one line";
            return Err(Error::config(message));
        }
        self.has_entries |= subpath.is_none();
        match &mut self.target {
            Target::Disk(disk) => disk.push(subpath, &line).await,
            Target::Store(store) => store.push(subpath, line).await,
        }
    }

    /// Completes the session. On disk, this moves its files to the project, the transcript last.
    ///
    /// ```
    /// use inhouse::sessions::{SessionEntry, Sessions};
    ///
    /// # inhouse_testkit::run(async {
    /// # let config = tempfile::tempdir().unwrap();
    /// # let sessions = Sessions::new().config_dir(config.path()).project("/app");
    /// let id = "0b9c6f6e-7a46-4f0c-9d5e-3f6f1f1c2a11";
    /// let mut import = sessions.import(id).await?;
    /// let line = r#"{"type":"user","uuid":"u1","message":{"content":"Hello"}}"#;
    /// import.push(SessionEntry::new(line)).await?;
    /// import.finish().await?;
    /// assert_eq!(sessions.messages(id).await?[0].text(), "Hello");
    /// # Ok::<(), inhouse::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// `Config` if the session has no entries, if a session with its id exists on disk by now, or if the store has more entries of it than were
    /// added; `Fenced` if the session has another owner; `Store` if a file or the store cannot be written. Nothing remains on disk in these cases.
    pub async fn finish(self) -> Result<()> {
        if !self.has_entries {
            return Err(Error::config(
                "a session without entries cannot be imported",
            ));
        }
        match self.target {
            Target::Disk(disk) => disk.finish().await,
            Target::Store(store) => store.finish().await,
        }
    }
}

impl Import {
    /// Writes a whole session.
    pub(super) async fn copy(mut self, entries: Export, files: SessionFiles) -> Result<()> {
        let copied = self.push_all(entries, files).await;
        if copied.is_ok() {
            return self.finish().await;
        }
        if let Target::Store(store) = self.target {
            // Released before the error is returned, so that the copy can be repeated at once.
            store.cancel().await;
        }
        copied
    }

    async fn push_all(&mut self, mut entries: Export, mut files: SessionFiles) -> Result<()> {
        while let Some(entry) = entries.next().await {
            self.push(entry?).await?;
        }
        while let Some((path, content)) = files.next().await? {
            self.push_file(path, content).await?;
        }
        Ok(())
    }

    /// Adds a file of the session, such as `tool-results/….txt`.
    async fn push_file(&mut self, path: FilePath, content: Bytes) -> Result<()> {
        match &mut self.target {
            Target::Disk(disk) => disk.push_file(path, content).await,
            Target::Store(store) => store.push_file(&path, content).await,
        }
    }
}

impl DiskImport {
    fn begin(dir: PathBuf, id: SessionId) -> Result<Self> {
        let transcript = dir.join(format!("{id}.jsonl"));
        reject_existing(&transcript)?;
        let staging = create_private_dir(&dir)
            .and_then(|()| TempDir::with_prefix_in(".import-", &dir))
            .map_err(|error| file_error("write to", &dir, error))?;
        Ok(Self {
            id,
            dir,
            staging,
            pending: HashMap::new(),
            size: 0,
            metadata: HashMap::new(),
        })
    }

    async fn push(&mut self, subpath: Option<String>, line: &str) -> Result<()> {
        if let Some(subpath) = &subpath
            && let Some(content) = metadata_content(line)
        {
            self.metadata.insert(subpath.clone(), content);
            return Ok(());
        }
        self.size += line.len() + 1;
        let lines = self.pending.entry(subpath).or_default();
        lines.extend_from_slice(line.as_bytes());
        lines.push(b'\n');
        match self.size >= BATCH {
            true => self.flush().await,
            false => Ok(()),
        }
    }

    async fn push_file(&self, path: FilePath, content: Bytes) -> Result<()> {
        let mut file = self.staging.path().join("session");
        file.extend(path.as_str().split('/'));
        blocking(move || append(&file, &content).map_err(|error| file_error("write", &file, error)))
            .await
    }

    async fn finish(mut self) -> Result<()> {
        self.flush().await?;
        blocking(move || self.publish()).await
    }

    async fn flush(&mut self) -> Result<()> {
        self.size = 0;
        let pending = std::mem::take(&mut self.pending);
        let staging = self.staging.path().to_owned();
        blocking(move || {
            pending.into_iter().try_for_each(|(subpath, lines)| {
                let path = staged(&staging, subpath.as_deref());
                append(&path, &lines).map_err(|error| file_error("write", &path, error))
            })
        })
        .await
    }

    fn publish(self) -> Result<()> {
        let staging = self.staging.path();
        for (subpath, content) in &self.metadata {
            let path = metadata_path(&staged(staging, Some(subpath)));
            append(&path, content.as_bytes()).map_err(|error| file_error("write", &path, error))?;
        }
        let transcript = self.dir.join(format!("{}.jsonl", self.id));
        reject_existing(&transcript)?;
        let session_dir = self.dir.join(&*self.id);
        let staged_dir = staging.join("session");
        let main = staged(staging, None);
        let publish = || {
            let has_dir = staged_dir.is_dir();
            if has_dir {
                fs::rename(&staged_dir, &session_dir)?;
            }
            fs::File::open(&main)?.sync_all()?;
            // A hard link fails if the transcript exists by now, which a rename does not. Some file systems have none.
            let published = match fs::hard_link(&main, &transcript) {
                Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                    fs::rename(&main, &transcript)
                }
                linked => linked,
            };
            if published.is_err() && has_dir {
                fs::rename(&session_dir, &staged_dir)?;
            }
            published
        };
        publish().map_err(|error| file_error("write", &transcript, error))
    }
}

impl fmt::Debug for Import {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Import")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

fn reject_existing(transcript: &Path) -> Result<()> {
    match fs::symlink_metadata(transcript) {
        Ok(_) => {
            let message = format!(
                "{} exists; delete the session, or import into another project",
                transcript.display()
            );
            Err(Error::config(message))
        }
        Err(error) if is_absent(&error) => Ok(()),
        Err(error) => Err(file_error("read", transcript, error)),
    }
}

/// Returns the path of a transcript in the staging directory.
fn staged(staging: &Path, subpath: Option<&str>) -> PathBuf {
    match subpath {
        None => staging.join("main.jsonl"),
        Some(subpath) => {
            let mut path = staging.join("session");
            path.extend(format!("{subpath}.jsonl").split('/'));
            path
        }
    }
}

/// Appends to a private file, and creates it and its directory.
fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    create_private_dir(path.parent().unwrap_or(path))?;
    let mut options = fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(bytes)
}
