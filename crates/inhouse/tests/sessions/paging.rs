//! Order and pages of lists and messages.

use std::fs;

use inhouse::sessions::SessionMessage;

use crate::support::{Disk, ID, answer, id, prompt, set_modified};

fn many(count: u32) -> Disk {
    let disk = Disk::new();
    for number in 0..count {
        disk.write(
            &id(number),
            &[prompt(&id(1), "", &format!("Prompt {number}"))],
        );
        set_modified(&disk.transcript(&id(number)), 1_000_000 + u64::from(number));
    }
    disk
}

async fn page(disk: &Disk, offset: usize, limit: Option<usize>) -> Vec<String> {
    let mut list = disk.sessions().list().offset(offset);
    if let Some(limit) = limit {
        list = list.limit(limit);
    }
    let sessions = list.await.unwrap().into_iter();
    sessions.map(|session| session.summary).collect()
}

#[tokio::test]
async fn newest_sessions_come_first() {
    let disk = many(3);
    assert_eq!(
        page(&disk, 0, None).await,
        ["Prompt 2", "Prompt 1", "Prompt 0"]
    );
    set_modified(&disk.transcript(&id(0)), 2_000_000);
    assert_eq!(
        page(&disk, 0, None).await,
        ["Prompt 0", "Prompt 2", "Prompt 1"]
    );
}

#[tokio::test]
async fn pages_cover_the_list() {
    let disk = many(5);
    assert_eq!(page(&disk, 0, Some(2)).await, ["Prompt 4", "Prompt 3"]);
    assert_eq!(page(&disk, 2, Some(2)).await, ["Prompt 2", "Prompt 1"]);
    assert_eq!(page(&disk, 4, Some(2)).await, ["Prompt 0"]);
    assert_eq!(page(&disk, 4, None).await, ["Prompt 0"]);
    assert!(page(&disk, 9, None).await.is_empty());
    assert!(page(&disk, 9, Some(1)).await.is_empty());
    assert!(page(&disk, 0, Some(0)).await.is_empty());
}

#[tokio::test]
async fn sessions_that_are_left_out_take_no_place_in_a_page() {
    let disk = many(3);
    fs::write(disk.transcript(&id(1)), "{}\n").unwrap();
    set_modified(&disk.transcript(&id(1)), 1_000_001);
    assert_eq!(page(&disk, 1, Some(1)).await, ["Prompt 0"]);
}

#[tokio::test]
async fn long_list_that_is_read_on_several_threads_keeps_its_order() {
    let disk = many(700);
    let expected: Vec<String> = (0..700)
        .rev()
        .map(|number| format!("Prompt {number}"))
        .collect();
    assert_eq!(page(&disk, 0, None).await, expected);
    assert_eq!(page(&disk, 600, Some(50)).await, expected[600..650]);
}

#[tokio::test]
async fn messages_have_pages() {
    let disk = Disk::new();
    let mut lines = vec![prompt(&id(0), "", "0")];
    for number in 1..10 {
        lines.push(answer(&id(number), &id(number - 1), &number.to_string()));
    }
    disk.write(ID, &lines);
    let sessions = disk.sessions();
    let texts = async |messages: inhouse::sessions::Messages| {
        let messages = messages.await.unwrap();
        messages
            .iter()
            .map(SessionMessage::text)
            .collect::<Vec<_>>()
            .concat()
    };
    assert_eq!(texts(sessions.messages(ID)).await, "0123456789");
    assert_eq!(texts(sessions.messages(ID).limit(3)).await, "012");
    assert_eq!(texts(sessions.messages(ID).offset(8)).await, "89");
    assert_eq!(texts(sessions.messages(ID).offset(8).limit(1)).await, "8");
    assert_eq!(texts(sessions.messages(ID).offset(80).limit(1)).await, "");
    assert_eq!(
        texts(sessions.messages(ID).offset(2).limit(usize::MAX)).await,
        "23456789"
    );
}
