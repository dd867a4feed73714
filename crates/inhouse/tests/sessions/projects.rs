//! Projects, worktrees, and sessions in several projects.

use std::fs;
use std::path::Path;
use std::process::Command;

use inhouse::sessions::project_key;

use crate::support::{Disk, ID, id, prompt, set_modified};

fn key(path: &Path) -> String {
    project_key(path.to_str().unwrap())
}

/// Writes a session with one prompt that ran in a directory.
fn write_in(disk: &Disk, cwd: &Path, id: &str, text: &str) {
    let line = prompt("u", "", text).replace("\"/app\"", &format!("{:?}", cwd.to_str().unwrap()));
    let transcript = disk.project(&key(cwd)).join(format!("{id}.jsonl"));
    fs::write(transcript, line).unwrap();
}

async fn listed(disk: &Disk, project: &Path, worktrees: bool) -> Vec<String> {
    let list = disk.sessions().project(project).list().worktrees(worktrees);
    let sessions = list.await.unwrap().into_iter();
    let mut summaries: Vec<String> = sessions.map(|session| session.summary).collect();
    summaries.sort();
    summaries
}

fn git(dir: &Path, args: &[&str]) {
    let output = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@t"])
        .args(args)
        .current_dir(dir)
        .output()
        .expect("there is a git command");
    assert!(output.status.success(), "{output:?}");
}

#[tokio::test]
async fn project_has_only_its_own_sessions() {
    let disk = Disk::new();
    let root = tempfile::tempdir().unwrap();
    let root = root.path().canonicalize().unwrap();
    let [own, other] = ["own", "own-x"].map(|name| root.join(name));
    for dir in [&own, &other] {
        fs::create_dir(dir).unwrap();
    }
    write_in(&disk, &own, &id(1), "mine");
    write_in(&disk, &other, &id(2), "other");

    assert_eq!(listed(&disk, &own, true).await, ["mine"]);
    assert_eq!(disk.sessions().list().await.unwrap().len(), 2);
    assert!(disk.sessions().project(&own).info(&id(2)).await.is_err());
    assert_eq!(disk.sessions().info(&id(2)).await.unwrap().summary, "other");
}

#[tokio::test]
async fn session_of_another_project_with_the_same_key_is_left_out() {
    let disk = Disk::new();
    let root = tempfile::tempdir().unwrap();
    let root = root.path().canonicalize().unwrap();
    let [own, other] = ["a/b", "a-b"].map(|name| root.join(name));
    for dir in [&own, &other] {
        fs::create_dir_all(dir).unwrap();
    }
    assert_eq!(key(&own), key(&other));
    write_in(&disk, &own, &id(1), "mine");
    write_in(&disk, &other, &id(2), "other");

    assert_eq!(listed(&disk, &own, true).await, ["mine"]);
    assert_eq!(listed(&disk, &other, true).await, ["other"]);
}

#[cfg(unix)]
#[tokio::test]
async fn symbolic_links_in_the_path_of_a_project_are_resolved() {
    let disk = Disk::new();
    let root = tempfile::tempdir().unwrap();
    let root = root.path().canonicalize().unwrap();
    let (own, link) = (root.join("own"), root.join("link"));
    fs::create_dir(&own).unwrap();
    std::os::unix::fs::symlink(&own, &link).unwrap();
    write_in(&disk, &own, &id(1), "mine");
    assert_eq!(listed(&disk, &link, true).await, ["mine"]);
}

#[tokio::test]
async fn project_that_no_longer_exists_is_found_by_its_path() {
    let disk = Disk::with_session();
    let info = disk.sessions().project("/app").info(ID).await.unwrap();
    assert_eq!(info.summary, "Hello");
    assert_eq!(listed(&disk, Path::new("/app"), true).await, ["Hello"]);
}

#[tokio::test]
async fn long_path_is_found_under_another_hash() {
    let disk = Disk::new();
    let path = format!("/{}", "long/".repeat(60));
    let key = project_key(&path);
    assert!(key.len() > 200);
    let other_hash = format!("{}-other", &key[..200]);
    let line = prompt("u", "", "long");
    fs::write(disk.project(&other_hash).join(format!("{ID}.jsonl")), line).unwrap();
    assert!(disk.sessions().project(&path).info(ID).await.is_ok());
}

#[tokio::test]
async fn worktrees_belong_to_the_project() {
    let disk = Disk::new();
    let root = tempfile::tempdir().unwrap();
    let root = root.path().canonicalize().unwrap();
    let (main, tree) = (root.join("main"), root.join("tree"));
    fs::create_dir(&main).unwrap();
    git(&main, &["init", "-q"]);
    git(&main, &["commit", "-q", "--allow-empty", "-m", "first"]);
    git(&main, &["worktree", "add", "-q", tree.to_str().unwrap()]);
    write_in(&disk, &main, &id(1), "in main");
    write_in(&disk, &tree, &id(2), "in tree");

    assert_eq!(listed(&disk, &main, true).await, ["in main", "in tree"]);
    assert_eq!(listed(&disk, &tree, true).await, ["in main", "in tree"]);
    assert_eq!(listed(&disk, &main, false).await, ["in main"]);
    let sessions = disk.sessions().project(&main);
    assert_eq!(sessions.info(&id(2)).await.unwrap().summary, "in tree");
}

#[tokio::test]
async fn session_in_two_projects_is_listed_once() {
    let disk = Disk::new();
    for (key, text, modified) in [("-a", "old", 1), ("-b", "new", 3), ("-c", "middle", 2)] {
        let transcript = disk.project(key).join(format!("{ID}.jsonl"));
        fs::write(&transcript, prompt("u", "", text)).unwrap();
        set_modified(&transcript, modified);
    }
    let list = disk.sessions().list().await.unwrap();
    assert_eq!(list.len(), 1);
    assert_eq!(list[0].summary, "new");
    assert_eq!(disk.sessions().info(ID).await.unwrap().summary, "new");
}
