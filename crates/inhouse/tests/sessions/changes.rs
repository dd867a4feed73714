//! Titles, tags and deletion.

use std::fs;

use inhouse::ErrorKind;

use crate::support::{Disk, ID, id, prompt};

#[tokio::test]
async fn rename_appends_one_line() {
    let disk = Disk::with_session();
    let before = disk.read(ID);

    disk.sessions()
        .rename(ID, "  \"Invoices\"\n2026 ")
        .await
        .unwrap();

    let line = format!(
        r#"{{"type":"custom-title","customTitle":"\"Invoices\"\n2026","sessionId":"{ID}"}}"#
    );
    assert_eq!(disk.read(ID), format!("{before}{line}\n"));
    let info = disk.sessions().info(ID).await.unwrap();
    assert_eq!(info.summary, "\"Invoices\"\n2026");
}

#[tokio::test]
async fn last_title_is_in_effect() {
    let disk = Disk::with_session();
    for title in ["first", "second"] {
        disk.sessions().rename(ID, title).await.unwrap();
    }
    assert_eq!(disk.sessions().info(ID).await.unwrap().summary, "second");
    assert_eq!(disk.sessions().messages(ID).await.unwrap().len(), 2);
}

#[tokio::test]
async fn half_written_last_line_does_not_swallow_a_title() {
    let disk = Disk::new();
    let text = format!("{}\n{{\"type\":\"assis", prompt(&id(1), "", "Hello"));
    disk.write_bytes(ID, text.as_bytes());
    disk.sessions().rename(ID, "Title").await.unwrap();
    assert!(disk.read(ID).starts_with(&format!("{text}\n{{")));
    assert_eq!(disk.sessions().info(ID).await.unwrap().summary, "Title");
}

#[tokio::test]
async fn concurrent_renames_write_whole_lines() {
    let disk = Disk::with_session();
    let sessions = disk.sessions();
    let renames = (0..32).map(|number| {
        let sessions = sessions.clone();
        tokio::spawn(async move { sessions.rename(ID, &format!("Title {number}")).await })
    });
    for rename in renames.collect::<Vec<_>>() {
        rename.await.unwrap().unwrap();
    }
    let text = disk.read(ID);
    let titles = text.lines().skip(2);
    let mut titles: Vec<&str> = titles
        .map(|line| line.split('"').nth(7).expect("a whole line"))
        .collect();
    titles.sort_unstable();
    titles.dedup();
    assert_eq!(titles.len(), 32);
}

#[tokio::test]
async fn tag_is_cleaned_replaced_and_removed() {
    let disk = Disk::with_session();
    let sessions = disk.sessions();
    sessions.tag(ID, " bil\u{200b}ling ").await.unwrap();
    assert_eq!(
        sessions.info(ID).await.unwrap().tag.as_deref(),
        Some("billing")
    );
    assert!(
        disk.read(ID)
            .contains(r#"{"type":"tag","tag":"billing","sessionId":"#)
    );
    sessions.tag(ID, "taxes").await.unwrap();
    assert_eq!(
        sessions.info(ID).await.unwrap().tag.as_deref(),
        Some("taxes")
    );
    sessions.untag(ID).await.unwrap();
    assert_eq!(sessions.info(ID).await.unwrap().tag, None);
}

#[tokio::test]
async fn empty_titles_and_tags_are_rejected() {
    let disk = Disk::with_session();
    let before = disk.read(ID);
    for error in [
        disk.sessions().rename(ID, " \n").await.unwrap_err(),
        disk.sessions().tag(ID, "\u{200b}").await.unwrap_err(),
        disk.sessions().fork(ID).title(" ").await.unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::Config, "{error}");
    }
    assert_eq!(disk.read(ID), before);
}

#[tokio::test]
async fn change_of_a_missing_session_creates_nothing() {
    let disk = Disk::new();
    disk.write_bytes(&id(1), b"");
    let sessions = disk.sessions();
    for error in [
        sessions.rename(ID, "x").await.unwrap_err(),
        sessions.tag(ID, "x").await.unwrap_err(),
        sessions.untag(ID).await.unwrap_err(),
        sessions.delete(ID).await.unwrap_err(),
        sessions.archive(ID).await.unwrap_err(),
        sessions.rename(&id(1), "x").await.unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::SessionNotFound);
    }
    assert!(!disk.transcript(ID).exists());
    assert_eq!(disk.read(&id(1)), "");
}

#[tokio::test]
async fn delete_removes_the_session_and_its_directory() {
    let disk = Disk::with_session();
    disk.write(&id(7), &[prompt(&id(1), "", "Other")]);
    let dir = disk.session_dir(ID);
    fs::create_dir(dir.join("subagents")).unwrap();
    fs::write(dir.join("subagents/agent-a.jsonl"), "{}").unwrap();

    disk.sessions().delete(ID).await.unwrap();

    assert!(!dir.exists() && !disk.transcript(ID).exists());
    let rest = disk.sessions().list().await.unwrap();
    assert_eq!(rest.len(), 1);
    assert_eq!(&*rest[0].id, id(7));
}

#[cfg(unix)]
#[tokio::test]
async fn deletion_does_not_follow_symbolic_links() {
    let disk = Disk::with_session();
    let elsewhere = tempfile::tempdir().unwrap();
    let kept = elsewhere.path().join("kept");
    fs::write(&kept, "x").unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), disk.session_dir(ID).join("link")).unwrap();
    disk.sessions().delete(ID).await.unwrap();
    assert!(kept.exists());
}
