//! A store gets the transcript of a session, and only the result of a turn waits for it.

use std::time::Duration;

use inhouse::message::Message;
use inhouse::options::StoreFlush;
use inhouse::permission::{CanUseTool, Decision};
use inhouse::tool::{Tool, ToolServer};
use inhouse::{Asked, Options, query};
use inhouse_store::memory::MemoryStore;
use inhouse_store::{FilePath, SessionStore as _, StreamKey};
use inhouse_testkit::FakeCli;
use inhouse_testkit::faulty_store::{Fault, StoreCall};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::resume::{Machine, OTHER, SESSION, user};
use crate::support::{idle, seconds, timed};

/// Sends a frame with entries, each of which is written as it is.
pub(crate) async fn mirror(cli: &mut FakeCli, file: &str, entries: &[&str]) {
    let path = format!("/c/projects/-srv-agent/{file}.jsonl");
    mirror_path(cli, &path, entries).await;
}

/// Sends a frame of a transcript.
pub(crate) async fn mirror_path(cli: &mut FakeCli, path: &str, entries: &[&str]) {
    let line = format!(
        "{{\"type\":\"transcript_mirror\",\"filePath\":{},\"entries\":[{}]}}\n",
        json!(path),
        entries.join(",")
    );
    cli.send_bytes(line.as_bytes()).await;
}

pub(crate) fn entry(number: usize) -> String {
    json!({"type": "user", "number": number}).to_string()
}

pub(crate) async fn stored(
    store: &impl inhouse_store::SessionStore,
    stream: &StreamKey,
) -> Vec<String> {
    let entries = store.read(stream).await.unwrap();
    let texts = entries
        .iter()
        .map(|entry| String::from_utf8(entry.to_vec()).unwrap());
    texts.collect()
}

