use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use inhouse_proto::session::SessionId;

use crate::error::{Error, ErrorKind, Result};
use crate::mirror::{FILE_HISTORY, directory_of_unsent, unsent_path, unsent_project};
use crate::options::OsUser;

/// The configuration directory of the CLI for one session, which no other process of the machine uses meanwhile.
///
/// Dropping it removes the directory. One beside which there are entries that are not stored stays, without the login and the settings.
pub(super) struct SessionDirectory {
    path: PathBuf,
    owner: Option<OsUser>,
    // Dropped last, when the directory is gone.
    _lock: Lock,
}

impl SessionDirectory {
    /// Creates the directory of a session below `root`, or below the default root of the user.
    ///
    /// Removes files of a host that was killed: the store has everything that was promised.
    ///
    /// # Errors
    /// `Held` if another process uses the directory; `Store` if entries of the session are not stored, or the directory cannot be created.
    pub(super) fn create(root: Option<PathBuf>, id: &str, owner: Option<OsUser>) -> Result<Self> {
        let root = root_or_default(root, owner)?;
        let path = root.join(id);
        let failed = |error| {
            let text = format!("the session directory {} cannot be created", path.display());
            Error::new(ErrorKind::Store, text).with_source(error)
        };
        fs::create_dir_all(&root).map_err(failed)?;
        let lock = Lock::take(lock_of(&root, id)).map_err(failed)?;
        let Some(lock) = lock else {
            return Err(used_by_another(id));
        };
        if unsent_path(&path).exists() {
            // The host that wrote them may have been killed before it removed the login.
            remove_all_but_session(&path);
            let text = format!(
                "entries of the session of {} are not stored; store them with `sessions::recover` first",
                path.display()
            );
            return Err(Error::new(ErrorKind::Store, text));
        }
        match fs::remove_dir_all(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        create_private(&path).map_err(failed)?;
        Ok(Self {
            path,
            owner,
            _lock: lock,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the user that the CLI runs as the owner of everything in the directory.
    ///
    /// # Errors
    /// `Store` if this process may not do that.
    pub(super) fn give_to_owner(&self) -> Result<()> {
        let Some(owner) = self.owner else {
            return Ok(());
        };
        change_owner(&self.path, owner).map_err(|error| {
            let text =
                "the directory of the session cannot be given to the user of `Options::os_user`";
            Error::new(ErrorKind::Store, text).with_source(error)
        })
    }
}

impl Drop for SessionDirectory {
    fn drop(&mut self) {
        // The file may be the only copy of what the store lacks.
        if unsent_path(&self.path).exists() {
            remove_all_but_session(&self.path);
        } else if let Err(error) = fs::remove_dir_all(&self.path) {
            tracing::warn!(path = %self.path.display(), %error, "session directory not removed");
        }
    }
}

/// The entries of a directory that `sessions::recover` reads.
const NEEDED_TO_RECOVER: [&str; 2] = ["projects", FILE_HISTORY];

/// Removes the login, the settings, and what the CLI made of them: a directory may be kept for long.
fn remove_all_but_session(directory: &Path) {
    let Ok(listing) = fs::read_dir(directory) else {
        return;
    };
    for entry in listing.flatten() {
        if NEEDED_TO_RECOVER
            .iter()
            .any(|name| entry.file_name() == *name)
        {
            continue;
        }
        let path = entry.path();
        let removed = match entry.file_type() {
            Ok(kind) if kind.is_dir() => fs::remove_dir_all(&path),
            _ => fs::remove_file(&path),
        };
        if let Err(error) = removed {
            tracing::warn!(path = %path.display(), %error, "file stays in a kept session directory");
        }
    }
}

/// The directory of a session with entries that are not stored, which no other process of the machine uses meanwhile.
pub(super) struct UnsentDirectory {
    pub(super) path: PathBuf,
    _lock: Lock,
}

impl UnsentDirectory {
    /// Finds the directory of a session; `None` if it has no unsent entries.
    ///
    /// # Errors
    /// `Held` if another process uses the directory; `Store` if it cannot be locked.
    pub(super) fn find(
        root: Option<PathBuf>,
        id: &str,
        owner: Option<OsUser>,
    ) -> Result<Option<Self>> {
        let root = root_or_default(root, owner)?;
        let path = root.join(id);
        if !unsent_path(&path).exists() {
            return Ok(None);
        }
        match Lock::take(lock_of(&root, id)) {
            Ok(Some(lock)) => Ok(Some(Self { path, _lock: lock })),
            Ok(None) => Err(used_by_another(id)),
            Err(error) => {
                let text = format!("the session directory {} cannot be locked", path.display());
                Err(Error::new(ErrorKind::Store, text).with_source(error))
            }
        }
    }
}

impl UnsentDirectory {
    /// Removes the directory and the entries.
    ///
    /// # Errors
    /// `Store` if they cannot be removed.
    pub(super) fn remove(self) -> Result<()> {
        remove_with_entries(&self.path).map_err(|error| not_removed(&self.path, error))
    }
}

/// Removes the directory of a session, and its entries that are not stored.
fn remove_with_entries(directory: &Path) -> io::Result<()> {
    let is_gone = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => Ok(()),
        _ => Err(error),
    };
    fs::remove_dir_all(directory).or_else(is_gone)?;
    fs::remove_file(unsent_path(directory)).or_else(is_gone)
}

fn not_removed(directory: &Path, error: io::Error) -> Error {
    let path = directory.display();
    let text = format!("the session directory {path} cannot be removed");
    Error::new(ErrorKind::Store, text).with_source(error)
}

fn used_by_another(id: &str) -> Error {
    let text = format!("another process of this machine works on session {id}; wait for its end");
    Error::new(ErrorKind::Held, text)
}

/// Removes the directory of a session, also one with entries that are not stored. A directory that a process uses stays.
///
/// # Errors
/// `Store` if the directory cannot be removed.
pub(super) fn remove(root: &Path, id: &str) -> Result<()> {
    let path = root.join(id);
    let remove = || {
        if !root.is_dir() {
            return Ok(());
        }
        let Some(_lock) = Lock::take(lock_of(root, id))? else {
            return Ok(());
        };
        remove_with_entries(&path)
    };
    remove().map_err(|error| not_removed(&path, error))
}

/// Returns the sessions of a project with a directory or unsent entries that nothing was written to for `idle`.
///
/// A session without a project counts: the host was killed before the CLI had begun, or before it had removed everything.
pub(super) fn find_idle(root: &Path, project: &str, idle: Duration) -> Vec<String> {
    let Ok(listing) = fs::read_dir(root) else {
        return Vec::new();
    };
    let sessions = listing.flatten().filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        // A host that is killed while it removes a session leaves the file with the entries alone.
        let id = directory_of_unsent(&name).unwrap_or(&name);
        id.parse::<SessionId>().ok()?;
        let path = root.join(id);
        let projects = path.join("projects");
        let is_own = match projects.exists() {
            true => projects.join(project).is_dir(),
            false => unsent_project(&path).is_none_or(|own| own == project),
        };
        let last_change = last_change(&path).max(last_change(&unsent_path(&path)));
        let age = last_change.elapsed().unwrap_or_default();
        (is_own && age >= idle).then(|| id.to_owned())
    });
    // A session with both a directory and a file is found twice.
    sessions.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Returns the time of the last change of a file or of anything below a directory.
fn last_change(path: &Path) -> SystemTime {
    let metadata = fs::symlink_metadata(path);
    let own = metadata.as_ref().ok().and_then(|data| data.modified().ok());
    let own = own.unwrap_or(SystemTime::UNIX_EPOCH);
    if !metadata.is_ok_and(|metadata| metadata.is_dir()) {
        return own;
    }
    let listing = fs::read_dir(path).into_iter().flatten().flatten();
    let below = listing.map(|entry| last_change(&entry.path())).max();
    below.map_or(own, |below| own.max(below))
}

/// Returns the root of session directories; creates the default one.
pub(super) fn root_or_default(root: Option<PathBuf>, owner: Option<OsUser>) -> Result<PathBuf> {
    match root {
        Some(root) => Ok(root),
        None => default_root(owner).map_err(|error| {
            let text = "the directory for sessions cannot be created in the temporary directory; set \
                        `Options::session_root`";
            Error::new(ErrorKind::Store, text).with_source(error)
        }),
    }
}

fn lock_of(root: &Path, id: &str) -> PathBuf {
    root.join(format!("{id}.lock"))
}

/// A locked file beside the directory of a session. Dropping it removes the file.
struct Lock {
    file: File,
    path: PathBuf,
}

impl Lock {
    /// Locks the file; `None` if another process has locked it.
    fn take(path: PathBuf) -> io::Result<Option<Self>> {
        loop {
            let file = private_file().create(true).truncate(false).open(&path)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
            // The process that held the lock may have removed the file after it was opened here.
            if is_file_at(&file, &path) {
                return Ok(Some(Self { file, path }));
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Elsewhere a file cannot be compared with its path, so the lock of a removed file would count.
        if cfg!(unix) {
            let _ = fs::remove_file(&self.path);
        }
        let _ = self.file.unlock();
    }
}

#[cfg(unix)]
fn is_file_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let (Ok(opened), Ok(present)) = (file.metadata(), fs::metadata(path)) else {
        return false;
    };
    (opened.dev(), opened.ino()) == (present.dev(), present.ino())
}

#[cfg(not(unix))]
fn is_file_at(_: &File, _: &Path) -> bool {
    true
}

/// Returns options that create files which only this user can read.
pub(super) fn private_file() -> fs::OpenOptions {
    let mut options = File::options();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Creates a directory that only this user can read, and its parents.
pub(super) fn create_private(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Returns the default root: a directory in the temporary directory that only this user can write to.
#[cfg(unix)]
fn default_root(owner: Option<OsUser>) -> io::Result<PathBuf> {
    default_root_in(&std::env::temp_dir(), owner)
}

/// The root belongs to this process, also if the CLI runs as another user: that user could otherwise replace the directory of a session by a link,
/// and this process would write to where it points.
#[cfg(unix)]
fn default_root_in(temporary: &Path, cli: Option<OsUser>) -> io::Result<PathBuf> {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let own = rustix::process::geteuid().as_raw();
    let user = cli.map_or(own, |cli| cli.uid);
    let root = temporary.join(format!("inhouse-{user}"));
    create_private(&root)?;
    let found = fs::symlink_metadata(&root)?;
    // Every user can create this name, so what is there already is not trusted.
    if !found.is_dir() || found.uid() != own || found.mode() & 0o066 != 0 {
        let text = format!("{} does not belong to user {own} alone", root.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
    }
    if user != own {
        // The other user passes through to the directories of sessions, and can do nothing else here.
        fs::set_permissions(&root, fs::Permissions::from_mode(0o711))?;
    }
    Ok(root)
}

#[cfg(not(unix))]
fn default_root(_: Option<OsUser>) -> io::Result<PathBuf> {
    // The temporary directory of a Windows user is private.
    Ok(std::env::temp_dir().join("inhouse"))
}

#[cfg(unix)]
fn change_owner(path: &Path, owner: OsUser) -> io::Result<()> {
    std::os::unix::fs::lchown(path, Some(owner.uid), Some(owner.gid))?;
    if fs::symlink_metadata(path)?.is_dir() {
        for entry in fs::read_dir(path)? {
            change_owner(&entry?.path(), owner)?;
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn change_owner(_: &Path, _: OsUser) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "7f6c2a4e-3c1f-4f0a-9d57-0a4b8f1c2d3e";

    fn create(root: &Path) -> Result<SessionDirectory> {
        SessionDirectory::create(Some(root.to_owned()), ID, None)
    }

    #[test]
    fn directory_is_private_locked_and_removed() {
        let root = tempfile::tempdir().unwrap();
        let directory = create(root.path()).unwrap();
        assert_eq!(directory.path(), root.path().join(ID));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::metadata(directory.path()).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o700);
        }
        assert_eq!(create(root.path()).err().unwrap().kind(), ErrorKind::Held);
        drop(directory);
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
        create(root.path()).unwrap();
    }

    #[test]
    fn directory_of_a_killed_host_is_replaced() {
        let root = tempfile::tempdir().unwrap();
        let left = root.path().join(ID);
        fs::create_dir(&left).unwrap();
        fs::write(left.join("old"), "").unwrap();
        let directory = create(root.path()).unwrap();
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn directory_with_unsent_entries_is_not_replaced() {
        let root = tempfile::tempdir().unwrap();
        let left = root.path().join(ID);
        fs::create_dir(&left).unwrap();
        fs::write(unsent_path(&left), "{}").unwrap();
        let error = create(root.path()).err().unwrap();
        assert!(error.to_string().contains("sessions::recover"), "{error}");
        assert!(unsent_path(&left).exists());
    }

    #[test]
    fn kept_directory_has_no_login_and_no_settings() {
        let root = tempfile::tempdir().unwrap();
        let write = || {
            let kept = root.path().join(ID);
            fs::create_dir_all(kept.join("projects/p")).unwrap();
            fs::create_dir_all(kept.join("backups")).unwrap();
            for name in [
                ".credentials.json",
                "settings.json",
                ".claude.json",
                "backups/.claude.json.backup.1",
                "projects/p/s.jsonl",
            ] {
                fs::write(kept.join(name), "{}").unwrap();
            }
            fs::write(unsent_path(&kept), "{}").unwrap();
        };
        let kept = || {
            let listing = fs::read_dir(root.path().join(ID)).unwrap();
            let mut names: Vec<_> = listing.map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        let directory = create(root.path()).unwrap();
        write();
        drop(directory);
        assert_eq!(kept(), ["projects"]);
        // A host that was killed in between.
        write();
        create(root.path()).err().unwrap();
        assert_eq!(kept(), ["projects"]);
        assert!(root.path().join(ID).join("projects/p/s.jsonl").exists());
    }

    #[cfg(unix)]
    #[test]
    fn default_root_belongs_to_this_process_alone() {
        use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
        let temporary = tempfile::tempdir().unwrap();
        let own = rustix::process::geteuid().as_raw();
        let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
        let root = default_root_in(temporary.path(), None).unwrap();
        assert_eq!(mode(&root), 0o700);

        // The CLI runs as another user.
        let other = OsUser {
            uid: own + 1,
            gid: own + 1,
        };
        for _ in 0..2 {
            let root = default_root_in(temporary.path(), Some(other)).unwrap();
            assert_ne!(root, temporary.path().join(format!("inhouse-{own}")));
            assert_eq!(fs::metadata(&root).unwrap().uid(), own);
            assert_eq!(mode(&root), 0o711);
        }

        fs::set_permissions(&root, fs::Permissions::from_mode(0o770)).unwrap();
        let error = default_root_in(temporary.path(), None).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
        fs::remove_dir(&root).unwrap();
        symlink(temporary.path(), &root).unwrap();
        let error = default_root_in(temporary.path(), None).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
    }
}
