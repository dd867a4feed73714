use inhouse::message::{Received, ResultMessage, TerminalReason};
use inhouse::sessions::{SessionLease, recent_results};
use inhouse_store::{Position, SessionStore};

use super::end::End;
use super::{HostError, HostErrorKind};
use crate::retry::persist;
use crate::{Fence, Reply, Work};

/// How many results are searched for that of the work item. An answered one is run again before the next one, so its result is the last one with a prompt.
const RESULTS: usize = 4;

/// The session as the store has it, for one work item.
#[derive(Debug)]
pub(super) struct History {
    pub(super) is_new: bool,
    /// The answer to the work item.
    pub(super) answer: Option<Reply>,
    /// The cost so far in US dollars.
    pub(super) spent: f64,
    /// Whether a call of another work item waits for an answer. The CLI asks about it before it begins this one.
    pub(super) has_stale_call: bool,
    /// The id of that call, if the CLI has reported it.
    pub(super) stale_call: Option<String>,
}

impl History {
    /// Reads what the store has of a session.
    pub(super) async fn read(
        store: &dyn SessionStore,
        lease: &SessionLease,
        work: &Work,
        fence: &Fence,
    ) -> Result<Self, End> {
        let session = lease.session();
        let main = session.main();
        let end = persist(|| store.end(&main)).await;
        let is_new = end.map_err(HostError::store)? == Position::START;
        let mut history = Self {
            is_new,
            answer: None,
            spent: 0.0,
            has_stale_call: false,
            stale_call: None,
        };
        if is_new {
            return Ok(history);
        }
        let id = work.id.to_string();
        // Nearly always the last result names a prompt, and each one that is read costs the store a request.
        let mut results = recent_results(store, session, 1).await?;
        if results.iter().all(|stored| stored.prompts.is_empty()) {
            results = recent_results(store, session, RESULTS).await?;
        }
        for stored in results {
            let result = &stored.result;
            history.spent = result.total_cost_usd.unwrap_or(history.spent);
            let (is_own, is_deferred) = (stored.prompts.contains(&id), is_deferred(result));
            if is_own && !is_deferred && !is_unavailable(result) {
                history.answer = Some(reply(result, fence.clone())?);
            }
            history.has_stale_call = is_deferred && !is_own;
            let call = result.deferred_tool_use.as_ref();
            let call = call.filter(|_| history.has_stale_call);
            history.stale_call = call.map(|call| call.id.clone());
        }
        Ok(history)
    }
}

/// Returns whether a turn ended because a call waits for an answer.
pub(super) fn is_deferred(result: &ResultMessage) -> bool {
    let is_deferred = result.deferred_tool_use.is_some()
        || result.terminal_reason == Some(TerminalReason::ToolDeferred);
    is_deferred && !is_unavailable(result)
}

/// Returns whether a call that waited for an answer could not be made, because the tool is not there any more.
pub(super) fn is_unavailable(result: &ResultMessage) -> bool {
    result.terminal_reason == Some(TerminalReason::ToolDeferredUnavailable)
}

/// Returns the reply that a result is.
pub(super) fn reply(result: &Received<ResultMessage>, fence: Fence) -> Result<Reply, End> {
    Reply::new(result.raw(), fence).map_err(|error| {
        let text = "the result of the CLI is not JSON";
        HostError::new(HostErrorKind::Agent, text)
            .with_source(error)
            .into()
    })
}
