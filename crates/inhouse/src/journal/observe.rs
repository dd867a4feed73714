use std::collections::HashMap;
use std::sync::Weak;

use bytes::Bytes;
use inhouse_proto::mcp::{CallToolResult, Content};
use inhouse_proto::wire::parse_json;
use inhouse_store::{Intent, SessionKey};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::mpsc::Receiver;

use super::record::{CallJournal, journal_of};
use crate::mirror::persist;

/// A message of the main conversation that has calls or results.
pub(super) struct ObservedMessage {
    pub(super) session: SessionKey,
    pub(super) line: Box<str>,
}

/// The parts of a message that say something about calls.
#[derive(Deserialize)]
struct Line {
    message: Message,
}

#[derive(Deserialize)]
struct Message {
    content: Vec<Block>,
}

#[derive(Deserialize)]
struct Block {
    #[serde(rename = "type")]
    kind: String,
    id: Option<String>,
    name: Option<String>,
    input: Option<Value>,
    tool_use_id: Option<String>,
    content: Option<Value>,
    #[serde(default)]
    is_error: bool,
}

/// Records the calls of tools outside of this process from the messages of the CLI.
///
/// Neither the CLI nor its tools wait for it, so the last calls before a crash may be missing. Ends when the journal is dropped.
pub(super) async fn observe(journal: Weak<CallJournal>, mut messages: Receiver<ObservedMessage>) {
    let mut open = HashMap::new();
    while let Some(message) = messages.recv().await {
        let Some(journal) = journal.upgrade() else {
            return;
        };
        if let Err(error) = record(&journal, &message, &mut open).await {
            tracing::debug!(%error, "call of an external tool not recorded");
        }
    }
}

/// Records the calls and the results of a message. `open` has the recorded calls without a result.
async fn record(
    journal: &CallJournal,
    message: &ObservedMessage,
    open: &mut HashMap<String, SessionKey>,
) -> inhouse_store::Result<()> {
    // The content of a message without calls may be a string.
    let Ok(line) = parse_json::<Line>(&message.line) else {
        return Ok(());
    };
    for block in line.message.content {
        if let ("tool_use", Some(id), Some(name)) = (&*block.kind, &block.id, &block.name)
            && !journal.is_in_process(name)
        {
            let input = block.input.unwrap_or_default().to_string();
            let intent = |messages| Intent::new(id, name, messages, input);
            journal.intend(&message.session, id, intent).await?;
            journal.note_settled(message.session.clone(), id.clone());
            open.insert(id.clone(), message.session.clone());
        } else if let ("tool_result", Some(id)) = (&*block.kind, &block.tool_use_id)
            && let Some(session) = open.remove(id)
        {
            let epoch = journal.epoch(&session).await?;
            let result = Bytes::from(result_of(&block));
            let finish = || journal_of(journal.store()).finish(&session, epoch, id, result.clone());
            persist(finish).await?;
        }
    }
    Ok(())
}

/// Returns the result of a call as the result of an MCP tool.
fn result_of(block: &Block) -> Vec<u8> {
    let content = match &block.content {
        Some(Value::String(text)) => vec![Content::text(text)],
        Some(blocks) => serde_json::from_value(blocks.clone()).unwrap_or_default(),
        None => Vec::new(),
    };
    let mut result = CallToolResult::new(content);
    result.is_error = block.is_error;
    serde_json::to_vec(&result).unwrap_or_default()
}
