//! Tool calls are recorded in the journal of a store: before the tool runs, and before its result is sent.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use inhouse::message::Prompt;
use inhouse::tool::{Tool, ToolServer};
use inhouse::{ErrorKind, query};
use inhouse_store::{Intent, Journal as _, JournaledCall, SessionStore as _};
use inhouse_testkit::FakeCli;
use inhouse_testkit::faulty_store::{Fault, StoreCall};
use serde_json::json;

use crate::resume::{Machine, OTHER, SESSION, user};
use crate::support::{failed, idle, seconds, timed};

/// Returns a server with the tool `charge`, and the number of its charges.
fn bank() -> (ToolServer, Arc<AtomicUsize>) {
    let charges = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&charges);
    let charge = Tool::new("charge", "Charges the card", async move || {
        counted.fetch_add(1, Ordering::SeqCst);
        "charged"
    });
    (ToolServer::new("bank").tool(charge), charges)
}

async fn recorded(machine: &Machine) -> Vec<JournaledCall> {
    let session = machine.session(SESSION);
    machine.store.calls(&session).await.unwrap()
}

/// Sends a frame with an entry of the main transcript.
async fn mirror(machine: &Machine, cli: &mut FakeCli, entry: &str) {
    let transcript = machine.path(SESSION, &format!("{SESSION}.jsonl"));
    let entry: serde_json::Value = serde_json::from_str(entry).unwrap();
    cli.send(json!({"type": "transcript_mirror", "filePath": transcript, "entries": [entry]}))
        .await;
}

fn count(charges: &AtomicUsize) -> usize {
    charges.load(Ordering::SeqCst)
}

