//! Lists of sessions: what they contain.

use std::fs;

use crate::support::{Disk, ID, answer, id, prompt};

async fn summaries(disk: &Disk) -> Vec<String> {
    let list = disk.sessions().list().await.unwrap();
    list.into_iter().map(|session| session.summary).collect()
}

#[tokio::test]
async fn files_that_are_not_sessions_are_left_out() {
    let disk = Disk::with_session();
    let project = disk.project("-app");
    fs::write(project.join("notes.jsonl"), prompt(&id(1), "", "x")).unwrap();
    fs::write(project.join(format!("{}.json", id(3))), "{}").unwrap();
    fs::create_dir(project.join(format!("{}.jsonl", id(4)))).unwrap();
    fs::create_dir(project.join("memory")).unwrap();
    fs::write(
        project.parent().unwrap().join(format!("{}.jsonl", id(5))),
        "{}",
    )
    .unwrap();
    assert_eq!(summaries(&disk).await, ["Hello"]);
}

#[tokio::test]
async fn session_without_a_prompt_is_left_out() {
    let disk = Disk::new();
    disk.write(ID, &[r#"{"type":"mode","mode":"default"}"#.to_owned()]);
    assert!(summaries(&disk).await.is_empty());
    assert_eq!(disk.sessions().info(ID).await.unwrap().summary, "");
}

#[cfg(unix)]
#[tokio::test]
async fn symbolic_link_is_not_a_transcript() {
    let disk = Disk::with_session();
    let link = disk.transcript(&id(9));
    std::os::unix::fs::symlink(disk.transcript(ID), &link).unwrap();
    assert_eq!(disk.sessions().list().await.unwrap().len(), 1);
    let error = disk.sessions().rename(&id(9), "x").await.unwrap_err();
    assert_eq!(error.kind(), inhouse::ErrorKind::SessionNotFound);
    assert!(!disk.read(ID).contains("custom-title"));
}

#[cfg(unix)]
#[tokio::test]
async fn project_directory_may_be_a_symbolic_link() {
    let disk = Disk::with_session();
    let elsewhere = tempfile::tempdir().unwrap();
    let target = elsewhere.path().join("moved");
    fs::rename(disk.project("-app"), &target).unwrap();
    std::os::unix::fs::symlink(&target, disk.config().join("projects/-app")).unwrap();
    assert_eq!(summaries(&disk).await, ["Hello"]);
}

#[tokio::test]
async fn broken_transcripts_do_not_harm_the_others() {
    let disk = Disk::with_session();
    disk.write_bytes(&id(1), b"\xff\xfe\x00\n\n\r\n{\"type\":");
    disk.write_bytes(&id(2), &[b'x'; 300_000]);
    let crlf = format!(
        "{}\r\n{}\r\n",
        prompt(&id(1), "", "CRLF"),
        answer(&id(2), &id(1), "ok")
    );
    disk.write_bytes(&id(3), crlf.as_bytes());
    let cut = format!(
        "{}\n{{\"type\":\"custom-title\",\"customTi",
        prompt(&id(1), "", "Cut")
    );
    disk.write_bytes(&id(4), cut.as_bytes());
    let bom = format!("\u{feff}{{}}\n{}\n", prompt(&id(1), "", "BOM"));
    disk.write_bytes(&id(5), bom.as_bytes());
    let mut found = summaries(&disk).await;
    found.sort();
    assert_eq!(found, ["BOM", "CRLF", "Cut", "Hello"]);
}

#[tokio::test]
async fn programmatic_sessions_are_left_out_on_request() {
    let disk = Disk::with_session();
    let line =
        prompt(&id(1), "", "By a program").replace("\"cwd\"", "\"entrypoint\":\"sdk-py\",\"cwd\"");
    disk.write(&id(1), &[line]);
    let all = disk.sessions().list().await.unwrap();
    assert_eq!(all.len(), 2);
    let typed = disk.sessions().list().programmatic(false).await.unwrap();
    assert_eq!(typed.len(), 1);
    assert_eq!(typed[0].summary, "Hello");
}

#[tokio::test]
async fn session_that_was_continued_in_another_is_left_out() {
    let disk = Disk::with_session();
    let continued = format!(
        r#"{{"type":"continued-in","continuedInSessionId":"{}"}}"#,
        id(8)
    );
    disk.write(ID, &[prompt(&id(1), "", "Hello"), continued]);
    assert_eq!(summaries(&disk).await, ["Hello"]);
    disk.write(&id(8), &[prompt(&id(1), "", "Continued")]);
    assert_eq!(summaries(&disk).await, ["Continued"]);
}
