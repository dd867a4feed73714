use std::sync::{Arc, Weak};

use bytes::Bytes;
use inhouse_proto::mcp::{CallToolResult, Content};
use inhouse_store::Intent;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::mpsc::UnboundedReceiver;

use super::record::{CallJournal, journal_of};
use crate::mirror::persist;

/// The parts of a message that say something about calls.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    message: Message<'a>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    content: Vec<Block<'a>>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(rename = "type")]
    kind: String,
    id: Option<String>,
    name: Option<String>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    tool_use_id: Option<String>,
    content: Option<Value>,
    #[serde(default)]
    is_error: bool,
}

/// Records the calls of tools outside of this process from the messages of the CLI.
///
/// Neither the CLI nor its tools wait for it, so the last calls before a crash may be missing. Ends when the journal is dropped.
pub(super) async fn observe(journal: Weak<CallJournal>, mut lines: UnboundedReceiver<Box<str>>) {
    while let Some(line) = lines.recv().await {
        let Some(journal) = journal.upgrade() else {
            return;
        };
        if let Err(error) = record(&journal, &line).await {
            tracing::debug!(%error, "call of an external tool not recorded");
        }
    }
}

async fn record(journal: &Arc<CallJournal>, line: &str) -> inhouse_store::Result<()> {
    // The content of a message without calls may be a string.
    let Ok(line) = serde_json::from_str::<Line<'_>>(line) else {
        return Ok(());
    };
    for block in line.message.content {
        let Block {
            id, name, input, ..
        } = &block;
        if let ("tool_use", Some(id), Some(name)) = (&*block.kind, id, name)
            && !journal.is_in_process(name)
        {
            let (session, messages) = journal.messages_at(id);
            let input = input.map_or("{}", RawValue::get).to_owned();
            let intent = Intent::new(id, name, messages, input);
            let epoch = journal.epoch(&session).await?;
            persist(|| journal_of(journal.store()).intend(&session, epoch, &intent)).await?;
            journal.note_observed(session, id);
        } else if let ("tool_result", Some(id)) = (&*block.kind, &block.tool_use_id)
            && let Some(session) = journal.observed(id)
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
fn result_of(block: &Block<'_>) -> Vec<u8> {
    let content = match &block.content {
        Some(Value::String(text)) => vec![Content::text(text)],
        Some(blocks) => serde_json::from_value(blocks.clone()).unwrap_or_default(),
        None => Vec::new(),
    };
    let mut result = CallToolResult::new(content);
    result.is_error = block.is_error;
    serde_json::to_vec(&result).unwrap_or_default()
}
