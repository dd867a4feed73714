use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use inhouse_proto::mcp::CallToolResult;
use inhouse_proto::session::{StreamedMessage, TranscriptRepair};
use inhouse_store::{Epoch, JournaledCall, SessionKey, SessionStore};
use uuid::Uuid;

use super::record::{journal_of, tool_name};
use crate::error::Result;
use crate::mcp::Server;
use crate::mirror::persist;
use crate::resume::store_error;
use crate::tool::{Interrupted, Repair};

/// The calls in the journal of a session that is resumed.
pub(crate) struct InterruptedCalls<'a> {
    store: &'a dyn SessionStore,
    session: &'a SessionKey,
    servers: &'a [(String, Arc<dyn Server>)],
    calls: Vec<JournaledCall>,
}

/// A call that a subagent made, and the call that started the subagent.
struct SubagentCall {
    parent: String,
    report: String,
}

impl<'a> InterruptedCalls<'a> {
    /// Reads the journal of a session; there are no calls if the store has no journal.
    pub(crate) async fn read(
        store: &'a dyn SessionStore,
        session: &'a SessionKey,
        servers: &'a [(String, Arc<dyn Server>)],
    ) -> Result<Self> {
        let calls = match store.journal() {
            Some(journal) => persist(|| journal.calls(session)).await,
            None => Ok(Vec::new()),
        };
        Ok(Self {
            store,
            session,
            servers,
            calls: calls.map_err(store_error)?,
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Returns the ids of the calls.
    pub(crate) fn ids(&self) -> Vec<String> {
        let calls = self.calls.iter();
        calls.map(|call| call.intent.call.clone()).collect()
    }

    /// Returns the entries that the transcript lacks: the messages up to each call, and the results of the calls.
    ///
    /// An open call is passed to its tool, and what the tool returns is recorded under this epoch. Without an epoch, as
    /// in a fork, the original session may still run on another host, so its open calls are left alone.
    pub(crate) async fn entries(
        self,
        transcript: &mut TranscriptRepair,
        epoch: Option<Epoch>,
    ) -> Result<Vec<Bytes>> {
        let now = SystemTime::now();
        let mut entries = Vec::new();
        for call in &self.calls {
            let messages = String::from_utf8_lossy(&call.intent.message);
            entries.extend(
                messages
                    .lines()
                    .filter_map(|line| transcript.message(line, now)),
            );
        }
        let mut of_subagents = Vec::new();
        for call in &self.calls {
            let id = &call.intent.call;
            let parent = subagent_of(call).filter(|parent| transcript.is_open(parent));
            if !transcript.is_open(id) && parent.is_none() {
                continue;
            }
            let Some(result) = self.result(call, epoch).await? else {
                continue;
            };
            match parent {
                Some(parent) => of_subagents.push(SubagentCall {
                    parent,
                    report: report(call, &result),
                }),
                None => {
                    let uuid = Uuid::new_v4().as_u128();
                    entries.extend(transcript.result(id, &result, uuid, now));
                }
            }
        }
        while let Some(SubagentCall { parent, .. }) = of_subagents.first() {
            let parent = parent.clone();
            let (own, others) = of_subagents
                .into_iter()
                .partition(|call: &SubagentCall| call.parent == parent);
            of_subagents = others;
            let reports: Vec<String> = own.into_iter().map(|call| call.report).collect();
            let text = format!(
                "The subagent was interrupted before it returned. It had made these calls:\n{}",
                reports.join("\n")
            );
            let uuid = Uuid::new_v4().as_u128();
            entries.extend(transcript.result(&parent, &CallToolResult::error(text), uuid, now));
        }
        Ok(entries.into_iter().map(Bytes::from).collect())
    }

    /// Returns the recorded result of a call, or asks its tool and records the answer.
    async fn result(
        &self,
        call: &JournaledCall,
        epoch: Option<Epoch>,
    ) -> Result<Option<CallToolResult>> {
        if let Some(result) = &call.result {
            let unreadable = || Repair::unknown().into_result();
            let result = serde_json::from_slice(result).unwrap_or_else(|_| unreadable());
            return Ok(Some(result));
        }
        let Some(epoch) = epoch else {
            return Ok(None);
        };
        let result = self.ask(call).await.into_result();
        let recorded = Bytes::from(serde_json::to_vec(&result).unwrap_or_default());
        let (session, id) = (self.session, &*call.intent.call);
        persist(|| journal_of(self.store).finish(session, epoch, id, recorded.clone()))
            .await
            .map_err(store_error)?;
        Ok(Some(result))
    }

    /// Asks the tool of an open call what became of it.
    async fn ask(&self, call: &JournaledCall) -> Repair {
        let tool = &call.intent.tool;
        let asked = self.servers.iter().find_map(|(key, server)| {
            let name = tool.strip_prefix(&tool_name(key, ""))?;
            let interrupted = Interrupted {
                id: call.intent.call.clone(),
                input: serde_json::from_slice(&call.intent.input).unwrap_or_default(),
            };
            server.repair(name, interrupted)
        });
        let Some(asked) = asked else {
            return Repair::unknown();
        };
        asked.await.unwrap_or_else(|error| {
            tracing::warn!(tool, "outcome of an interrupted call not found");
            tracing::trace!(tool, %error, "handler error");
            Repair::unknown()
        })
    }
}

/// Returns the call that started the subagent which made a call; `None` in the main conversation.
fn subagent_of(call: &JournaledCall) -> Option<String> {
    let messages = String::from_utf8_lossy(&call.intent.message);
    let message = StreamedMessage::read(&messages)?;
    message.parent_tool_use_id.map(Into::into)
}

/// Returns a line for the model about a call of a subagent.
fn report(call: &JournaledCall, result: &CallToolResult) -> String {
    let input = String::from_utf8_lossy(&call.intent.input);
    let outcome = match result.is_error {
        true => "failed: ",
        false => "",
    };
    let result = match &result.structured_content {
        Some(data) => data.to_string(),
        None => result.all_text(),
    };
    format!("- {}({input}): {outcome}{result}", call.intent.tool)
}
