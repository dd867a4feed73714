//! Sessions of a store, with the same functions as those on disk.

use std::fs;

use inhouse::sessions::{SessionEntry, SessionLease, SessionMessage, Sessions, project_key};
use inhouse::{ErrorKind, Options};
use inhouse_store::memory::MemoryStore;
use inhouse_store::{
    Append, FilePath, Leases as _, Position, SessionKey, SessionStore as _, StreamKey,
};
use serde_json::json;

use crate::support::{Disk, ID, answer, id, prompt};

const PROJECT: &str = "/app";

fn stored(store: &MemoryStore) -> Sessions {
    Sessions::new().store(store.clone()).project(PROJECT)
}

fn key(id: &str) -> SessionKey {
    SessionKey::new(project_key(PROJECT), id).unwrap()
}

async fn lines(store: &MemoryStore, stream: &StreamKey) -> Vec<String> {
    let entries = store.read(stream).await.unwrap().into_iter();
    entries
        .map(|entry| String::from_utf8(entry.into()).unwrap())
        .collect()
}

fn texts(messages: &[SessionMessage]) -> Vec<String> {
    messages.iter().map(SessionMessage::text).collect()
}

/// A session with a subagent, a long tool result and an unknown entry.
fn source() -> Disk {
    let disk = Disk::new();
    let unknown = r#"{"type":"new","n":1.50,"s":"\ud83d\u0000","é":"\/"}"#.to_owned();
    let entries = [
        prompt(&id(1), "", "Hello"),
        unknown,
        answer(&id(2), &id(1), "Hi!"),
    ];
    disk.write(ID, &entries);
    let dir = disk.session_dir(ID);
    fs::create_dir_all(dir.join("subagents/workflows/w1")).unwrap();
    let agent = dir.join("subagents/workflows/w1/agent-a1.jsonl");
    fs::write(&agent, prompt(&id(5), "", "Count.")).unwrap();
    fs::write(agent.with_extension("meta.json"), r#"{"toolUseId":"t1"}"#).unwrap();
    fs::create_dir(dir.join("tool-results")).unwrap();
    fs::write(dir.join("tool-results/1.txt"), b"long\xff").unwrap();
    disk
}

/// Stores the session of [`source`].
async fn copied() -> (MemoryStore, Sessions) {
    let store = MemoryStore::new();
    let sessions = stored(&store);
    source().sessions().copy_to(ID, &sessions).await.unwrap();
    (store, sessions)
}

async fn exported(sessions: &Sessions) -> Vec<SessionEntry> {
    let mut export = sessions.export(ID);
    let mut entries = Vec::new();
    while let Some(entry) = export.next().await {
        entries.push(entry.unwrap());
    }
    entries
}

#[tokio::test]
async fn copy_has_every_entry_and_file_byte_for_byte() {
    let disk = source();
    let store = MemoryStore::new();
    disk.sessions().copy_to(ID, &stored(&store)).await.unwrap();

    let main = lines(&store, &key(ID).main()).await;
    assert_eq!(main.join("\n") + "\n", disk.read(ID));
    let agent = key(ID).stream("subagents/workflows/w1/agent-a1").unwrap();
    assert_eq!(
        lines(&store, &agent).await,
        [
            prompt(&id(5), "", "Count."),
            r#"{"toolUseId":"t1","type":"agent_metadata"}"#.to_owned()
        ]
    );
    let path = FilePath::new("tool-results/1.txt").unwrap();
    let file = store.file(&key(ID), &path).await.unwrap();
    assert_eq!(file.unwrap(), &b"long\xff"[..]);
    assert_eq!(store.holder(&key(ID)).await.unwrap(), None, "released");
}

#[tokio::test]
async fn copy_goes_from_a_store_back_to_the_disk() {
    let (_, sessions) = copied().await;
    let target = Disk::new();
    let there = target.sessions().project(PROJECT);
    sessions.copy_to(ID, &there).await.unwrap();

    assert_eq!(exported(&there).await, exported(&sessions).await);
    assert_eq!(target.read(ID), source().read(ID));
    let file = target.session_dir(ID).join("tool-results/1.txt");
    assert_eq!(fs::read(file).unwrap(), b"long\xff");
}

#[tokio::test]
async fn repeated_copy_adds_only_what_is_new() {
    let disk = source();
    let store = MemoryStore::new();
    let sessions = stored(&store);
    for _ in 0..2 {
        disk.sessions().copy_to(ID, &sessions).await.unwrap();
    }
    assert_eq!(lines(&store, &key(ID).main()).await.len(), 3);

    let next = prompt(&id(3), &id(2), "And now?");
    disk.write_bytes(ID, (disk.read(ID) + &next).as_bytes());
    disk.sessions().copy_to(ID, &sessions).await.unwrap();
    let entries = lines(&store, &key(ID).main()).await;
    assert_eq!((entries.len(), &entries[3]), (4, &next));
}

#[tokio::test]
async fn other_session_with_the_id_is_not_overwritten() {
    let (store, sessions) = copied().await;
    let before = lines(&store, &key(ID).main()).await;
    let path = FilePath::new("tool-results/1.txt").unwrap();

    // The store has other entries, or more.
    for entries in [
        vec![prompt(&id(1), "", "Other")],
        vec![prompt(&id(1), "", "Hello")],
    ] {
        let other = Disk::new();
        other.write(ID, &entries);
        let results = other.session_dir(ID).join("tool-results");
        fs::create_dir(&results).unwrap();
        fs::write(results.join("1.txt"), "other").unwrap();
        let error = other.sessions().copy_to(ID, &sessions).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config);
        assert!(error.to_string().contains("erase"), "{error}");
    }
    assert_eq!(lines(&store, &key(ID).main()).await, before);
    let file = store.file(&key(ID), &path).await.unwrap();
    assert_eq!(file.unwrap(), &b"long\xff"[..]);
}

