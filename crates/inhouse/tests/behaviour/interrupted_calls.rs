//! A resumed session gets the calls and the results that its transcript lacks, because its host was killed.

use std::fs;

use inhouse::message::Prompt;
use inhouse::tool::{
    Call, Extract, Input, Interrupted, Repair, State, Tool, ToolError, ToolServer,
};
use inhouse::{Options, query};
use inhouse_store::{Intent, Journal as _, Leases as _, SessionStore as _};
use inhouse_testkit::FakeCli;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::mirror::stored;
use crate::resume::{Machine, OTHER, SESSION, user};

/// Returns the message with which the model makes a call.
fn call(uuid: &str, id: &str, parent: Option<&str>) -> String {
    json!({
        "type": "assistant",
        "uuid": uuid,
        "parent_tool_use_id": parent,
        "message": {"id": "m1", "content": [
            {"type": "tool_use", "id": id, "name": "mcp__bank__charge", "input": {"cents": 5}},
        ]},
    })
    .to_string()
}

/// Records a call as a host that was killed.
async fn record(machine: &Machine, id: &str, messages: &[String], result: Option<&str>) {
    let session = machine.session(SESSION);
    let store = machine.store.inner();
    let epoch = store.fence(&session, None).await.unwrap();
    let messages = messages.join("\n");
    let intent = Intent::new(id, "mcp__bank__charge", messages, r#"{"cents":5}"#);
    store.intend(&session, epoch, &intent).await.unwrap();
    if let Some(text) = result {
        let result = json!({"content": [{"type": "text", "text": text}]}).to_string();
        let finished = store.finish(&session, epoch, id, result.into());
        finished.await.unwrap();
    }
}

/// Resumes the session with the prompt, and returns the entries on disk when the CLI starts.
async fn resume(machine: &Machine, options: Options) -> Vec<Value> {
    let (_, entries) = FakeCli::play_with(
        async |transport| {
            let prompt = Prompt::from("Charge.").uuid(OTHER);
            let query = query(prompt).options(options).transport(transport);
            query.await?.finish().await
        },
        async |mut cli| {
            cli.accept().await;
            assert!(cli.launched().has_arg(&format!("--resume={SESSION}")));
            let sent = cli.expect_prompt().await;
            assert!(sent.text().contains("Continue"), "{}", sent.text());
            let path = machine.path(SESSION, &format!("{SESSION}.jsonl"));
            let text = fs::read_to_string(path).unwrap();
            cli.turn("Charged.").await;
            text.lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect::<Vec<Value>>()
        },
    )
    .await;
    let main = machine.session(SESSION).main();
    let in_store = stored(&machine.store, &main).await;
    let in_store: Vec<Value> = in_store
        .iter()
        .map(|entry| serde_json::from_str(entry).unwrap())
        .collect();
    assert_eq!(in_store, entries);
    entries
}

/// Returns the content and the error flag of a tool result.
fn result(entry: &Value) -> (&str, bool) {
    let block = &entry["message"]["content"][0];
    assert_eq!(block["type"], "tool_result", "{entry}");
    let text = block["content"][0]["text"].as_str().unwrap();
    (text, block["is_error"] == true)
}

#[tokio::test(start_paused = true)]
async fn finished_call_is_added_with_its_result() {
    let machine = &Machine::new();
    machine.keep(SESSION, None, &[user(OTHER, "Charge.")]).await;
    record(
        machine,
        "toolu_1",
        &[call("a1", "toolu_1", None)],
        Some("charged"),
    )
    .await;

    let entries = resume(machine, machine.options().resume(SESSION)).await;
    assert_eq!(entries.len(), 3);
    assert_eq!(entries[1]["uuid"], "a1");
    assert_eq!(entries[1]["parentUuid"], OTHER);
    assert_eq!(entries[2]["parentUuid"], "a1");
    assert_eq!(result(&entries[2]), ("charged", false));

    // Once: the second resume finds everything in the transcript.
    let holder = machine.store.holder(&machine.session(SESSION)).await;
    assert_eq!(holder.unwrap(), None);
    let again = FakeCli::play_cli(machine.options().resume(SESSION), async |_| {
        let path = machine.path(SESSION, &format!("{SESSION}.jsonl"));
        fs::read_to_string(path).unwrap().lines().count()
    })
    .await;
    assert_eq!(again, 3);
}

#[tokio::test(start_paused = true)]
async fn session_that_was_killed_before_anything_was_stored_is_resumed() {
    let machine = &Machine::new();
    let messages = [user(OTHER, "Charge."), call("a1", "toolu_1", None)];
    record(machine, "toolu_1", &messages, Some("charged")).await;

    let entries = resume(machine, machine.options().session_id(SESSION)).await;
    assert_eq!(entries.len(), 3);
    assert_eq!(entries[0]["uuid"], OTHER);
    assert_eq!(entries[0]["parentUuid"], Value::Null);
    assert_eq!(result(&entries[2]), ("charged", false));
}

#[tokio::test(start_paused = true)]
async fn open_call_without_a_handler_has_an_unknown_outcome() {
    let machine = &Machine::new();
    machine.keep(SESSION, None, &[user(OTHER, "Charge.")]).await;
    record(machine, "toolu_1", &[call("a1", "toolu_1", None)], None).await;

    let entries = resume(machine, machine.options().resume(SESSION)).await;
    let (text, is_error) = result(&entries[2]);
    assert!(is_error && text.contains("outcome is unknown"), "{text}");
    // The transcript has it now.
    let calls = machine.store.calls(&machine.session(SESSION)).await;
    assert_eq!(calls.unwrap(), []);
}

#[derive(Deserialize, JsonSchema)]
struct Charge {
    cents: u64,
}

fn bank(machine: &Machine, on_interrupted: Tool<u64>) -> Options {
    let server = ToolServer::with_state("bank", 7).tool(on_interrupted);
    machine.options().resume(SESSION).tool_server(server)
}

fn charge() -> Tool<u64> {
    Tool::new("charge", "Charges the card", async || "charged")
}

#[tokio::test(start_paused = true)]
async fn open_call_is_passed_to_its_tool() {
    let machine = &Machine::new();
    machine.keep(SESSION, None, &[user(OTHER, "Charge.")]).await;
    record(machine, "toolu_1", &[call("a1", "toolu_1", None)], None).await;

    let tool = charge().on_interrupted(
        async |State(state): State<u64>,
               Input(Charge { cents }): Input<Charge>,
               call: Interrupted| {
            assert_eq!(
                (state, &*call.id, &call.input),
                (7, "toolu_1", &json!({"cents": 5}))
            );
            Ok(Repair::result(format!("found {cents} cents")))
        },
    );
    let entries = resume(machine, bank(machine, tool)).await;
    assert_eq!(result(&entries[2]), ("found 5 cents", false));
}

/// A parameter that cannot be extracted.
struct Panicking;

impl<S> Extract<S> for Panicking {
    fn extract(_: &Call<'_, S>) -> Result<Self, ToolError> {
        panic!("secret")
    }
}

#[tokio::test(start_paused = true)]
async fn failing_handler_of_an_open_call_means_an_unknown_outcome() {
    let wait = async |_: Interrupted| {
        std::future::pending::<()>().await;
        Ok::<_, ToolError>(Repair::not_run())
    };
    let handlers = [
        charge().on_interrupted(async |_: Interrupted| Err(ToolError::new("secret"))),
        charge().on_interrupted(async |call: Interrupted| -> Result<Repair, ToolError> {
            panic!("secret {}", call.id)
        }),
        charge().on_interrupted(async |_: Panicking, _: Interrupted| Ok(Repair::not_run())),
        charge().on_interrupted(wait),
        charge()
            .on_interrupted(wait)
            .timeout(std::time::Duration::from_secs(5)),
    ];
    for handler in handlers {
        let machine = &Machine::new();
        machine.keep(SESSION, None, &[user(OTHER, "Charge.")]).await;
        record(machine, "toolu_1", &[call("a1", "toolu_1", None)], None).await;
        let entries = resume(machine, bank(machine, handler)).await;
        let (text, is_error) = result(&entries[2]);
        assert!(is_error && text.contains("outcome is unknown"), "{text}");
        assert!(!text.contains("secret"), "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn results_of_parallel_calls_follow_their_calls() {
    let machine = &Machine::new();
    machine.keep(SESSION, None, &[user(OTHER, "Charge.")]).await;
    let [first, second] =
        [("a1", "toolu_1"), ("a2", "toolu_2")].map(|(uuid, id)| call(uuid, id, None));
    record(
        machine,
        "toolu_1",
        std::slice::from_ref(&first),
        Some("one"),
    )
    .await;
    record(machine, "toolu_2", &[first, second], Some("two")).await;

    let entries = resume(machine, machine.options().resume(SESSION)).await;
    let shape: Vec<_> = entries[1..]
        .iter()
        .map(|entry| (&entry["type"], &entry["parentUuid"]))
        .collect();
    assert_eq!(shape[0], (&json!("assistant"), &json!(OTHER)));
    assert_eq!(shape[1], (&json!("assistant"), &json!("a1")));
    assert_eq!(shape[2], (&json!("user"), &json!("a1")));
    assert_eq!(shape[3], (&json!("user"), &json!("a2")));
    assert_eq!(result(&entries[3]), ("one", false));
    assert_eq!(result(&entries[4]), ("two", false));
}

/// Records a call of a tool outside of this process.
async fn record_other(machine: &Machine, id: &str, tool: &str, messages: &[String]) {
    let session = machine.session(SESSION);
    let store = machine.store.inner();
    let epoch = store.fence(&session, None).await.unwrap();
    let intent = Intent::new(id, tool, messages.join("\n"), "{}");
    store.intend(&session, epoch, &intent).await.unwrap();
}

fn agent_call() -> String {
    json!({
        "type": "assistant",
        "uuid": "a0",
        "message": {"content": [{"type": "tool_use", "id": "toolu_0", "name": "Agent"}]},
    })
    .to_string()
}

#[tokio::test(start_paused = true)]
async fn calls_of_a_subagent_are_reported_as_the_result_of_its_call() {
    for is_in_transcript in [false, true] {
        let machine = &Machine::new();
        let entries = [user(OTHER, "Charge."), agent_call()];
        let stored = if is_in_transcript { 2 } else { 1 };
        machine.keep(SESSION, None, &entries[..stored]).await;
        record_other(machine, "toolu_0", "Agent", &[agent_call()]).await;
        for (uuid, id, text) in [("a1", "toolu_1", Some("charged")), ("a2", "toolu_2", None)] {
            record(machine, id, &[call(uuid, id, Some("toolu_0"))], text).await;
        }

        let entries = resume(machine, machine.options().resume(SESSION)).await;
        assert_eq!(entries.len(), 3);
        assert_eq!(entries[2]["parentUuid"], "a0");
        let (text, is_error) = result(&entries[2]);
        assert!(is_error, "{text}");
        assert!(
            text.contains(r#"mcp__bank__charge({"cents":5}): charged"#),
            "{text}"
        );
        assert!(text.contains("outcome is unknown"), "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn open_call_of_a_subagent_in_the_background_is_noticed() {
    let machine = &Machine::new();
    let launched = json!({
        "type": "user",
        "uuid": "r0",
        "message": {"content": [{"type": "tool_result", "tool_use_id": "toolu_0"}]},
    });
    let entries = [user(OTHER, "Charge."), agent_call(), launched.to_string()];
    machine.keep(SESSION, None, &entries).await;
    for (uuid, id, text) in [("a1", "toolu_1", Some("charged")), ("a2", "toolu_2", None)] {
        record(machine, id, &[call(uuid, id, Some("toolu_0"))], text).await;
    }

    let entries = resume(machine, machine.options().resume(SESSION)).await;
    assert_eq!(entries.len(), 4);
    assert_eq!(entries[3]["isMeta"], true);
    let text = entries[3]["message"]["content"].as_str().unwrap();
    assert!(text.contains("outcome is unknown"), "{text}");
    assert!(!text.contains(": charged"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn other_call_is_added_only_if_the_transcript_lacks_it() {
    for is_in_transcript in [false, true] {
        let machine = &Machine::new();
        let bash = json!({
            "type": "assistant",
            "uuid": "a1",
            "message": {"content": [{"type": "tool_use", "id": "toolu_1", "name": "Bash"}]},
        })
        .to_string();
        let entries = [user(OTHER, "Make."), bash.clone()];
        let stored = if is_in_transcript { 2 } else { 1 };
        machine.keep(SESSION, None, &entries[..stored]).await;
        record_other(machine, "toolu_1", "Bash", &[bash]).await;

        let entries = resume(machine, machine.options().resume(SESSION)).await;
        // The CLI shows a call in its transcript as interrupted, and continues a deferred one.
        assert_eq!(entries.len(), if is_in_transcript { 2 } else { 3 });
    }
}

#[tokio::test(start_paused = true)]
async fn arguments_with_a_lone_surrogate_reach_the_handler() {
    let machine = &Machine::new();
    machine.keep(SESSION, None, &[user(OTHER, "Charge.")]).await;
    let session = machine.session(SESSION);
    let store = machine.store.inner();
    let epoch = store.fence(&session, None).await.unwrap();
    let input = r#"{"cents":5,"note":"\ud83d"}"#;
    let message = call("a1", "toolu_1", None);
    let intent = Intent::new("toolu_1", "mcp__bank__charge", message, input);
    store.intend(&session, epoch, &intent).await.unwrap();

    let tool = charge().on_interrupted(async |call: Interrupted| {
        assert_eq!(call.input["note"], "\u{fffd}");
        Ok(Repair::result("found"))
    });
    let entries = resume(machine, bank(machine, tool)).await;
    assert_eq!(result(&entries[2]), ("found", false));
}

#[tokio::test(start_paused = true)]
async fn fork_leaves_open_calls_of_the_original_alone() {
    let machine = &Machine::new();
    machine.keep(SESSION, None, &[user(OTHER, "Charge.")]).await;
    record(
        machine,
        "toolu_1",
        &[call("a1", "toolu_1", None)],
        Some("charged"),
    )
    .await;
    record(machine, "toolu_2", &[call("a2", "toolu_2", None)], None).await;

    let asked = async |_: Interrupted| -> Result<Repair, ToolError> { panic!("asked by a fork") };
    let options = bank(machine, charge().on_interrupted(asked)).fork_session(true);
    FakeCli::play_cli(options, async |cli| {
        let directory = cli.launched().env("CLAUDE_CONFIG_DIR").unwrap().to_owned();
        let project = std::path::Path::new(&directory)
            .join("projects")
            .join(machine.project().as_str());
        let text = fs::read_to_string(project.join(format!("{SESSION}.jsonl"))).unwrap();
        assert!(text.contains("charged"), "{text}");
        assert!(
            text.contains("toolu_2") && !text.contains("unknown"),
            "{text}"
        );
    })
    .await;
    let session = machine.session(SESSION);
    assert!(machine.store.calls(&session).await.unwrap()[1].is_open());
    assert_eq!(stored(&machine.store, &session.main()).await.len(), 1);
}
