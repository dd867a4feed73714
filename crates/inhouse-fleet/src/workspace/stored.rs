use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use inhouse_store::{Bytes, Epoch, FilePath, SessionKey, SessionStore};
use tokio::sync::Mutex;

use super::directory::Directory;
use super::manifest::{Manifest, Slot, StoredFile, sha256};
use super::tree::{self, LocalFile, Seen};
use super::{PreparedWorkspace, Workspace, WorkspaceError};
use crate::retry::{persist, persist_content};
use crate::{Fence, Work};

/// The project of the sessions with the files of workspaces.
const PROJECT: &str = "inhouse-workspace";

/// A file that was modified more recently than this before it was listed is compared by its content: clocks of file systems are coarse.
const RECENT: Duration = Duration::from_secs(2);

/// Workspaces whose files are kept in a session store, and written to `<root>/<session id>` before each turn.
///
/// For hosts without a shared volume. Before the CLI starts, the directory gets exactly the files of the last save. After each tool
/// call, and at the end of each turn, the files that were added, changed or removed are saved under the epoch of the session: a host that has lost
/// the session cannot save any more.
///
/// Regular files are saved, with their executable bit. Empty directories, symbolic links, special files and files whose names are not UTF-8 are
/// not saved, and are removed before the next turn. A new session begins with an empty directory. The store keeps up to two contents of each
/// file, in the project `inhouse-workspace`; erase them with the session.
///
/// ```
/// use inhouse_fleet::{Fence, StoreWorkspace, Work, Workspace};
/// use inhouse_store::memory::MemoryStore;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let (a, b) = (tempfile::tempdir()?, tempfile::tempdir()?);
/// let store = MemoryStore::new();
/// let work = Work::new("customer-42", "Hello");
///
/// let host = StoreWorkspace::new(store.clone(), a.path());
/// let workspace = host.prepare(&work, &Fence::new("inhouse-fleet", work.session_id(), 1)).await?;
/// std::fs::write(workspace.path().join("notes.txt"), "5 dollars")?;
/// workspace.save().await?;
///
/// let other = StoreWorkspace::new(store, b.path());
/// let workspace = other.prepare(&work, &Fence::new("inhouse-fleet", work.session_id(), 2)).await?;
/// assert_eq!(std::fs::read_to_string(workspace.path().join("notes.txt"))?, "5 dollars");
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct StoreWorkspace {
    store: Arc<dyn SessionStore>,
    root: PathBuf,
    limits: Limits,
}

/// How much a workspace may contain.
#[derive(Clone, Debug)]
pub(super) struct Limits {
    files: usize,
    bytes: u64,
}

impl StoreWorkspace {
    /// Creates workspaces in a store, with their directories below `root`.
    pub fn new(store: impl SessionStore + 'static, root: impl Into<PathBuf>) -> Self {
        Self {
            store: Arc::new(store),
            root: root.into(),
            limits: Limits {
                files: 10_000,
                bytes: 256 << 20,
            },
        }
    }

    /// Sets how many files a workspace may have; 10,000 unless set. A turn that leaves more fails.
    ///
    /// ```
    /// use inhouse_fleet::StoreWorkspace;
    /// use inhouse_store::memory::MemoryStore;
    ///
    /// let workspace = StoreWorkspace::new(MemoryStore::new(), "/srv/agents").max_files(100);
    /// # let _ = workspace;
    /// ```
    #[must_use]
    pub fn max_files(mut self, files: usize) -> Self {
        self.limits.files = files;
        self
    }

    /// Sets how many bytes the files of a workspace may have together; 256 MiB unless set. A turn that leaves more fails.
    ///
    /// ```
    /// use inhouse_fleet::StoreWorkspace;
    /// use inhouse_store::memory::MemoryStore;
    ///
    /// let workspace = StoreWorkspace::new(MemoryStore::new(), "/srv/agents").max_bytes(1 << 20);
    /// # let _ = workspace;
    /// ```
    #[must_use]
    pub fn max_bytes(mut self, bytes: u64) -> Self {
        self.limits.bytes = bytes;
        self
    }
}

impl Limits {
    pub(super) fn check(&self, files: usize, bytes: u64) -> Result<(), WorkspaceError> {
        let text = if files > self.files {
            format!(
                "the workspace has more than {} files; let the agent remove some, or raise `StoreWorkspace::max_files`",
                self.files
            )
        } else if bytes > self.bytes {
            format!(
                "the workspace has more than {} bytes; let the agent remove files, or raise `StoreWorkspace::max_bytes`",
                self.bytes
            )
        } else {
            return Ok(());
        };
        Err(WorkspaceError::new(text))
    }
}