#[tokio::test]
async fn large_session_is_appended_and_read_in_order() {
    let disk = Disk::new();
    let padding = "x".repeat(20_000);
    let entries: Vec<_> = (0..300)
        .map(|number| {
            let parent = match number {
                0 => String::new(),
                number => id(number - 1),
            };
            prompt(&id(number), &parent, &format!("{number} {padding}"))
        })
        .collect();
    disk.write(ID, &entries);
    let store = MemoryStore::new();
    let sessions = stored(&store);
    disk.sessions().copy_to(ID, &sessions).await.unwrap();

    assert_eq!(lines(&store, &key(ID).main()).await, entries);
    let messages = sessions.messages(ID).await.unwrap();
    assert_eq!(
        texts(&messages),
        texts(&disk.sessions().messages(ID).await.unwrap())
    );
    let part = sessions.messages(ID).offset(298).limit(5).await.unwrap();
    assert!(part.len() == 2 && part[0].text().starts_with("298 "));

    // The summary comes from both ends.
    sessions.rename(ID, "Long").await.unwrap();
    let info = sessions.info(ID).await.unwrap();
    assert_eq!(info.title.as_deref(), Some("Long"));
    assert!(info.first_prompt.unwrap().starts_with("0 xxx"));
}

#[tokio::test]
async fn messages_have_the_order_of_those_on_disk() {
    let disk = Disk::new();
    let call = |uuid: &str, parent: &str, call: &str| {
        json!({"parentUuid": parent, "type": "assistant", "uuid": uuid, "sessionId": ID,
            "message": {"id": "m1", "role": "assistant", "content": [{"type": "tool_use", "id": call, "name": "t", "input": {}}]}})
        .to_string()
    };
    let result = |uuid: &str, parent: &str, call: &str| {
        json!({"parentUuid": parent, "type": "user", "uuid": uuid, "sessionId": ID, "sourceToolAssistantUUID": parent,
            "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": call}]}})
        .to_string()
    };
    let entries = [
        prompt(&id(1), "", "Hello"),
        prompt(&id(9), &id(1), "abandoned"),
        call(&id(2), &id(1), "c1"),
        result(&id(4), &id(2), "c1"),
        call(&id(3), &id(2), "c2"),
        result(&id(5), &id(3), "c2"),
        answer(&id(6), &id(5), "Done."),
    ];
    disk.write(ID, &entries);
    let sessions = stored(&MemoryStore::new());
    disk.sessions().copy_to(ID, &sessions).await.unwrap();

    let uuids = |messages: Vec<SessionMessage>| {
        let uuids = messages.into_iter().map(|message| message.uuid);
        uuids.collect::<Vec<_>>()
    };
    let expected = uuids(disk.sessions().messages(ID).await.unwrap());
    assert_eq!(uuids(sessions.messages(ID).await.unwrap()), expected);
    assert_eq!(expected.len(), 6);
    let mut stream = sessions.messages(ID).stream();
    for uuid in expected {
        assert_eq!(stream.next().await.unwrap().unwrap().uuid, uuid);
    }
    assert!(stream.next().await.is_none());
}

