//! A store that fails: nothing is lost, nothing is stored twice, and no result is delivered that is not stored.

use std::path::PathBuf;

use inhouse::{Client, ErrorKind, Options, query, sessions};
use inhouse_store::SessionStore as _;
use inhouse_store::memory::MemoryStore;
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use inhouse_testkit::faulty_store::{Fault, FaultyStore, StoreCall};
use tokio::time::Instant;

use crate::mirror::{entry, mirror, number, session, stored};
use crate::support::{failed, idle, pass, seconds};

const SESSION: &str = "7f6c2a4e-3c1f-4f0a-9d57-0a4b8f1c2d3e";

/// Runs a turn with this many entries, one frame each.
async fn play_turn(store: &FaultyStore<MemoryStore>, entries: usize) {
    FakeCli::play(
        Options::new().store(store.clone()),
        async |client| client.send("Hello").await?.finish().await,
        async |cli| {
            cli.expect_prompt().await;
            for number in 0..entries {
                mirror(cli, SESSION, &[&entry(number)]).await;
                idle().await;
            }
            cli.turn("Hello.").await;
        },
    )
    .await;
}

async fn assert_stored(store: &FaultyStore<MemoryStore>, entries: usize) {
    let all: Vec<String> = (0..entries).map(entry).collect();
    assert_eq!(stored(store.inner(), &session().main()).await, all);
}

#[tokio::test(start_paused = true)]
async fn failed_and_unacknowledged_appends_are_repeated_without_effect() {
    for fault in [
        Fault::Fail,
        Fault::LoseAcknowledgement,
        Fault::Hang,
        Fault::HangAfterwards,
    ] {
        let store = FaultyStore::new(MemoryStore::new());
        for call in [StoreCall::Fence, StoreCall::List, StoreCall::Append] {
            store.faults().next(call, fault);
        }
        for fault in [Fault::None, fault, Fault::None, fault] {
            store.faults().next(StoreCall::Append, fault);
        }
        play_turn(&store, 5).await;
        assert_stored(&store, 5).await;
    }
}

#[tokio::test(start_paused = true)]
async fn result_waits_for_a_store_that_comes_back() {
    let store = FaultyStore::new(MemoryStore::new());
    store.faults().always(StoreCall::Append, Fault::Fail);
    let start = Instant::now();
    let repair = async {
        pass(seconds(30)).await;
        store.faults().clear();
    };
    tokio::join!(play_turn(&store, 5), repair);
    assert!(start.elapsed() >= seconds(30));
    assert_stored(&store, 5).await;
}

#[tokio::test(start_paused = true)]
async fn store_that_stays_down_ends_the_session_and_its_entries_are_recovered() {
    let store = FaultyStore::new(MemoryStore::new());
    let (transport, mut cli) = FakeCli::new();
    let options = Options::new().store(store.clone());
    let host = async {
        let messages = query("Hello").options(options).transport(transport).await?;
        messages.finish().await
    };
    let faults = store.faults();
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        mirror(&mut cli, SESSION, &[&entry(0)]).await;
        idle().await;
        faults.always(StoreCall::Append, Fault::LoseAcknowledgement);
        mirror(&mut cli, SESSION, &[&entry(1)]).await;
        idle().await;
        mirror(&mut cli, SESSION, &[&entry(2)]).await;
        cli.state("running").await;
        cli.result("Hello.").await;
        mirror(&mut cli, SESSION, &[&entry(3)]).await;
        cli.expect_kill().await;
    };
    let (outcome, ()) = join(host, cli).await;
    let error = failed(outcome);
    assert_eq!(error.kind(), ErrorKind::Store);
    // The result is not lost either.
    assert_eq!(error.result().unwrap().result.as_deref(), Some("Hello."));
    assert_stored(&store, 2).await;

    let directory = unsent_directory(&error.to_string());
    let faulty = failed(sessions::recover(&directory, &store).await);
    assert_eq!(faulty.kind(), ErrorKind::Store);
    store.faults().clear();
    // The first attempt stored the entries, and only its acknowledgement was lost. The result is left.
    assert_eq!(sessions::recover(&directory, &store).await.unwrap(), 1);
    assert_stored(&store, 4).await;
    assert!(!directory.exists());
}

#[tokio::test(start_paused = true)]
async fn unsent_entries_are_not_stored_behind_those_of_another_owner() {
    let store = FaultyStore::new(MemoryStore::new());
    store.faults().always(StoreCall::Append, Fault::Fail);
    let (transport, mut cli) = FakeCli::new();
    let options = Options::new().store(store.clone());
    let host = async {
        let messages = query("Hello").options(options).transport(transport).await?;
        messages.finish().await
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        mirror(&mut cli, SESSION, &[&entry(0)]).await;
        cli.expect_kill().await;
    };
    let (outcome, ()) = join(host, cli).await;
    let directory = unsent_directory(&failed(outcome).to_string());
    store.faults().clear();
    let other = MemoryStore::clone(store.inner());
    play_turn(&FaultyStore::new(other), 2).await;
    // The other owner has written the same first entry, and one more.
    let error = failed(sessions::recover(&directory, &store).await);
    assert!(error.to_string().contains("has continued"), "{error}");
    assert_stored(&store, 2).await;
    assert!(directory.exists());
    std::fs::remove_dir_all(directory).unwrap();
}

