use std::fs;
use std::path::Path;

use inhouse::sessions::project_key;
use inhouse_store::sqlite::SqliteStore;
use inhouse_store::{Append, Position, SessionKey, SessionStore as _};
use serde_json::Value;
use tempfile::TempDir;

use super::{printed, refused};

const ID: &str = "0b9c6f6e-7a46-4f0c-9d5e-3f6f1f1c2a11";
const PROMPT: &str = r#"{"type":"user","uuid":"2f0f6a52-6d0f-4a5c-9a58-9d3c6e5b7a01","parentUuid":null,"timestamp":"2026-11-17T09:30:00.000Z","message":{"role":"user","content":"What is 15 + 27?"}}"#;
const ANSWER: &str = r#"{"type":"assistant","uuid":"2f0f6a52-6d0f-4a5c-9a58-9d3c6e5b7a02","parentUuid":"2f0f6a52-6d0f-4a5c-9a58-9d3c6e5b7a01","timestamp":"2026-11-17T09:30:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"It is 42."}]}}"#;

/// Creates a configuration directory with one session.
fn config() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let project = directory.path().join("projects/-app");
    fs::create_dir_all(&project).unwrap();
    let transcript = format!("{PROMPT}\n{ANSWER}\n");
    fs::write(project.join(format!("{ID}.jsonl")), transcript).unwrap();
    directory
}

fn run(config: &Path, arguments: &[&str]) -> String {
    printed(
        config,
        &[&["sessions", "--config-dir", "."], arguments].concat(),
    )
}

fn json(config: &Path, arguments: &[&str]) -> Value {
    serde_json::from_str(&run(config, &[arguments, &["--json"]].concat())).unwrap()
}

#[test]
fn sessions_on_disk_are_listed() {
    let config = config();
    let text = run(config.path(), &[]);
    assert!(
        text.contains(ID) && text.contains("What is 15 + 27?"),
        "{text}"
    );
    let list = json(config.path(), &["list", "-n", "5"]);
    assert_eq!(list[0]["id"], ID);
    assert_eq!(list[0]["first_prompt"], "What is 15 + 27?");
    let empty = tempfile::tempdir().unwrap();
    assert!(run(empty.path(), &[]).contains("--project"));
    assert_eq!(json(empty.path(), &[]).as_array().unwrap().len(), 0);
}

#[test]
fn messages_of_a_session_are_shown() {
    let config = config();
    let text = run(config.path(), &["show", ID]);
    assert!(text.contains("\nassistant 2026-11-17T09:30:02Z"), "{text}");
    assert!(text.contains("\nIt is 42.\n"), "{text}");
    let shown = json(config.path(), &["show", ID]);
    assert_eq!(shown["messages"][1]["text"], "It is 42.");
    assert_eq!(shown["messages"][1]["entry"]["type"], "assistant");
}

#[test]
fn fork_prints_the_id_of_the_copy() {
    let config = config();
    let id = run(config.path(), &["fork", ID, "--title", "A copy"]);
    let list = json(config.path(), &["list"]);
    let copy = list.as_array().unwrap();
    let copy = copy.iter().find(|session| session["id"] == id.trim());
    assert_eq!(copy.unwrap()["title"], "A copy");
}

#[test]
fn export_writes_every_entry() {
    let config = config();
    run(config.path(), &["export", ID, "-o", "session.jsonl"]);
    let text = fs::read_to_string(config.path().join("session.jsonl")).unwrap();
    assert_eq!(text, run(config.path(), &["export", ID]));
    assert_eq!(
        text,
        format!("{{\"entry\":{PROMPT}}}\n{{\"entry\":{ANSWER}}}\n")
    );
}

#[test]
fn unknown_session_is_an_error_without_a_file() {
    let config = config();
    let other = "7f6c2a4e-3c1f-4f0a-9d57-0a4b8f1c2d3e";
    for arguments in [
        &["show", other][..],
        &["fork", other],
        &["export", other, "-o", "new"],
    ] {
        let arguments = [&["sessions", "--config-dir", "."], arguments].concat();
        let error = refused(config.path(), &arguments);
        assert!(error.contains("`inhouse sessions` lists"), "{error}");
    }
    assert!(!fs::exists(config.path().join("new")).unwrap());
}

#[tokio::test]
async fn sessions_in_a_store_are_listed_shown_forked_and_exported() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().canonicalize().unwrap();
    let store = SqliteStore::open(path.join("store.db")).await.unwrap();
    let session = SessionKey::new(project_key(&path.to_string_lossy()), ID).unwrap();
    let epoch = store.fence(&session, None).await.unwrap();
    let append = Append::new(epoch, Position::START, [PROMPT, ANSWER]);
    store.append(&session.main(), &append).await.unwrap();
    store.close().await;

    let run = |arguments: &[&str]| {
        let place = ["sessions", "--store", "sqlite:store.db"];
        printed(&path, &[&place, arguments].concat())
    };
    let list = || serde_json::from_str::<Value>(&run(&["--json"])).unwrap();
    assert!(run(&[]).contains("What is 15 + 27?"));
    assert_eq!(list()[0]["id"], ID);
    assert!(run(&["show", ID]).contains("It is 42."));
    assert_eq!(run(&["export", ID]).lines().count(), 2);
    let copy = run(&["fork", ID, "--title", "A copy"]);
    assert_eq!(list()[0]["id"], copy.trim());
    assert_eq!(list()[0]["title"], "A copy");
    assert!(run(&["show", copy.trim()]).contains("It is 42."));
}

#[test]
fn store_that_is_not_there_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    for (store, expected) in [
        ("sqlite:missing.db", "there is no file missing.db"),
        ("mysql://host/database", "use sqlite:<file> or postgres://"),
    ] {
        let error = refused(directory.path(), &["sessions", "--store", store]);
        assert!(error.contains(expected), "{error}");
    }
    assert!(!fs::exists(directory.path().join("missing.db")).unwrap());
}