#[tokio::test]
async fn subagents_have_their_metadata_and_messages() {
    let (_, sessions) = copied().await;
    let subagents = sessions.subagents(ID).await.unwrap();
    assert_eq!((subagents.len(), &*subagents[0].id), (1, "a1"));
    assert_eq!(subagents[0].metadata.tool_use_id.as_deref(), Some("t1"));
    assert_eq!(subagents[0].transcript, None);

    let messages = sessions.subagent_messages(ID, "a1").await.unwrap();
    assert_eq!(texts(&messages), ["Count."]);
    assert_eq!(messages[0].parent_tool_use_id.as_deref(), Some("t1"));
    let missing = sessions.subagent_messages(ID, "a2").await.unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::SessionNotFound);
    let invalid = sessions.subagent_messages(ID, "../a1").await.unwrap_err();
    assert_eq!(invalid.kind(), ErrorKind::Config);
}

#[tokio::test]
async fn information_is_that_of_the_disk() {
    let (_, sessions) = copied().await;
    let disk = source().sessions().info(ID).await.unwrap();
    for info in [
        sessions.info(ID).await.unwrap(),
        sessions.list().await.unwrap().remove(0),
    ] {
        let mut expected = disk.clone();
        expected.last_modified = info.last_modified;
        (expected.file_size, expected.transcript) = (None, None);
        assert_eq!(info, expected);
    }
}