#[tokio::test(start_paused = true)]
async fn new_owner_ends_the_session_of_the_old_one_without_a_result() {
    let store = MemoryStore::new();
    let (transport, mut cli) = FakeCli::new();
    let options = Options::new().store(store.clone());
    let host = async {
        let mut client = Client::connect_with(options, transport).await?;
        client.send("Hello").await?.finish().await
    };
    let owners = store.clone();
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        mirror(&mut cli, SESSION, &[&entry(0)]).await;
        idle().await;
        owners.fence(&session(), None).await.unwrap();
        mirror(&mut cli, SESSION, &[&entry(1)]).await;
        cli.state("running").await;
        cli.result("Hello.").await;
        cli.expect_kill().await;
    };
    let (outcome, ()) = join(host, cli).await;
    let error = failed(outcome);
    assert_eq!(error.kind(), ErrorKind::Fenced);
    assert!(error.result().is_none());
    assert_eq!(stored(&store, &session().main()).await, [entry(0)]);
}

#[tokio::test(start_paused = true)]
async fn frames_above_the_memory_limit_are_stored_in_order() {
    const FRAMES: usize = 40;
    let padding = "x".repeat(1 << 20);
    let store = FaultyStore::new(MemoryStore::new());
    store
        .faults()
        .next(StoreCall::Append, Fault::Delay(seconds(10)));
    FakeCli::play(
        Options::new().store(store.clone()),
        async |client| client.send("Hello").await?.finish().await,
        async |cli| {
            cli.expect_prompt().await;
            for number in 0..FRAMES {
                let entry = format!(r#"{{"number":{number},"padding":"{padding}"}}"#);
                mirror(cli, SESSION, &[&entry]).await;
            }
            cli.turn("Hello.").await;
        },
    )
    .await;
    let entries = stored(store.inner(), &session().main()).await;
    let numbers: Vec<u64> = entries.iter().map(|entry| number(entry)).collect();
    assert_eq!(numbers, (0..FRAMES as u64).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn skipped_frame_ends_the_session_and_leaves_no_hole() {
    let store = FaultyStore::new(MemoryStore::new());
    let (transport, mut cli) = FakeCli::new();
    let options = Options::new().store(store.clone()).max_line_bytes(10_000);
    let host = async {
        let messages = query("Hello").options(options).transport(transport).await?;
        messages.finish().await
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        mirror(&mut cli, SESSION, &[&entry(0)]).await;
        let long = format!(r#"{{"number":1,"padding":"{}"}}"#, "x".repeat(20_000));
        mirror(&mut cli, SESSION, &[&long]).await;
        mirror(&mut cli, SESSION, &[&entry(2)]).await;
        cli.expect_kill().await;
    };
    let (outcome, ()) = join(host, cli).await;
    let error = failed(outcome);
    assert_eq!(error.kind(), ErrorKind::Store);
    assert_stored(&store, 1).await;
    let directory = unsent_directory(&error.to_string());
    assert_eq!(sessions::recover(&directory, &store).await.unwrap(), 0);
    assert_stored(&store, 1).await;
}

#[tokio::test(start_paused = true)]
async fn files_that_were_not_stored_are_recovered() {
    let root = tempfile::tempdir().unwrap();
    let store = FaultyStore::new(MemoryStore::new());
    store.faults().always(StoreCall::File, Fault::Fail);
    let (transport, mut cli) = FakeCli::new();
    let options = Options::new()
        .store(store.clone())
        .session_root(root.path())
        .session_id(SESSION);
    let host = async {
        let messages = query("Hello").options(options).transport(transport).await?;
        messages.finish().await
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        let config = cli.launched().env("CLAUDE_CONFIG_DIR").unwrap().to_owned();
        let directory = format!("{config}/projects/-srv-agent/{SESSION}");
        std::fs::create_dir_all(format!("{directory}/tool-results")).unwrap();
        std::fs::write(format!("{directory}/tool-results/a.txt"), "long").unwrap();
        let history = format!("{config}/file-history/{SESSION}");
        std::fs::create_dir_all(&history).unwrap();
        std::fs::write(format!("{history}/b@v1"), "backup").unwrap();
        let frame = serde_json::json!({
            "type": "transcript_mirror",
            "filePath": format!("{directory}.jsonl"),
            "entries": [{"text": "saved to tool-results/a.txt"}],
        });
        cli.send(frame).await;
        cli.expect_kill().await;
    };
    let (outcome, ()) = join(host, cli).await;
    let directory = unsent_directory(&failed(outcome).to_string());
    store.faults().clear();
    assert_eq!(sessions::recover(&directory, &store).await.unwrap(), 1);
    for (path, content) in [
        ("tool-results/a.txt", "long"),
        ("file-history/b@v1", "backup"),
    ] {
        let path = inhouse_store::FilePath::new(path).unwrap();
        let file = store.inner().file(&session(), &path).await.unwrap();
        assert_eq!(file.as_deref(), Some(content.as_bytes()));
    }
    assert!(!directory.exists());
}

/// Returns the directory that the error of a session names.
fn unsent_directory(error: &str) -> PathBuf {
    let (_, rest) = error
        .split_once("is in ")
        .expect("the error names a directory");
    PathBuf::from(rest.split_once(", and").expect("the directory ends").0)
}
