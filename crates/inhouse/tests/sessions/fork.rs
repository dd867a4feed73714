//! Copies of sessions.

use std::fs;

use inhouse::ErrorKind;
use serde_json::Value;

use crate::support::{Disk, ID, answer, id, prompt};

fn entries(disk: &Disk, id: &str) -> Vec<Value> {
    let text = disk.read(id);
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[tokio::test]
async fn fork_has_the_messages_and_new_ids() {
    let disk = Disk::with_session();
    let before = disk.read(ID);

    let copy = disk.sessions().fork(ID).await.unwrap();

    assert_eq!(disk.read(ID), before);
    let sessions = disk.sessions();
    let [old, new] = [
        sessions.messages(ID).await.unwrap(),
        sessions.messages(&copy).await.unwrap(),
    ];
    assert_eq!(new.len(), 2);
    for (old, new) in old.iter().zip(&new) {
        assert_eq!(old.text(), new.text());
        assert_ne!(old.uuid, new.uuid);
        assert_eq!(new.session_id.as_deref(), Some(&*copy));
    }
    let entries = entries(&disk, &copy);
    assert_eq!(entries[1]["parentUuid"], entries[0]["uuid"]);
    assert_eq!(entries[0]["forkedFrom"]["messageUuid"], id(1));
    assert_eq!(sessions.info(&copy).await.unwrap().summary, "Hello (fork)");
}

#[cfg(unix)]
#[tokio::test]
async fn fork_is_private_and_leaves_no_other_file() {
    use std::os::unix::fs::PermissionsExt;

    let disk = Disk::with_session();
    let copy = disk.sessions().fork(ID).await.unwrap();
    let mode = fs::metadata(disk.transcript(&copy))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(fs::read_dir(disk.project("-app")).unwrap().count(), 2);
}

#[tokio::test]
async fn fork_of_a_renamed_session_has_its_title() {
    let disk = Disk::with_session();
    let sessions = disk.sessions();
    sessions.rename(ID, "Invoices").await.unwrap();
    let copy = sessions.fork(ID).await.unwrap();
    assert_eq!(
        sessions.info(&copy).await.unwrap().summary,
        "Invoices (fork)"
    );
    let copy = sessions.fork(ID).title(" Mine ").await.unwrap();
    assert_eq!(sessions.info(&copy).await.unwrap().summary, "Mine");
}

#[tokio::test]
async fn fork_ends_with_the_given_message() {
    let disk = Disk::new();
    let lines = [
        prompt(&id(1), "", "One"),
        answer(&id(2), &id(1), "Two"),
        prompt(&id(3), &id(2), "Three"),
    ];
    disk.write(ID, &lines);
    let sessions = disk.sessions();
    let copy = sessions.fork(ID).up_to(id(2)).await.unwrap();
    let messages = sessions.messages(&copy).await.unwrap();
    assert_eq!(messages.len(), 2);
    assert_eq!(messages[1].text(), "Two");
}

#[tokio::test]
async fn fork_without_messages_fails_and_leaves_nothing() {
    let disk = Disk::with_session();
    disk.write(
        &id(7),
        &[r#"{"type":"custom-title","customTitle":"x"}"#.to_owned()],
    );
    let sessions = disk.sessions();
    for (error, reason) in [
        (sessions.fork(&id(7)).await.unwrap_err(), "no messages"),
        (
            sessions.fork(ID).up_to(id(99)).await.unwrap_err(),
            "no message with this id",
        ),
    ] {
        assert_eq!(error.kind(), ErrorKind::Config);
        assert!(error.to_string().contains(reason), "{error}");
    }
    assert_eq!(fs::read_dir(disk.project("-app")).unwrap().count(), 2);
}

#[tokio::test]
async fn broken_lines_are_not_copied() {
    let disk = Disk::new();
    let text = format!(
        "{}\r\nbroken\n{{\"type\":\"user\",\"uuid\":\"cut",
        prompt(&id(1), "", "Hello")
    );
    disk.write_bytes(ID, text.as_bytes());
    let copy = disk.sessions().fork(ID).await.unwrap();
    assert_eq!(entries(&disk, &copy).len(), 2);
}