#[tokio::test]
async fn list_has_pages_the_newest_session_first() {
    let store = MemoryStore::new();
    let sessions = stored(&store);
    let disk = Disk::new();
    for number in 0..40 {
        let entry = prompt(&id(1), "", &format!("Prompt {number}"));
        disk.write(&id(number), &[entry]);
        disk.sessions()
            .copy_to(&id(number), &sessions)
            .await
            .unwrap();
    }
    // A transcript of a subagent, one without a prompt, and one of another project are not listed.
    let sidechain = r#"{"type":"user","uuid":"s","isSidechain":true,"message":{"content":"x"}}"#;
    for (number, entry) in [(50, sidechain), (51, r#"{"type":"mode"}"#)] {
        let session = key(&id(number));
        let epoch = store.fence(&session, None).await.unwrap();
        let append = Append::new(epoch, Position::START, [entry]);
        store.append(&session.main(), &append).await.unwrap();
    }
    let other = Sessions::new().store(store.clone()).project("/other");
    disk.sessions().copy_to(&id(1), &other).await.unwrap();

    let summaries = |list: Vec<inhouse::sessions::SessionInfo>| {
        let summaries = list.into_iter().map(|session| session.summary);
        summaries.collect::<Vec<_>>()
    };
    let expected: Vec<_> = (0..40)
        .rev()
        .map(|number| format!("Prompt {number}"))
        .collect();
    assert_eq!(summaries(sessions.list().await.unwrap()), expected);
    let page = sessions.list().offset(18).limit(3).await.unwrap();
    assert_eq!(summaries(page), expected[18..21]);
    assert!(sessions.list().limit(0).await.unwrap().is_empty());
    assert!(
        sessions
            .list()
            .offset(40)
            .limit(5)
            .await
            .unwrap()
            .is_empty()
    );
    assert_eq!(other.list().await.unwrap().len(), 1);
}

#[tokio::test]
async fn list_leaves_out_programmatic_and_superseded_sessions() {
    let store = MemoryStore::new();
    let sessions = stored(&store);
    let program =
        prompt(&id(1), "", "Program").replace("\"cwd\"", "\"entrypoint\":\"sdk-cli\",\"cwd\"");
    let continued =
        json!({"type": "continued-in", "continuedInSessionId": id(1), "sessionId": id(2)});
    for (number, entries) in [
        (1, vec![program]),
        (2, vec![prompt(&id(1), "", "Old"), continued.to_string()]),
        (3, vec![prompt(&id(1), "", "Person")]),
    ] {
        // Without a summary, as a host that died early leaves it.
        let session = key(&id(number));
        let epoch = store.fence(&session, None).await.unwrap();
        let append = Append::new(epoch, Position::START, entries);
        store.append(&session.main(), &append).await.unwrap();
    }
    let all = sessions.list().await.unwrap();
    let all: Vec<_> = all.iter().map(|session| &*session.summary).collect();
    assert_eq!(all, ["Person", "Program"]);
    let persons = sessions.list().programmatic(false).await.unwrap();
    assert_eq!((persons.len(), &*persons[0].summary), (1, "Person"));
}

#[tokio::test]
async fn title_and_tag_are_appended_and_listed() {
    let (store, sessions) = copied().await;
    sessions.rename(ID, "  Invoices ").await.unwrap();
    sessions.tag(ID, "billing").await.unwrap();
    let entries = lines(&store, &key(ID).main()).await;
    assert_eq!(
        entries[3],
        format!(r#"{{"type":"custom-title","customTitle":"Invoices","sessionId":"{ID}"}}"#)
    );
    let session = sessions.list().await.unwrap().remove(0);
    assert_eq!(session.title.as_deref(), Some("Invoices"));
    assert_eq!(session.tag.as_deref(), Some("billing"));

    sessions.untag(ID).await.unwrap();
    assert_eq!(sessions.list().await.unwrap()[0].tag, None);
    assert_eq!(sessions.info(ID).await.unwrap().tag, None);
    for error in [
        sessions.rename(ID, " ").await.unwrap_err(),
        sessions.tag(ID, "\u{200b}").await.unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::Config);
    }
}

#[tokio::test]
async fn archive_lasts_until_the_next_prompt() {
    let (store, sessions) = copied().await;
    sessions.archive(ID).await.unwrap();
    assert!(sessions.info(ID).await.unwrap().is_archived);
    assert!(sessions.list().await.unwrap()[0].is_archived);
    sessions.unarchive(ID).await.unwrap();
    assert!(!sessions.info(ID).await.unwrap().is_archived);

    sessions.archive(ID).await.unwrap();
    let later = prompt(&id(7), &id(2), "More").replace("2026-01-02", "2999-01-02");
    let epoch = store.fence(&key(ID), None).await.unwrap();
    let append = Append::new(epoch, Position::new(3), [later]);
    store.append(&key(ID).main(), &append).await.unwrap();
    assert!(!sessions.list().await.unwrap()[0].is_archived);
}

#[tokio::test]
async fn fork_has_new_ids_and_the_files_of_the_original() {
    let (store, sessions) = copied().await;
    let before = lines(&store, &key(ID).main()).await;
    let directory = format!(
        "/srv/agents/{ID}/projects/{}/{ID}/tool-results/1.txt",
        project_key(PROJECT)
    );
    let epoch = store.fence(&key(ID), None).await.unwrap();
    let result = prompt(&id(3), &id(2), &format!("saved to {directory}"));
    let append = Append::new(epoch, Position::new(3), [result]);
    store.append(&key(ID).main(), &append).await.unwrap();

    let copy = sessions.fork(ID).await.unwrap();
    assert_eq!(sessions.info(&copy).await.unwrap().summary, "Hello (fork)");
    let messages = sessions.messages(&copy).await.unwrap();
    assert_eq!(texts(&messages)[..2], ["Hello", "Hi!"]);
    assert_ne!(messages[0].uuid, id(1));
    assert_eq!(
        messages[2].text(),
        format!("saved to {}", directory.replace(ID, &copy))
    );
    let path = FilePath::new("tool-results/1.txt").unwrap();
    assert!(store.file(&key(&copy), &path).await.unwrap().is_some());
    assert!(sessions.subagents(&copy).await.unwrap().is_empty());
    assert_eq!(lines(&store, &key(ID).main()).await[..3], before);
    assert_eq!(store.holder(&key(&copy)).await.unwrap(), None, "released");

    let part = sessions.fork(ID).up_to(id(1)).title("Part").await.unwrap();
    assert_eq!(texts(&sessions.messages(&part).await.unwrap()), ["Hello"]);
    assert_eq!(sessions.list().await.unwrap().len(), 3);
    let error = sessions.fork(ID).up_to(id(99)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Config);
}

#[tokio::test]
async fn session_that_a_host_runs_is_read_and_not_changed() {
    let (store, sessions) = copied().await;
    let options = Options::new().store(store.clone()).cwd(PROJECT);
    let lease = SessionLease::acquire(&options, ID).await.unwrap();
    let before = lines(&store, &key(ID).main()).await;

    for error in [
        sessions.rename(ID, "x").await.unwrap_err(),
        sessions.untag(ID).await.unwrap_err(),
        sessions.archive(ID).await.unwrap_err(),
        sessions.delete(ID).await.unwrap_err(),
        sessions.import(ID).await.unwrap_err(),
        source()
            .sessions()
            .copy_to(ID, &sessions)
            .await
            .unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::Held, "{error}");
    }
    assert_eq!(lines(&store, &key(ID).main()).await, before);
    assert_eq!(sessions.messages(ID).await.unwrap().len(), 2);
    sessions.fork(ID).await.unwrap();
    // The host still owns the session.
    let append = Append::new(lease.epoch(), Position::new(3), ["{}"]);
    store.append(&key(ID).main(), &append).await.unwrap();
}

