use std::collections::{BTreeMap, HashSet};
use std::future::Future;
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use inhouse_proto::mcp::CallToolResult;
use inhouse_proto::session::{StreamedMessage, TranscriptRepair};
use inhouse_proto::wire::parse_json;
use inhouse_store::{Epoch, JournaledCall, SessionKey, SessionStore};
use tokio::task::JoinSet;
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
        let new_id = || Uuid::new_v4().as_u128();
        let left_to_cli = self.left_to_cli(transcript);
        let mut entries = Vec::new();
        for call in &self.calls {
            let messages = String::from_utf8_lossy(&call.intent.messages);
            let messages = messages.lines();
            entries.extend(messages.filter_map(|line| transcript.message(line, now)));
        }
        let is_needed = |call: &&JournaledCall| {
            let id = &*call.intent.call;
            match subagent_of(call) {
                // Of a subagent that has returned, only a call in the background can be open.
                Some(parent) => {
                    let has_returned = transcript.has_call(&parent) && !transcript.is_open(&parent);
                    call.is_open() || !has_returned
                }
                None => transcript.is_open(id) && !left_to_cli.contains(id),
            }
        };
        let needed: Vec<&JournaledCall> = self.calls.iter().filter(is_needed).collect();
        let results = self.results(&needed, epoch).await?;

        // The calls of each subagent, by the call that started it.
        let mut reports: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (call, result) in needed.iter().zip(&results) {
            if let (Some(parent), Some(result)) = (subagent_of(call), result) {
                let report = report(call, result);
                reports.entry(parent).or_default().push(report);
            }
        }
        for (parent, calls) in reports {
            let text = format!(
                "The subagent was interrupted. It had made these calls:\n{}",
                calls.join("\n")
            );
            entries.extend(match transcript.is_open(&parent) {
                true => transcript.result(&parent, &CallToolResult::error(text), new_id(), now),
                // The subagent ran in the background, or was started by another one.
                false => transcript.notice(&text, new_id(), now),
            });
        }
        for (call, result) in needed.iter().zip(&results) {
            if let (None, Some(result)) = (subagent_of(call), result) {
                let entry = transcript.result(&call.intent.call, result, new_id(), now);
                entries.extend(entry);
            }
        }
        Ok(entries.into_iter().map(Bytes::from).collect())
    }

    /// Returns the open calls outside of this process that the transcript has.
    ///
    /// The CLI itself shows the model that they were cut off, or continues them if they were deferred.
    fn left_to_cli(&self, transcript: &TranscriptRepair) -> HashSet<&str> {
        let is_left = |call: &&JournaledCall| {
            call.is_open()
                && self.server_of(call).is_none()
                && transcript.has_call(&call.intent.call)
        };
        let left = self.calls.iter().filter(is_left);
        left.map(|call| &*call.intent.call).collect()
    }

    /// Returns the result of each call: the recorded one, or what its tool returns, which is recorded. `None` without an epoch.
    async fn results(
        &self,
        calls: &[&JournaledCall],
        epoch: Option<Epoch>,
    ) -> Result<Vec<Option<CallToolResult>>> {
        let mut asked = JoinSet::new();
        let mut results: Vec<Option<CallToolResult>> = vec![None; calls.len()];
        for (at, call) in calls.iter().enumerate() {
            match (&call.result, epoch) {
                (Some(result), _) => {
                    let result = parse_json(&String::from_utf8_lossy(result));
                    let unreadable = |_| Repair::unknown().into_result();
                    results[at] = Some(result.unwrap_or_else(unreadable));
                }
                (None, Some(_)) => {
                    let repair = self.ask(call);
                    asked.spawn(async move { (at, repair.await) });
                }
                (None, None) => {}
            }
        }
        // Handlers run in parallel, so that several slow ones do not use up the time for loading.
        while let Some(Ok((at, repair))) = asked.join_next().await {
            let result = repair.into_result();
            if let Some(epoch) = epoch {
                let recorded = Bytes::from(serde_json::to_vec(&result).unwrap_or_default());
                let (session, id) = (self.session, &*calls[at].intent.call);
                let journal = journal_of(self.store);
                persist(|| journal.finish(session, epoch, id, recorded.clone()))
                    .await
                    .map_err(store_error)?;
            }
            results[at] = Some(result);
        }
        Ok(results)
    }

    /// Asks the tool of an open call what became of it.
    fn ask(&self, call: &JournaledCall) -> impl Future<Output = Repair> + Send + 'static {
        let input = String::from_utf8_lossy(&call.intent.input);
        let interrupted = Interrupted {
            id: call.intent.call.clone(),
            input: parse_json(&input).unwrap_or_default(),
        };
        let tool = call.intent.tool.clone();
        let server = self.server_of(call);
        let asked = server.and_then(|(server, name)| server.repair(name, interrupted));
        async move {
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

    /// Returns the server in this process of a call, and the name of the tool there.
    fn server_of<'c>(&self, call: &'c JournaledCall) -> Option<(&'a dyn Server, &'c str)> {
        self.servers.iter().find_map(|(key, server)| {
            let name = call.intent.tool.strip_prefix(&tool_name(key, ""))?;
            Some((&**server, name))
        })
    }
}

/// Returns the call that started the subagent which made a call; `None` in the main conversation.
fn subagent_of(call: &JournaledCall) -> Option<String> {
    let messages = String::from_utf8_lossy(&call.intent.messages);
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