#[tokio::test(start_paused = true)]
async fn entries_before_a_result_are_stored_byte_for_byte() {
    let machine = &Machine::new();
    let entries = [
        r#"{"b": 1,"a":1.0}"#,
        r#"{"text":"\u0000\ud800","big":12345678901234567890123}"#,
    ];
    FakeCli::play(
        machine.options().session_id(SESSION),
        async |client| {
            client.send("Hello").await?.finish().await?;
            let session = machine.session(SESSION);
            assert_eq!(stored(&machine.store, &session.main()).await, entries);
            let agent = session.stream("subagents/agent-1").unwrap();
            assert_eq!(stored(&machine.store, &agent).await, [entry(1)]);
            Ok(())
        },
        async |cli| {
            cli.expect_prompt().await;
            mirror(cli, SESSION, &entries[..1]).await;
            mirror(cli, &format!("{SESSION}/subagents/agent-1"), &[&entry(1)]).await;
            mirror(cli, SESSION, &entries[1..]).await;
            cli.turn("Hello.").await;
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn entries_after_the_result_are_stored_before_the_query_ends() {
    let machine = Machine::new();
    let append = Fault::Delay(seconds(3));
    machine.store.faults().always(StoreCall::Append, append);
    let options = machine.options().session_id(SESSION);
    FakeCli::play_with(
        async |transport| {
            query("Hello")
                .options(options)
                .transport(transport)
                .await?
                .finish()
                .await
        },
        async |mut cli| {
            cli.accept().await;
            cli.expect_prompt().await;
            mirror(&mut cli, SESSION, &[&entry(0)]).await;
            cli.turn("Hello.").await;
            cli.expect_end_of_input().await;
            mirror(&mut cli, SESSION, &[&entry(1)]).await;
        },
    )
    .await;
    let main = machine.session(SESSION).main();
    assert_eq!(stored(&machine.store, &main).await, [entry(0), entry(1)]);
}

#[tokio::test(start_paused = true)]
async fn slow_store_delays_only_the_result_and_by_one_append() {
    let machine = Machine::new();
    let append = Fault::Delay(seconds(3));
    machine.store.faults().always(StoreCall::Append, append);
    let now = Tool::new("now", "The time", async || "noon").read_only(true);
    let options = machine
        .options()
        .session_id(SESSION)
        .tool_server(ToolServer::new("clock").tool(now))
        .permissions(async |_: Asked<CanUseTool>| Ok(Decision::allow()));
    FakeCli::play(
        options,
        async |client| {
            let mut turn = client.send("Hello").await?;
            let start = Instant::now();
            let mut result = None;
            while let Some(message) = turn.next().await {
                match message? {
                    Message::Result(_) => result = Some(start.elapsed()),
                    _ => assert!(start.elapsed() < seconds(1)),
                }
            }
            // The first append takes 3 s, and the second one has all other frames.
            assert_eq!(result, Some(seconds(6)));
            Ok(())
        },
        async |cli| {
            cli.expect_prompt().await;
            for number in 0..20 {
                mirror(cli, SESSION, &[&entry(number)]).await;
                idle().await;
            }
            let (result, time) = timed(cli.call_tool("clock", "now", json!({}))).await;
            assert_eq!((result.all_text().as_str(), time), ("noon", Duration::ZERO));
            let (decision, time) = timed(cli.can_use_tool("Bash", json!({}))).await;
            let behavior = decision["behavior"].as_str();
            assert_eq!((behavior, time), (Some("allow"), Duration::ZERO));
            cli.turn("Hello.").await;
        },
    )
    .await;
    // Those of the entries, and one for the result at the same time as the second one.
    assert_eq!(machine.store.faults().calls(StoreCall::Append), 3);
    let all: Vec<String> = (0..20).map(entry).collect();
    let main = machine.session(SESSION).main();
    assert_eq!(stored(&machine.store, &main).await, all);
}

#[tokio::test(start_paused = true)]
async fn flush_at_the_end_of_a_turn_takes_one_append_for_each_stream() {
    let machine = Machine::new();
    let options = machine
        .options()
        .session_id(SESSION)
        .store_flush(StoreFlush::EndOfTurn);
    let faults = machine.store.faults();
    FakeCli::play(
        options,
        async |client| {
            client.send("Hello").await?.finish().await?;
            // The entries and the result.
            assert_eq!(faults.calls(StoreCall::Append), 2);
            Ok(())
        },
        async |cli| {
            cli.expect_prompt().await;
            for number in 0..5 {
                mirror(cli, SESSION, &[&entry(number)]).await;
                idle().await;
            }
            assert_eq!(faults.calls(StoreCall::Append), 0);
            cli.turn("Hello.").await;
        },
    )
    .await;
    let main = machine.session(SESSION).main();
    assert_eq!(stored(&machine.store, &main).await.len(), 5);
}

#[tokio::test(start_paused = true)]
async fn resumed_session_continues_behind_its_stored_entries() {
    let machine = Machine::new();
    let entries = [user(OTHER, "Hello"), user(SESSION, "And now?")];
    for (options, entry) in [
        (machine.options().session_id(SESSION), &entries[0]),
        (machine.options().resume(SESSION), &entries[1]),
    ] {
        FakeCli::play(
            options,
            async |client| client.send("Hello").await?.finish().await,
            async |cli| {
                cli.expect_prompt().await;
                mirror(cli, SESSION, &[entry]).await;
                cli.turn("Hello.").await;
            },
        )
        .await;
    }
    let main = machine.session(SESSION).main();
    assert_eq!(stored(&machine.store, &main).await, entries);
}

#[tokio::test(start_paused = true)]
async fn files_of_tool_results_are_stored_at_the_end_of_a_turn() {
    let machine = &Machine::new();
    let file = &FilePath::new("tool-results/a.txt").unwrap();
    FakeCli::play(
        machine.options().session_id(SESSION),
        async |client| {
            let results = machine.path(SESSION, &format!("{SESSION}/tool-results"));
            std::fs::create_dir_all(&results).unwrap();
            for content in ["long", "long", "longer"] {
                std::fs::write(results.join("a.txt"), content).unwrap();
                client.send("Hello").await?.finish().await?;
                let session = machine.session(SESSION);
                let stored = machine.store.file(&session, file).await.unwrap();
                assert_eq!(stored.as_deref(), Some(content.as_bytes()));
            }
            Ok(())
        },
        async |cli| {
            for number in 0..3 {
                cli.expect_prompt().await;
                let path = machine.path(SESSION, &format!("{SESSION}.jsonl"));
                mirror_path(cli, path.to_str().unwrap(), &[&entry(number)]).await;
                cli.turn("Hello.").await;
            }
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn transcript_of_a_session_without_a_store_is_ignored() {
    let (answer, ()) = FakeCli::play(
        Options::new(),
        async |client| client.send("Hello").await?.text().await,
        async |cli| {
            cli.expect_prompt().await;
            mirror(cli, SESSION, &[&entry(0)]).await;
            cli.turn("Hello.").await;
        },
    )
    .await;
    assert_eq!(answer, "Hello.");
}

#[tokio::test]
async fn store_without_persistence_or_with_too_short_leases_is_refused() {
    let options = Options::new().store(MemoryStore::new());
    for (options, named) in [
        (options.clone().persist_session(false), "persist_session"),
        (options.lease_ttl(Duration::ZERO), "lease_ttl"),
        (
            Options::new().before_result(async || Ok(())),
            "before_result",
        ),
    ] {
        let (transport, _cli) = FakeCli::new();
        let connected = inhouse::Client::connect_with(options, transport).await;
        let error = connected.unwrap_err();
        assert_eq!(error.kind(), inhouse::ErrorKind::Config);
        assert!(error.to_string().contains(named), "{error}");
    }
}

/// Reads an entry of [`entry`].
pub(crate) fn number(text: &str) -> u64 {
    let value: Value = serde_json::from_str(text).unwrap();
    value["number"].as_u64().unwrap()
}