#[tokio::test]
async fn deleted_session_is_gone() {
    let (store, sessions) = copied().await;
    sessions.delete(ID).await.unwrap();
    assert!(sessions.list().await.unwrap().is_empty());
    assert!(store.files(&key(ID)).await.unwrap().is_empty());
    assert!(store.subpaths(&key(ID)).await.unwrap().is_empty());
}

#[tokio::test]
async fn unknown_session_is_not_found_and_not_created() {
    let store = MemoryStore::new();
    let sessions = stored(&store);
    for error in [
        sessions.info(ID).await.unwrap_err(),
        sessions.messages(ID).await.unwrap_err(),
        sessions.subagents(ID).await.unwrap_err(),
        sessions.rename(ID, "x").await.unwrap_err(),
        sessions.archive(ID).await.unwrap_err(),
        sessions.delete(ID).await.unwrap_err(),
        sessions.fork(ID).await.unwrap_err(),
        sessions.export(ID).next().await.unwrap().unwrap_err(),
        source()
            .sessions()
            .copy_to(&id(4), &sessions)
            .await
            .unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::SessionNotFound, "{error}");
    }
    assert_eq!(store.holder(&key(ID)).await.unwrap(), None);
    let invalid = sessions.info("../x").await.unwrap_err();
    assert_eq!(invalid.kind(), ErrorKind::Config);
}

#[tokio::test]
async fn results_of_a_store_are_no_entries() {
    let (store, sessions) = copied().await;
    let epoch = store.fence(&key(ID), None).await.unwrap();
    let results = key(ID).stream("results").unwrap();
    let append = Append::new(epoch, Position::START, [r#"{"type":"result"}"#]);
    store.append(&results, &append).await.unwrap();
    let entries = exported(&sessions).await;
    assert!(
        entries
            .iter()
            .all(|entry| entry.subpath.as_deref() != Some("results"))
    );

    let mut import = sessions.import(&id(3)).await.unwrap();
    let entry = SessionEntry::at("results", r#"{"type":"result"}"#);
    let error = import.push(entry).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Config);
}
