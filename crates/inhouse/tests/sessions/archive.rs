//! Archived sessions.

use std::fs;

use serde_json::Value;

use crate::support::{Disk, ID, id, prompt};

#[tokio::test]
async fn archive_writes_a_mark_and_not_the_transcript() {
    let disk = Disk::with_session();
    let before = disk.read(ID);
    let sessions = disk.sessions();

    sessions.archive(ID).await.unwrap();

    assert_eq!(disk.read(ID), before);
    let mark = fs::read_to_string(disk.session_dir(ID).join("archived.json")).unwrap();
    let mark: Value = serde_json::from_str(&mark).unwrap();
    assert_eq!(mark["archived"], true);
    assert_eq!(mark["by"], "sdk");
    assert!(sessions.info(ID).await.unwrap().is_archived);
    assert!(sessions.list().await.unwrap()[0].is_archived);

    sessions.unarchive(ID).await.unwrap();
    assert!(!sessions.info(ID).await.unwrap().is_archived);
}

#[tokio::test]
async fn later_prompt_ends_the_archive() {
    let disk = Disk::with_session();
    disk.sessions().archive(ID).await.unwrap();
    let later = prompt(&id(3), &id(2), "Again").replace("2026-01-02", "2999-01-02");
    disk.write_bytes(ID, format!("{}{later}\n", disk.read(ID)).as_bytes());
    assert!(!disk.sessions().info(ID).await.unwrap().is_archived);
}

#[tokio::test]
async fn session_is_archived_in_every_project() {
    let disk = Disk::with_session();
    let other = disk.project("-other");
    fs::copy(disk.transcript(ID), other.join(format!("{ID}.jsonl"))).unwrap();
    disk.sessions().archive(ID).await.unwrap();
    assert!(other.join(ID).join("archived.json").exists());
    assert!(disk.session_dir(ID).join("archived.json").exists());
}

#[tokio::test]
async fn misshapen_marks_are_ignored() {
    let disk = Disk::with_session();
    let mark = disk.session_dir(ID).join("archived.json");
    let long = format!(
        r#"{{"archived":true,"at":"2027-01-01T00:00:00Z"{}}}"#,
        " ".repeat(5000)
    );
    for text in [
        "",
        "[]",
        r#"{"archived":true}"#,
        r#"{"archived":true,"at":"x"}"#,
        &long,
    ] {
        fs::write(&mark, text).unwrap();
        assert!(
            !disk.sessions().info(ID).await.unwrap().is_archived,
            "{text}"
        );
    }
}
