//! The CLI, and commands that it runs, cannot write to a session of another host.

use inhouse::tool::{Tool, ToolServer};
use inhouse::{Client, Error, ErrorKind, Options};
use inhouse_store::{
    Append, Journal as _, Leases as _, Page, Position, SessionKey, SessionStore as _,
};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use serde_json::json;

use crate::mirror::{entry, mirror, mirror_path, stored};
use crate::resume::{Machine, OTHER, SESSION, THIRD, user};
use crate::support::{failed, idle, result_with, seconds};

/// Opens a session whose CLI acts after its first prompt, and returns the error that ends it.
async fn fail(options: Options, act: impl AsyncFnOnce(&mut FakeCli)) -> Error {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = Client::connect_with(options, transport).await?;
        client.send("Hello").await?.finish().await
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        act(&mut cli).await;
        cli.expect_kill().await;
    };
    failed(join(host, cli).await.0)
}

/// Stores an entry of another host; returns an append that this host makes next.
async fn other_host(machine: &Machine, session: &SessionKey) -> Append {
    let store = machine.store.inner();
    let epoch = store.fence(session, None).await.unwrap();
    let append = Append::new(epoch, Position::START, [entry(0)]);
    store.append(&session.main(), &append).await.unwrap();
    Append::new(epoch, Position::new(1), [entry(1)])
}

