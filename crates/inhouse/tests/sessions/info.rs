//! Information about a session: head and tail of its transcript.

use std::path::Path;
use std::time::{Duration, SystemTime};

use inhouse::ErrorKind;

use crate::support::{Disk, ID, answer, id, prompt, set_modified};

#[tokio::test]
async fn info_has_the_members_of_the_transcript() {
    let disk = Disk::with_session();
    set_modified(&disk.transcript(ID), 1_800_000_000);

    let info = disk.sessions().info(ID).await.unwrap();

    assert_eq!(&*info.id, ID);
    assert_eq!(info.summary, "Hello");
    assert_eq!(info.first_prompt.as_deref(), Some("Hello"));
    assert_eq!(info.title, None);
    assert_eq!(info.git_branch.as_deref(), Some("main"));
    assert_eq!(info.cwd.as_deref(), Some(Path::new("/app")));
    let created = SystemTime::UNIX_EPOCH + Duration::from_millis(1_767_323_045_006);
    assert_eq!(info.created_at, Some(created));
    let modified = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
    assert_eq!(info.last_modified, modified);
    assert_eq!(info.file_size, Some(disk.read(ID).len() as u64));
    assert_eq!(info.transcript, Some(disk.transcript(ID)));
    assert!(!info.is_archived);
}

#[tokio::test]
async fn promise_16_only_head_and_tail_of_a_transcript_are_read() {
    let disk = Disk::new();
    let title = |title: &str| format!(r#"{{"type":"custom-title","customTitle":"{title}"}}"#);
    let filler = answer(&id(2), &id(1), &"x".repeat(100_000));
    let lines = [
        prompt(&id(1), "", "Hello"),
        filler.clone(),
        title("in the middle"),
        filler,
    ];
    disk.write(ID, &lines);
    assert_eq!(disk.sessions().info(ID).await.unwrap().summary, "Hello");

    disk.write(ID, &[&lines[..], &[title("at the end")]].concat());
    let info = disk.sessions().info(ID).await.unwrap();
    assert_eq!(info.title.as_deref(), Some("at the end"));
    assert_eq!(info.first_prompt.as_deref(), Some("Hello"));
}

#[tokio::test]
async fn title_file_of_the_cli_precedes_an_old_title() {
    let disk = Disk::new();
    let filler = answer(&id(2), &id(1), &"x".repeat(150_000));
    let old = r#"{"type":"custom-title","customTitle":"old"}"#.to_owned();
    let file = disk.session_dir(ID).join("custom-title.json");
    std::fs::write(&file, r#"{"customTitle":"current"}"#).unwrap();

    disk.write(
        ID,
        &[prompt(&id(1), "", "Hello"), old.clone(), filler.clone()],
    );
    assert_eq!(disk.sessions().info(ID).await.unwrap().summary, "current");

    disk.write(ID, &[prompt(&id(1), "", "Hello"), filler, old]);
    assert_eq!(disk.sessions().info(ID).await.unwrap().summary, "old");
}

#[tokio::test]
async fn missing_session_is_not_found() {
    let disk = Disk::with_session();
    let error = disk.sessions().info(&id(7)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SessionNotFound);
    assert!(error.to_string().contains(&id(7)), "{error}");
    assert!(
        error.to_string().contains("Sessions::config_dir"),
        "{error}"
    );

    let error = disk
        .sessions()
        .project("/app/other")
        .info(ID)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SessionNotFound);
    assert!(error.to_string().contains("/app/other"), "{error}");
}

#[tokio::test]
async fn missing_configuration_directory_has_no_sessions() {
    let disk = Disk::new();
    let sessions = disk.sessions().config_dir(disk.config().join("missing"));
    assert!(sessions.list().await.unwrap().is_empty());
    let error = sessions.info(ID).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SessionNotFound);
}

#[tokio::test]
async fn id_that_is_a_path_is_rejected() {
    let disk = Disk::with_session();
    let sessions = disk.sessions();
    for bad in ["", "../-app/x", "/etc/passwd", "0b9c6f6e"] {
        for error in [
            sessions.info(bad).await.unwrap_err(),
            sessions.messages(bad).await.unwrap_err(),
            sessions.rename(bad, "x").await.unwrap_err(),
            sessions.delete(bad).await.unwrap_err(),
            sessions.fork(bad).await.unwrap_err(),
            sessions.export(bad).next().await.unwrap().unwrap_err(),
            sessions
                .clone()
                .project("/app")
                .import(bad)
                .await
                .unwrap_err(),
        ] {
            assert_eq!(error.kind(), ErrorKind::Config, "{bad:?}");
            assert!(error.to_string().contains("is not a session id"), "{error}");
        }
    }
}

#[tokio::test]
async fn id_in_upper_case_finds_the_session() {
    let disk = Disk::with_session();
    let info = disk.sessions().info(&ID.to_uppercase()).await.unwrap();
    assert_eq!(&*info.id, ID);
}

#[tokio::test]
async fn transcript_of_a_subagent_is_not_a_session() {
    let disk = Disk::new();
    let line = prompt(&id(1), "", "Hello").replace("\"isSidechain\":false", "\"isSidechain\":true");
    disk.write(ID, &[line]);
    let error = disk.sessions().info(ID).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SessionNotFound);
    assert!(disk.sessions().list().await.unwrap().is_empty());
}

#[tokio::test]
async fn empty_transcript_is_not_a_session() {
    let disk = Disk::new();
    disk.write_bytes(ID, b"");
    let error = disk.sessions().info(ID).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SessionNotFound);
    assert!(disk.sessions().list().await.unwrap().is_empty());
}

#[test]
fn functions_outside_of_a_runtime_fail() {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    let sessions = Disk::with_session().sessions();
    let mut context = Context::from_waker(Waker::noop());
    let Poll::Ready(result) = pin!(sessions.info(ID)).poll(&mut context) else {
        panic!("the error is immediate");
    };
    assert_eq!(result.unwrap_err().kind(), ErrorKind::Config);
}