#[async_trait]
impl Workspace for StoreWorkspace {
    async fn prepare(
        &self,
        _: &Work,
        fence: &Fence,
    ) -> Result<Box<dyn PreparedWorkspace>, WorkspaceError> {
        let files = StoredFiles {
            store: Arc::clone(&self.store),
            key: SessionKey::new(PROJECT, fence.session.to_string())?,
            epoch: fence.epoch(),
        };
        // Before the load: a former owner must not save any more.
        persist(|| files.store.fence(&files.key, Some(files.epoch))).await?;
        // With 10,000 files, a manifest has about a megabyte.
        let manifest = match files.get(&Manifest::path(), 1 << 20).await? {
            Some(content) => Manifest::read(&content)?,
            None => Manifest::default(),
        };
        let directory = Directory::new(self.root.join(fence.session.to_string()));
        let cleaned = manifest.clone();
        let cleaned = directory.run(move |root| tree::clean(root, &cleaned));
        for name in cleaned.await? {
            let stored = &manifest.files[&name];
            let path = stored.slot.path_of(&name);
            let content = files.get(&path, stored.length).await?;
            let content = content.filter(|content| sha256(content) == stored.sha256);
            let Some(content) = content else {
                let text =
                    format!("the store does not have the content of {name:?} that it had saved");
                return Err(WorkspaceError::new(text));
            };
            let executable = stored.executable;
            let write = directory.run(move |root| tree::write(root, &name, &content, executable));
            write.await?;
        }
        let mut saved = SavedFiles {
            manifest,
            seen: HashMap::new(),
        };
        let limits = self.limits.clone();
        let listed_at = SystemTime::now();
        let listed = directory.run(move |root| tree::list(root, &limits));
        for file in listed.await? {
            saved.note(file, listed_at);
        }
        Ok(Box::new(PreparedFiles {
            directory,
            limits: self.limits.clone(),
            files,
            saved: Mutex::new(saved),
        }))
    }
}

/// The directory of a session, and what the store has of it.
struct PreparedFiles {
    directory: Directory,
    limits: Limits,
    files: StoredFiles,
    /// Locked for the time of a save: the saves after parallel calls follow each other.
    saved: Mutex<SavedFiles>,
}

/// The files of a session in the store.
struct StoredFiles {
    store: Arc<dyn SessionStore>,
    key: SessionKey,
    epoch: Epoch,
}

struct SavedFiles {
    manifest: Manifest,
    /// The files that have not changed since the manifest, unless they look different.
    seen: HashMap<String, Seen>,
}

#[async_trait]
impl PreparedWorkspace for PreparedFiles {
    fn path(&self) -> &Path {
        self.directory.path()
    }

    async fn save(&self) -> Result<(), WorkspaceError> {
        let mut saved = self.saved.lock().await;
        let limits = self.limits.clone();
        let listed_at = SystemTime::now();
        let listed = self.directory.run(move |root| tree::list(root, &limits));
        let listed = listed.await?;
        let mut manifest = Manifest::default();
        for file in &listed {
            let stored = saved.manifest.files.get(&file.path);
            let stored = match stored {
                Some(stored) if saved.is_unchanged(file) => Some(stored.clone()),
                _ => self.store_file(file, stored).await?,
            };
            if let Some(stored) = stored {
                manifest.files.insert(file.path.clone(), stored);
            }
        }
        if manifest != saved.manifest {
            self.files
                .put(&Manifest::path(), manifest.to_bytes())
                .await?;
            self.empty_removed(&saved.manifest, &manifest).await;
        }
        saved.manifest = manifest;
        saved.seen.clear();
        for file in listed {
            saved.note(file, listed_at);
        }
        Ok(())
    }

    fn saves_after_calls(&self) -> bool {
        true
    }
}

impl PreparedFiles {
    /// Stores the content of a file if it has changed; `None` if the file is gone.
    async fn store_file(
        &self,
        file: &LocalFile,
        stored: Option<&StoredFile>,
    ) -> Result<Option<StoredFile>, WorkspaceError> {
        let path = file.path.clone();
        let content = self.directory.run(move |root| tree::read(root, &path));
        let Some(content) = content.await?.map(Bytes::from) else {
            return Ok(None);
        };
        let (hash, length) = (sha256(&content), content.len() as u64);
        let mut slot = Slot::after(stored);
        match stored {
            Some(stored) if stored.sha256 == hash => slot = stored.slot,
            _ => self.files.put(&slot.path_of(&file.path), content).await?,
        }
        Ok(Some(StoredFile {
            slot,
            sha256: hash,
            length,
            executable: file.executable,
        }))
    }

    /// Replaces the contents of removed files by nothing, because a store cannot remove a file.
    async fn empty_removed(&self, before: &Manifest, after: &Manifest) {
        let before = before.files.iter();
        let removed = before.filter(|(path, _)| !after.files.contains_key(*path));
        for (path, stored) in removed {
            // A content that stays takes up space, and nothing else.
            if let Err(error) = self
                .files
                .put(&stored.slot.path_of(path), Bytes::new())
                .await
            {
                tracing::debug!(%error, "content of a removed file stays in the store");
            }
        }
    }
}

impl StoredFiles {
    /// Reads a file of about so many bytes.
    async fn get(&self, path: &FilePath, length: u64) -> Result<Option<Bytes>, WorkspaceError> {
        Ok(persist_content(length, || self.store.file(&self.key, path)).await?)
    }

    async fn put(&self, path: &FilePath, content: Bytes) -> Result<(), WorkspaceError> {
        let put = || {
            self.store
                .put_file(&self.key, self.epoch, path, content.clone())
        };
        Ok(persist_content(content.len() as u64, put).await?)
    }
}

impl SavedFiles {
    /// Notes a file that is as the manifest says, unless it may change again without looking different.
    fn note(&mut self, file: LocalFile, listed_at: SystemTime) {
        let modified = file.seen.modified;
        let age = modified.and_then(|modified| listed_at.duration_since(modified).ok());
        if age.is_some_and(|age| age > RECENT) {
            self.seen.insert(file.path, file.seen);
        }
    }

    fn is_unchanged(&self, file: &LocalFile) -> bool {
        let stored = self.manifest.files.get(&file.path);
        self.seen.get(&file.path) == Some(&file.seen)
            && stored.is_some_and(|stored| stored.executable == file.executable)
    }
}
