//! The files of a workspace in a store.

use std::fs;
use std::path::Path;
use std::time::Duration;

use inhouse_fleet::{Fence, PreparedWorkspace, StoreWorkspace, Work, Workspace as _};
use inhouse_store::SessionStore as _;
use inhouse_store::memory::MemoryStore;
use inhouse_testkit::faulty_store::{Fault, FaultyStore, StoreCall};
use tempfile::TempDir;

/// A store, and the directory of one host.
struct Host {
    store: FaultyStore<MemoryStore>,
    root: TempDir,
    work: Work,
}

impl Host {
    fn new() -> Self {
        Self {
            store: FaultyStore::new(MemoryStore::new()),
            root: tempfile::tempdir().unwrap(),
            work: Work::new("customer-42", "Hello"),
        }
    }

    fn beside(&self) -> Self {
        Self {
            store: self.store.clone(),
            root: tempfile::tempdir().unwrap(),
            work: self.work.clone(),
        }
    }

    async fn prepare(&self, epoch: u64) -> Box<dyn PreparedWorkspace> {
        let workspace = StoreWorkspace::new(self.store.clone(), self.root.path());
        let fence = Fence::new("inhouse-fleet", self.work.session_id(), epoch);
        workspace.prepare(&self.work, &fence).await.unwrap()
    }
}

fn files(directory: &Path) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let name = path.strip_prefix(directory).unwrap();
            let content = fs::read_to_string(&path).unwrap();
            files.push((name.to_str().unwrap().to_owned(), content));
        }
    }
    files.sort();
    files
}

fn expected(files: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = files
        .iter()
        .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    owned.collect()
}

#[tokio::test]
async fn another_host_has_the_files_of_the_last_save() {
    let first = Host::new();
    let workspace = first.prepare(1).await;
    let path = workspace.path();
    fs::create_dir_all(path.join("src/deep")).unwrap();
    for (name, text) in [
        ("src/deep/a.rs", "a"),
        ("b c:é\\.txt", "b"),
        ("removed", "r"),
    ] {
        fs::write(path.join(name), text).unwrap();
    }
    workspace.save().await.unwrap();
    fs::write(path.join("src/deep/a.rs"), "A").unwrap();
    fs::remove_file(path.join("removed")).unwrap();
    workspace.save().await.unwrap();
    fs::write(path.join("unsaved"), "u").unwrap();

    let second = first.beside();
    let workspace = second.prepare(2).await;
    let saved = expected(&[("b c:é\\.txt", "b"), ("src/deep/a.rs", "A")]);
    assert_eq!(files(workspace.path()), saved);
    // The first host again: what it has not saved is gone, and what it has kept stays.
    let workspace = first.prepare(3).await;
    assert_eq!(files(workspace.path()), saved);
}

#[tokio::test]
async fn file_can_become_a_directory_and_a_directory_a_file() {
    let first = Host::new();
    let workspace = first.prepare(1).await;
    fs::create_dir(workspace.path().join("a")).unwrap();
    fs::write(workspace.path().join("a/b"), "1").unwrap();
    fs::write(workspace.path().join("c"), "2").unwrap();
    workspace.save().await.unwrap();
    let second = first.beside();
    let workspace = second.prepare(2).await;
    fs::remove_dir_all(workspace.path().join("a")).unwrap();
    fs::write(workspace.path().join("a"), "3").unwrap();
    fs::remove_file(workspace.path().join("c")).unwrap();
    fs::create_dir(workspace.path().join("c")).unwrap();
    fs::write(workspace.path().join("c/d"), "4").unwrap();
    workspace.save().await.unwrap();
    let workspace = first.prepare(3).await;
    assert_eq!(
        files(workspace.path()),
        expected(&[("a", "3"), ("c/d", "4")])
    );
}