#[tokio::test(start_paused = true)]
async fn call_is_recorded_before_it_runs_and_its_result_before_the_answer() {
    let machine = &Machine::new();
    let (store, session) = (machine.store.clone(), machine.session(SESSION));
    let charge = Tool::new("charge", "Charges the card", async move || {
        let calls = store.calls(&session).await.unwrap();
        assert_eq!(calls.len(), 1);
        assert!(calls[0].is_open());
        let intent = &calls[0].intent;
        assert_eq!(
            (&*intent.call, &*intent.tool),
            ("toolu_1", "mcp__bank__charge")
        );
        assert_eq!(intent.input, r#"{"cents":5}"#);
        // The transcript has neither the prompt nor the call.
        let messages = String::from_utf8(intent.messages.to_vec()).unwrap();
        let messages: Vec<&str> = messages.lines().collect();
        assert_eq!(messages.len(), 2, "{messages:?}");
        assert!(messages[0].contains("Charge the card."));
        assert!(messages[1].contains("toolu_1"));
        "charged"
    });
    let server = ToolServer::new("bank").tool(charge);
    FakeCli::play(
        machine.options().session_id(SESSION).tool_server(server),
        async |client| client.send("Charge the card.").await?.finish().await,
        async |cli| {
            cli.expect_prompt().await;
            let result = cli.call_tool("bank", "charge", json!({"cents": 5})).await;
            assert_eq!(result.all_text(), "charged");
            let calls = recorded(machine).await;
            let recorded = calls[0].result.clone().unwrap();
            assert!(String::from_utf8_lossy(&recorded).contains("charged"));
            cli.turn("Charged.").await;
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn messages_that_are_stored_are_not_recorded_with_a_call() {
    let machine = &Machine::new();
    let (server, _) = bank();
    FakeCli::play(
        machine.options().session_id(SESSION).tool_server(server),
        async |client| {
            let prompt = Prompt::from("Charge the card.").uuid(OTHER);
            client.send(prompt).await?.finish().await
        },
        async |cli| {
            cli.expect_prompt().await;
            mirror(machine, cli, &user(OTHER, "Charge.")).await;
            idle().await;
            cli.call_tool("bank", "charge", json!({})).await;
            let calls = recorded(machine).await;
            let messages = String::from_utf8_lossy(&calls[0].intent.messages);
            assert!(!messages.contains("Charge the card."), "{messages}");
            assert!(messages.contains("toolu_1"), "{messages}");
            cli.turn("Charged.").await;
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn call_is_forgotten_once_the_result_of_its_turn_is_stored() {
    let machine = &Machine::new();
    let (server, _) = bank();
    FakeCli::play(
        machine.options().session_id(SESSION).tool_server(server),
        async |client| client.send("Charge the card.").await?.finish().await,
        async |cli| {
            cli.expect_prompt().await;
            cli.call_tool("bank", "charge", json!({})).await;
            mirror(machine, cli, &user(OTHER, "Charge.")).await;
            idle().await;
            assert_eq!(recorded(machine).await.len(), 1);
            cli.turn("Charged.").await;
            idle().await;
            assert_eq!(recorded(machine).await.len(), 0);
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn read_only_tool_is_not_recorded() {
    let machine = &Machine::new();
    let read = Tool::new("read", "Reads", async || "nothing").read_only(true);
    let server = ToolServer::new("bank").tool(read);
    let options = machine.options().session_id(SESSION).tool_server(server);
    FakeCli::play_cli(options, async |cli| {
        cli.call_tool("bank", "read", json!({})).await;
    })
    .await;
    assert_eq!(machine.store.faults().calls(StoreCall::Intend), 0);
}

#[tokio::test(start_paused = true)]
async fn tool_does_not_run_if_its_call_cannot_be_recorded() {
    let machine = &Machine::new();
    let (server, charges) = bank();
    let faults = machine.store.faults();
    faults.always(StoreCall::Intend, Fault::Fail);
    let options = machine.options().session_id(SESSION).tool_server(server);
    FakeCli::play_cli(options, async |cli| {
        cli.set_deadline(seconds(600));
        let (result, time) = timed(cli.call_tool("bank", "charge", json!({}))).await;
        assert!(result.is_error);
        assert!(result.all_text().contains("was not run"), "{result:?}");
        assert!(time <= seconds(61), "{time:?}");
        assert_eq!(count(&charges), 0);

        faults.clear();
        faults.next(StoreCall::Intend, Fault::LoseAcknowledgement);
        faults.next(StoreCall::Finish, Fault::LoseAcknowledgement);
        let result = cli.call_tool("bank", "charge", json!({})).await;
        assert_eq!(result.all_text(), "charged");
        assert_eq!(count(&charges), 1);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn result_that_cannot_be_recorded_ends_the_session_unanswered() {
    let machine = &Machine::new();
    let (server, charges) = bank();
    let faults = machine.store.faults();
    faults.always(StoreCall::Finish, Fault::Hang);
    let (end, ()) = FakeCli::play_with(
        async |transport| {
            let options = machine.options().session_id(SESSION).tool_server(server);
            let query = query("Charge.").options(options).transport(transport);
            Ok(failed(query.await?.finish().await))
        },
        async |mut cli| {
            cli.set_deadline(seconds(600));
            cli.accept().await;
            cli.expect_prompt().await;
            cli.begin_tool_call("bank", "charge", json!({})).await;
            cli.expect_kill().await;
        },
    )
    .await;
    assert_eq!(end.kind(), ErrorKind::Store, "{end}");
    assert_eq!(count(&charges), 1);
    let calls = recorded(machine).await;
    assert!(calls[0].is_open());
}

#[tokio::test(start_paused = true)]
async fn fenced_host_neither_runs_nor_answers_a_call() {
    let machine = &Machine::new();
    let (server, charges) = bank();
    let (end, ()) = FakeCli::play_with(
        async |transport| {
            let options = machine.options().session_id(SESSION).tool_server(server);
            let query = query("Charge.").options(options).transport(transport);
            Ok(failed(query.await?.finish().await))
        },
        async |mut cli| {
            cli.accept().await;
            cli.expect_prompt().await;
            let inner = machine.store.inner();
            inner.fence(&machine.session(SESSION), None).await.unwrap();
            cli.begin_tool_call("bank", "charge", json!({})).await;
            cli.expect_kill().await;
        },
    )
    .await;
    assert_eq!(end.kind(), ErrorKind::Fenced, "{end}");
    assert_eq!(count(&charges), 0);
}

#[tokio::test(start_paused = true)]
async fn call_that_has_finished_before_is_answered_without_running() {
    let machine = &Machine::new();
    let session = machine.session(SESSION);
    let store = machine.store.inner();
    let epoch = store.fence(&session, None).await.unwrap();
    let intent = Intent::new("toolu_1", "mcp__bank__charge", "", "{}");
    store.intend(&session, epoch, &intent).await.unwrap();
    let result = r#"{"content":[{"type":"text","text":"charged before"}]}"#;
    let finished = store.finish(&session, epoch, "toolu_1", result.into());
    finished.await.unwrap();
    machine.keep(SESSION, None, &[user(OTHER, "Charge.")]).await;

    let (server, charges) = bank();
    let options = machine.options().resume(SESSION).tool_server(server);
    FakeCli::play_cli(options, async |cli| {
        let result = cli.call_tool("bank", "charge", json!({})).await;
        assert_eq!(result.all_text(), "charged before");
        let result = cli.call_tool("bank", "charge", json!({})).await;
        assert_eq!(result.all_text(), "charged");
    })
    .await;
    assert_eq!(count(&charges), 1);
}

#[tokio::test(start_paused = true)]
async fn calls_of_other_tools_are_recorded_without_waiting() {
    let machine = &Machine::new();
    let message = |kind: &str, block| {
        let message = json!({"role": kind, "content": [block]});
        json!({"type": kind, "uuid": uuid(), "parent_tool_use_id": null, "message": message})
    };
    let input = json!({"command": "make"});
    let call = json!({"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": input});
    let result = json!({"type": "tool_result", "tool_use_id": "toolu_1", "content": "made"});
    FakeCli::play(
        machine.options().session_id(SESSION),
        async |client| client.send("Make it.").await?.finish().await,
        async |cli| {
            cli.expect_prompt().await;
            cli.send(message("assistant", call)).await;
            idle().await;
            let calls = recorded(machine).await;
            assert_eq!(calls.len(), 1);
            assert!(calls[0].is_open());
            assert_eq!(calls[0].intent.tool, "Bash");
            assert_eq!(calls[0].intent.input, r#"{"command":"make"}"#);
            let messages = String::from_utf8_lossy(&calls[0].intent.messages).into_owned();
            assert!(messages.contains("Make it.") && messages.contains("toolu_1"));

            cli.send(message("user", result)).await;
            idle().await;
            let recorded_result = recorded(machine).await[0].result.clone().unwrap();
            assert!(String::from_utf8_lossy(&recorded_result).contains("made"));
            cli.turn("Made.").await;
            idle().await;
            assert_eq!(recorded(machine).await.len(), 0);
        },
    )
    .await;
}

fn uuid() -> String {
    uuid::Uuid::new_v4().to_string()
}

#[tokio::test(start_paused = true)]
async fn tool_of_a_server_with_other_characters_is_recorded_once() {
    let machine = &Machine::new();
    let charge = Tool::new("charge", "Charges the card", async || "charged");
    let server = ToolServer::new("my.bank").tool(charge);
    let options = machine.options().session_id(SESSION).tool_server(server);
    FakeCli::play_cli(options, async |cli| {
        let name = "mcp__my_bank__charge";
        let call = json!({"type": "tool_use", "id": "toolu_1", "name": name, "input": {}});
        let message = json!({"role": "assistant", "content": [call]});
        cli.send(json!({"type": "assistant", "uuid": uuid(), "message": message}))
            .await;
        idle().await;
        // As the observer of other tools would have recorded it.
        assert_eq!(recorded(machine).await.len(), 0);
        cli.call_tool("my.bank", "charge", json!({})).await;
        assert_eq!(
            recorded(machine).await[0].intent.tool,
            "mcp__my.bank__charge"
        );
        assert_eq!(machine.store.faults().calls(StoreCall::Finish), 1);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn queued_prompt_is_not_recorded_with_a_call() {
    let machine = &Machine::new();
    let (server, _) = bank();
    FakeCli::play(
        machine.options().session_id(SESSION).tool_server(server),
        async |client| {
            client.control().send("First.").await?;
            client.control().send("Second.").await
        },
        async |cli| {
            let first = cli.expect_prompt().await;
            cli.expect_prompt().await;
            let uuid = first.uuid().unwrap().to_owned();
            cli.send(
                json!({"type": "command_lifecycle", "command_uuid": uuid, "state": "started"}),
            )
            .await;
            mirror(machine, cli, &user(&uuid, "First.")).await;
            idle().await;
            cli.call_tool("bank", "charge", json!({})).await;
            let calls = recorded(machine).await;
            let messages = String::from_utf8_lossy(&calls[0].intent.messages);
            assert!(!messages.contains("Second."), "{messages}");
            cli.turn("One.").await;
            cli.turn("Two.").await;
            idle().await;
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn close_waits_until_a_result_is_recorded() {
    let machine = &Machine::new();
    let (server, _) = bank();
    let faults = machine.store.faults();
    faults.always(StoreCall::Finish, Fault::Delay(seconds(10)));
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let options = machine.options().session_id(SESSION).tool_server(server);
        let mut client = inhouse::Client::connect_with(options, transport).await?;
        drop(client.send("Charge.").await?);
        while faults.calls(StoreCall::Finish) == 0 {
            idle().await;
        }
        client.close().await
    };
    let cli = async {
        cli.set_deadline(seconds(600));
        cli.accept().await;
        cli.expect_prompt().await;
        cli.begin_tool_call("bank", "charge", json!({})).await;
        cli.expect_request("interrupt").await.succeed_empty().await;
        cli.expect_end_of_input().await;
    };
    let (closed, ()) = inhouse_testkit::fake::join(host, cli).await;
    closed.unwrap();
    assert!(!recorded(machine).await[0].is_open());
}

/// The acknowledgement of the store is there when a host continues that was stopped for longer than its lease.
#[tokio::test(start_paused = true)]
async fn recorded_call_is_not_run_after_the_end_of_the_lease() {
    let machine = &Machine::new();
    let (server, charges) = bank();
    let slow = Fault::Delay(seconds(5));
    machine.store.faults().always(StoreCall::Intend, slow);
    let (transport, mut cli) = FakeCli::new();
    let options = machine.options().session_id(SESSION).tool_server(server);
    let host = async {
        let query = query("Hello").options(options).transport(transport);
        query.await?.finish().await
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.state("running").await;
        cli.begin_tool_call("bank", "charge", json!({})).await;
        idle().await;
        tokio::time::advance(seconds(40)).await;
        cli.expect_kill().await;
    };
    let (outcome, ()) = inhouse_testkit::fake::join(host, cli).await;
    assert_eq!(failed(outcome).kind(), ErrorKind::Fenced);
    assert_eq!(count(&charges), 0);
}
