//! The fake CLI of a turn: it calls the tool once, and answers with its result.

use std::path::Path;

use inhouse_fleet::Work;
use inhouse_testkit::{FakeCli, FakeTransport};
use serde_json::{Value, json};
use uuid::Uuid;

/// Opens a CLI in memory that plays the turn of a work item.
pub(crate) fn open(work: &Work) -> FakeTransport {
    let (transport, cli) = FakeCli::new();
    tokio::spawn(play(cli, work.clone()));
    transport
}

async fn play(mut cli: FakeCli, work: Work) {
    cli.accept().await;
    let prompt = cli.expect_prompt().await;
    let mut result = None;
    if prompt.uuid() == Some(&*work.id.to_string()) {
        begin_transcript(&mut cli, &work).await;
    } else {
        // The prompt of a turn that was cut off is not sent again; another one continues it.
        println!("{}: the turn of another worker is continued", work.session);
        result = stored_result(&cli, &work);
    }
    let result = match result {
        Some(result) => result,
        None => call_tool(&mut cli, &work).await,
    };
    cli.turn(&format!("The bank says: {result}.")).await;
    cli.expect_end_of_input().await;
}

/// Reports the prompt for the transcript, as the CLI does when a turn begins.
async fn begin_transcript(cli: &mut FakeCli, work: &Work) {
    let entry = json!({
        "type": "user",
        "uuid": work.id.to_string(),
        "message": {"role": "user", "content": work.prompt},
    });
    let path = transcript(cli, work);
    cli.send(json!({"type": "transcript_mirror", "filePath": path, "entries": [entry]}))
        .await;
}

/// Calls the tool as the CLI does: with a message of the model, and a request to the server in the host's process.
async fn call_tool(cli: &mut FakeCli, work: &Work) -> String {
    let words = work.prompt.split(' ');
    let dollars: i32 = words.filter_map(|word| word.parse::<i32>().ok()).sum();
    let (id, input) = (call_id(work), json!({"dollars": dollars}));
    let block = json!({"type": "tool_use", "id": id, "name": "mcp__bank__charge", "input": input});
    cli.send(json!({
        "type": "assistant",
        "message": {"role": "assistant", "model": "fake", "content": [block]},
        "parent_tool_use_id": null,
        "session_id": work.session_id().to_string(),
        "uuid": Uuid::new_v4().to_string(),
    }))
    .await;
    let call = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "charge", "arguments": input, "_meta": {"claudecode/toolUseId": id}},
    });
    let request = cli.mcp_message("bank", call).await;
    let answer = cli.expect_answer(&request).await.payload();
    let result = &answer["mcp_response"]["result"]["content"][0]["text"];
    result.as_str().unwrap_or("no result").to_owned()
}

/// Returns the result of the call in the transcript that the host has prepared: what the model would see.
fn stored_result(cli: &FakeCli, work: &Work) -> Option<String> {
    let text = std::fs::read_to_string(transcript(cli, work)).ok()?;
    let entries = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    let mut results = entries.filter_map(|entry: Value| {
        let block = &entry["message"]["content"][0];
        let is_result = block["tool_use_id"] == call_id(work);
        is_result.then(|| text_of(&block["content"]))
    });
    results.next()
}

/// Returns the id of the one call of a turn.
fn call_id(work: &Work) -> String {
    format!("toolu_{}", work.id.as_uuid().simple())
}

/// Returns the text of the content of a result, which is a text or a list of blocks.
fn text_of(content: &Value) -> String {
    let block = content[0]["text"].as_str();
    block.or(content.as_str()).unwrap_or_default().to_owned()
}

/// Returns the path of the transcript, below the directory that the host names.
fn transcript(cli: &FakeCli, work: &Work) -> String {
    let directory = cli.launched().env("CLAUDE_CONFIG_DIR").unwrap_or_default();
    let project = cli.launched().env("CLAUDE_CODE_PROJECT_DIR_NAME");
    let path = Path::new(directory)
        .join("projects")
        .join(project.unwrap_or_default());
    let path = path.join(format!("{}.jsonl", work.session_id()));
    path.to_string_lossy().into_owned()
}