/// A host dies in each step of a save, whose last one is the manifest.
#[tokio::test]
async fn save_that_is_cut_off_changes_nothing() {
    for survived in 0..3 {
        let first = Host::new();
        let workspace = first.prepare(1).await;
        for name in ["a", "b"] {
            fs::write(workspace.path().join(name), "before").unwrap();
        }
        workspace.save().await.unwrap();
        for name in ["a", "b"] {
            fs::write(workspace.path().join(name), "after").unwrap();
        }
        let faults = first.store.faults();
        for _ in 0..survived {
            faults.next(StoreCall::File, Fault::None);
        }
        faults.next(StoreCall::File, Fault::Hang);
        let calls = faults.calls(StoreCall::File);
        let save = workspace.save();
        let died = async {
            while faults.calls(StoreCall::File) <= calls + survived {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            biased;
            () = died => {}
            saved = save => panic!("the save does not end: {saved:?}"),
        }
        let second = first.beside();
        let workspace = second.prepare(2).await;
        let before = expected(&[("a", "before"), ("b", "before")]);
        assert_eq!(files(workspace.path()), before, "after {survived} steps");
        fs::write(workspace.path().join("a"), "later").unwrap();
        workspace.save().await.unwrap();
        let workspace = first.prepare(3).await;
        let later = expected(&[("a", "later"), ("b", "before")]);
        assert_eq!(files(workspace.path()), later);
    }
}

#[tokio::test]
async fn former_owner_cannot_save() {
    let first = Host::new();
    let old = first.prepare(1).await;
    fs::write(old.path().join("a"), "of the former owner").unwrap();
    let second = first.beside();
    let new = second.prepare(2).await;
    let error = old.save().await.unwrap_err();
    assert!(error.is_fenced(), "{error:?}");
    new.save().await.unwrap();
    let third = first.beside();
    assert_eq!(files(third.prepare(3).await.path()), []);
}

#[tokio::test]
async fn save_without_a_change_writes_nothing() {
    let host = Host::new();
    let workspace = host.prepare(1).await;
    fs::write(workspace.path().join("a"), "1").unwrap();
    workspace.save().await.unwrap();
    let calls = host.store.faults().calls(StoreCall::File);
    workspace.save().await.unwrap();
    assert_eq!(host.store.faults().calls(StoreCall::File), calls);
}

#[tokio::test]
async fn change_of_the_same_length_at_the_same_time_is_saved() {
    let first = Host::new();
    let workspace = first.prepare(1).await;
    let path = workspace.path().join("a");
    fs::write(&path, "1").unwrap();
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    workspace.save().await.unwrap();
    fs::write(&path, "2").unwrap();
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(time)
        .unwrap();
    workspace.save().await.unwrap();
    let second = first.beside();
    assert_eq!(
        files(second.prepare(2).await.path()),
        expected(&[("a", "2")])
    );
}

#[tokio::test]
async fn removed_file_takes_no_space() {
    let host = Host::new();
    let workspace = host.prepare(1).await;
    fs::write(workspace.path().join("a"), "x".repeat(1000)).unwrap();
    workspace.save().await.unwrap();
    fs::remove_file(workspace.path().join("a")).unwrap();
    workspace.save().await.unwrap();
    let id = host.work.session_id().to_string();
    let key = inhouse_store::SessionKey::new("inhouse-workspace", id).unwrap();
    let stored = host.store.files(&key).await.unwrap();
    let mut bytes = 0;
    for file in stored {
        bytes += host
            .store
            .file(&key, &file.path)
            .await
            .unwrap()
            .unwrap()
            .len();
    }
    assert!(bytes < 100, "{bytes}");
}

#[tokio::test]
async fn limits_of_a_workspace_are_errors() {
    let host = Host::new();
    let fence = Fence::new("inhouse-fleet", host.work.session_id(), 1);
    let limited = StoreWorkspace::new(host.store.clone(), host.root.path());
    let limited = limited.max_files(2).max_bytes(10);
    let workspace = limited.prepare(&host.work, &fence).await.unwrap();
    fs::write(workspace.path().join("a"), "x".repeat(11)).unwrap();
    let error = workspace.save().await.unwrap_err();
    assert!(error.to_string().contains("max_bytes"), "{error}");
    for name in ["a", "b", "c"] {
        fs::write(workspace.path().join(name), "1").unwrap();
    }
    let error = workspace.save().await.unwrap_err();
    assert!(error.to_string().contains("max_files"), "{error}");
    fs::remove_file(workspace.path().join("c")).unwrap();
    workspace.save().await.unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn links_are_neither_saved_nor_written_through() {
    use std::os::unix::fs::symlink;

    let (first, outside) = (Host::new(), tempfile::tempdir().unwrap());
    let workspace = first.prepare(1).await;
    fs::create_dir(workspace.path().join("dir")).unwrap();
    fs::write(workspace.path().join("dir/a"), "1").unwrap();
    workspace.save().await.unwrap();
    // The agent replaces the directory by a link to somewhere else.
    fs::remove_dir_all(workspace.path().join("dir")).unwrap();
    symlink(outside.path(), workspace.path().join("dir")).unwrap();
    symlink("/etc/hostname", workspace.path().join("link")).unwrap();
    let workspace = first.prepare(2).await;
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    assert_eq!(files(workspace.path()), expected(&[("dir/a", "1")]));
    symlink("/etc/hostname", workspace.path().join("link")).unwrap();
    workspace.save().await.unwrap();
    let second = first.beside();
    assert_eq!(
        files(second.prepare(3).await.path()),
        expected(&[("dir/a", "1")])
    );
}

#[cfg(unix)]
#[tokio::test]
async fn executable_bit_is_kept() {
    use std::os::unix::fs::PermissionsExt as _;

    let first = Host::new();
    let workspace = first.prepare(1).await;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o100;
    let path = workspace.path().join("run.sh");
    fs::write(&path, "#!/bin/sh").unwrap();
    workspace.save().await.unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    workspace.save().await.unwrap();
    let second = first.beside();
    let other = second.prepare(2).await;
    assert_ne!(mode(&other.path().join("run.sh")), 0);
    fs::set_permissions(
        other.path().join("run.sh"),
        fs::Permissions::from_mode(0o644),
    )
    .unwrap();
    other.save().await.unwrap();
    let workspace = first.prepare(3).await;
    assert_eq!(mode(&workspace.path().join("run.sh")), 0);
}

/// A large file takes longer than a call that has nothing to transfer.
#[tokio::test(start_paused = true)]
async fn time_for_a_file_grows_with_its_size() {
    let host = Host::new();
    let workspace = host.prepare(1).await;
    let content = vec![b'x'; 8 << 20];
    fs::write(workspace.path().join("large.txt"), &content).unwrap();
    let slow = Fault::Delay(Duration::from_secs(25));
    host.store.faults().next(StoreCall::File, slow);
    workspace.save().await.unwrap();
    // The manifest, and the file.
    host.store.faults().next(StoreCall::File, Fault::None);
    host.store.faults().next(StoreCall::File, slow);
    let other = host.beside();
    let workspace = other.prepare(2).await;
    let read = fs::read(workspace.path().join("large.txt")).unwrap();
    assert_eq!(read.len(), content.len());
}