#[tokio::test(start_paused = true)]
async fn frame_of_a_session_of_another_host_has_no_effect() {
    for file in [OTHER.to_owned(), format!("{OTHER}/subagents/agent-1")] {
        let machine = &Machine::new();
        let other = machine.session(OTHER);
        let next = other_host(machine, &other).await;
        let error = fail(machine.options().session_id(SESSION), async |cli| {
            mirror(cli, SESSION, &[&entry(0)]).await;
            idle().await;
            mirror(cli, &file, &[&entry(7)]).await;
        })
        .await;
        assert_eq!(error.kind(), ErrorKind::Store);
        let store = machine.store.inner();
        store.append(&other.main(), &next).await.unwrap();
        assert_eq!(stored(store, &other.main()).await, [entry(0), entry(1)]);
        assert_eq!(store.subpaths(&other).await.unwrap(), []);
        let own = machine.session(SESSION).main();
        assert_eq!(stored(store, &own).await, [entry(0)]);
        // Nor is it stored later.
        let recovered = inhouse::sessions::recover(machine.directory(SESSION), store).await;
        assert_eq!(recovered.unwrap(), 0);
        assert_eq!(stored(store, &other.main()).await.len(), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn frame_of_a_session_that_another_host_has_leased_is_refused() {
    let machine = &Machine::new();
    let other = machine.session(OTHER);
    let lease = machine.store.acquire(&other, "other", seconds(40)).await;
    let epoch = lease.unwrap().epoch;
    let error = fail(machine.options().session_id(SESSION), async |cli| {
        mirror(cli, OTHER, &[&entry(7)]).await;
    })
    .await;
    assert_eq!(error.kind(), ErrorKind::Store);
    let current = machine.store.fence(&other, Some(epoch)).await;
    assert_eq!(current.unwrap(), epoch);
}

#[tokio::test(start_paused = true)]
async fn frame_of_another_project_is_stored_in_that_of_the_session() {
    let machine = &Machine::new();
    let other = SessionKey::new("-srv-other", SESSION).unwrap();
    let next = other_host(machine, &other).await;
    FakeCli::play(
        machine.options().session_id(SESSION),
        async |client| client.send("Hello").await?.finish().await,
        async |cli| {
            cli.expect_prompt().await;
            let path = format!("/c/projects/-srv-other/{SESSION}.jsonl");
            mirror_path(cli, &path, &[&entry(7)]).await;
            cli.turn("Hello.").await;
        },
    )
    .await;
    let own = machine.session(SESSION).main();
    assert_eq!(stored(&machine.store, &own).await, [entry(7)]);
    machine.store.append(&other.main(), &next).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn session_that_the_cli_begins_is_stored_with_its_result() {
    let machine = &Machine::new();
    FakeCli::play(
        machine.options().session_id(SESSION),
        async |client| {
            client.send("Hello").await?.finish().await?;
            client.send("/clear").await?.finish().await?;
            client.send("And now?").await?.finish().await
        },
        async |cli| {
            cli.expect_prompt().await;
            mirror(cli, SESSION, &[&user(SESSION, "Hello")]).await;
            cli.turn("Hello.").await;
            for (uuid, prompt) in [(OTHER, "/clear"), (THIRD, "And now?")] {
                cli.expect_prompt().await;
                // The order of CLI 2.1.325.
                mirror(cli, OTHER, &[&entry(0)]).await;
                mirror(cli, SESSION, &[&entry(1)]).await;
                mirror(cli, OTHER, &[&user(uuid, prompt)]).await;
                cli.state("running").await;
                cli.send(result_with(cli, json!({"session_id": OTHER})))
                    .await;
                cli.state("idle").await;
            }
        },
    )
    .await;
    for (id, entries, results) in [(SESSION, 3, 1), (OTHER, 4, 2)] {
        let session = machine.session(id);
        let main = stored(&machine.store, &session.main()).await;
        assert_eq!(main.len(), entries, "{main:?}");
        let stored = inhouse::sessions::recent_results(&machine.store, &session, 9).await;
        assert_eq!(stored.unwrap().len(), results, "{id}");
    }
    let page = machine.store.list(&machine.project(), &Page::first()).await;
    let sessions = page.unwrap().sessions;
    let of_other = sessions
        .iter()
        .find(|session| session.key.session() == OTHER);
    let summary = of_other.unwrap().summary.clone().unwrap();
    let summary: serde_json::Value = serde_json::from_slice(&summary).unwrap();
    assert_eq!(summary["firstPrompt"], "/clear");
}

/// The frame of the new session arrives while the result of the old one waits for the store.
#[tokio::test(start_paused = true)]
async fn result_before_a_new_session_is_stored_in_the_old_one() {
    let machine = &Machine::new();
    let slow = inhouse_testkit::faulty_store::Fault::Delay(seconds(5));
    let append = inhouse_testkit::faulty_store::StoreCall::Append;
    machine.store.faults().next(append, slow);
    FakeCli::play(
        machine.options().session_id(SESSION),
        async |client| client.send("Hello").await?.finish().await,
        async |cli| {
            cli.expect_prompt().await;
            mirror(cli, SESSION, &[&user(OTHER, "Hello")]).await;
            idle().await;
            cli.state("running").await;
            let result = result_with(cli, json!({"session_id": SESSION}));
            cli.send(result).await;
            mirror(cli, OTHER, &[&entry(0)]).await;
            cli.state("idle").await;
        },
    )
    .await;
    for (id, expected) in [(SESSION, 1), (OTHER, 0)] {
        let results = machine.session(id).stream("results").unwrap();
        let results = stored(&machine.store, &results).await;
        assert_eq!(results.len(), expected, "{id}");
    }
}

#[tokio::test(start_paused = true)]
async fn frame_for_the_stream_of_results_ends_the_session() {
    let machine = &Machine::new();
    let error = fail(machine.options().session_id(SESSION), async |cli| {
        mirror(cli, &format!("{SESSION}/results"), &[&entry(0)]).await;
    })
    .await;
    assert_eq!(error.kind(), ErrorKind::Store);
    let results = machine.session(SESSION).stream("results").unwrap();
    assert_eq!(stored(&machine.store, &results).await.len(), 0);
}

#[tokio::test(start_paused = true)]
async fn call_in_a_session_of_another_host_is_neither_recorded_nor_run() {
    let machine = &Machine::new();
    let other = machine.session(OTHER);
    let next = other_host(machine, &other).await;
    let charge = Tool::new("charge", "Charges the card", async || -> &str {
        panic!("the tool runs")
    });
    let options = machine
        .options()
        .session_id(SESSION)
        .tool_server(ToolServer::new("bank").tool(charge));
    FakeCli::play(
        options,
        async |client| client.send("Hello").await?.finish().await,
        async |cli| {
            cli.expect_prompt().await;
            cli.send(json!({"type": "system", "subtype": "init", "session_id": OTHER}))
                .await;
            let result = cli.call_tool("bank", "charge", json!({})).await;
            assert!(
                result.all_text().contains("not run"),
                "{}",
                result.all_text()
            );
            cli.turn("Hello.").await;
        },
    )
    .await;
    assert_eq!(machine.store.calls(&other).await.unwrap(), []);
    machine.store.append(&other.main(), &next).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn unsent_entries_that_the_cli_has_written_are_ignored() {
    let machine = &Machine::new();
    let other = machine.session(OTHER);
    FakeCli::play(
        machine.options().session_id(SESSION),
        async |client| client.send("Hello").await?.finish().await,
        async |cli| {
            cli.expect_prompt().await;
            let project = machine.project();
            let line = json!({
                "project": project.as_str(), "session": OTHER, "subpath": null, "position": 0, "entry": {"type": "user"},
            });
            let directory = machine.directory(SESSION);
            std::fs::write(directory.join("unsent-entries.jsonl"), format!("{line}\n")).unwrap();
            cli.turn("Hello.").await;
        },
    )
    .await;
    assert!(machine.is_empty());
    assert_eq!(stored(&machine.store, &other.main()).await.len(), 0);
}

#[tokio::test(start_paused = true)]
async fn files_outside_of_the_directory_of_the_session_are_not_read() {
    let machine = &Machine::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let session = elsewhere.path().join("projects/p").join(SESSION);
    std::fs::create_dir_all(session.join("tool-results")).unwrap();
    std::fs::write(session.join("tool-results/secret.txt"), "secret").unwrap();
    FakeCli::play(
        machine.options().session_id(SESSION),
        async |client| client.send("Hello").await?.finish().await,
        async |cli| {
            cli.expect_prompt().await;
            let path = session.with_extension("jsonl");
            mirror_path(cli, path.to_str().unwrap(), &[&entry(0)]).await;
            cli.turn("Hello.").await;
        },
    )
    .await;
    let files = machine.store.files(&machine.session(SESSION)).await;
    assert_eq!(files.unwrap(), []);
}
