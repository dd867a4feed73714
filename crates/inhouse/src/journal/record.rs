use std::future::pending;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use inhouse_proto::control::incoming::Answer;
use inhouse_proto::mcp::{
    AnyResult, CallToolResult, ErrorCode, ToolCall, WriteResult, result_payload,
};
use inhouse_proto::wire::Text;
use inhouse_store::{Intent, Journal, SessionKey, SessionStore, StoreError};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::mpsc::WeakUnboundedSender;

use crate::driver::{Answering, Command};
use crate::mcp::Reply;
use crate::mirror::{SessionEpochs, StoreCall, UnstoredMessages, persist};
use crate::resume::store_error;

/// Records the calls of a session in the journal of its store.
pub(crate) struct CallJournal {
    store: Arc<dyn SessionStore>,
    epochs: Arc<SessionEpochs>,
    unstored: UnstoredMessages,
    /// Set when the session starts.
    driver: OnceLock<WeakUnboundedSender<Command>>,
}

/// A call that is about to run.
pub(crate) struct RecordedCall {
    /// The id of the JSON-RPC request.
    request: Text,
    /// The id of the call in the conversation.
    id: Text,
    /// The name by which the model calls the tool.
    tool: String,
    arguments: Text,
}

impl CallJournal {
    /// Creates the journal of a session; `None` if the store has no journal.
    pub(crate) fn new(
        store: &Arc<dyn SessionStore>,
        epochs: &Arc<SessionEpochs>,
        unstored: &UnstoredMessages,
    ) -> Option<Arc<Self>> {
        store.journal()?;
        Some(Arc::new(Self {
            store: Arc::clone(store),
            epochs: Arc::clone(epochs),
            unstored: unstored.clone(),
            driver: OnceLock::new(),
        }))
    }

    /// Sets the driver that ends the session if its calls cannot be recorded.
    pub(crate) fn report_to(&self, driver: WeakUnboundedSender<Command>) {
        // Set once: a session has one driver.
        let _ = self.driver.set(driver);
    }

    /// Returns a reply that runs a call only after it is recorded, and answers only after its result is.
    ///
    /// `reply` is that of the server, whose tool begins when the reply is polled.
    pub(crate) fn record(self: &Arc<Self>, call: RecordedCall, reply: Reply) -> Reply {
        match reply {
            Reply::Running(running) => {
                let journal = Arc::clone(self);
                Reply::Running(Box::pin(async move { journal.run(call, running).await }))
            }
            // The request was refused: no tool runs.
            refused => refused,
        }
    }

    async fn run(&self, call: RecordedCall, running: Answering) -> Answer {
        let (session, messages) = self.unstored.at_call(&call.id);
        let arguments = Bytes::copy_from_slice(call.arguments.as_bytes());
        let intent = Intent::new(&*call.id, call.tool.as_str(), messages, arguments);
        match self.intend(&session, &intent).await {
            Ok(None) => {}
            // The same call was made before the session was resumed.
            Ok(Some(result)) => return stored_answer(&call, &result),
            Err(error) if error.is_fenced() => return self.end_session(error).await,
            Err(error) => {
                tracing::warn!(%error, tool = call.tool, "call not recorded, so it is not run");
                let text = "the call was not run, because it could not be recorded: the session store failed";
                return answer(&call, CallToolResult::error(text));
            }
        }
        let answer = running.await;
        if let Some(result) = result_of(&answer)
            && let Err(error) = self.finish(session, &call, result).await
        {
            return self.end_session(error).await;
        }
        answer
    }

    async fn intend(
        &self,
        session: &SessionKey,
        intent: &Intent,
    ) -> inhouse_store::Result<Option<Bytes>> {
        let epoch = self.epochs.of(session).await?;
        persist(|| journal_of(&*self.store).intend(session, epoch, intent)).await
    }

    /// Records a result, also if the CLI withdraws the request meanwhile: the tool has taken effect.
    async fn finish(
        &self,
        session: SessionKey,
        call: &RecordedCall,
        result: Bytes,
    ) -> inhouse_store::Result<()> {
        let (store, epochs) = (Arc::clone(&self.store), Arc::clone(&self.epochs));
        let id = call.id.to_string();
        let finishing = tokio::spawn(async move {
            let epoch = epochs.of(&session).await?;
            let finish = || -> StoreCall<'_, ()> {
                journal_of(&*store).finish(&session, epoch, &id, result.clone())
            };
            persist(finish).await
        });
        finishing
            .await
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
    }

    /// Ends the session. The driver drops this future, which has no answer.
    async fn end_session(&self, error: StoreError) -> Answer {
        let driver = self.driver.get().and_then(WeakUnboundedSender::upgrade);
        if let Some(driver) = driver {
            let _ = driver.send(Command::SessionLost(store_error(error)));
        }
        pending().await
    }
}

impl RecordedCall {
    /// Takes what is recorded out of a request; `None` for a call without an id, which no version of the CLI makes.
    pub(crate) fn new(request: &Text, server: &str, call: &ToolCall) -> Option<Self> {
        Some(Self {
            request: request.clone(),
            id: call.tool_use_id.clone()?,
            tool: tool_name(server, &call.name),
            arguments: call.arguments.clone(),
        })
    }
}

/// Returns the name by which the model calls a tool.
pub(super) fn tool_name(server: &str, tool: &str) -> String {
    format!("mcp__{server}__{tool}")
}

pub(super) fn journal_of(store: &dyn SessionStore) -> &dyn Journal {
    store.journal().expect("checked when the session started")
}

/// Returns the result of an answer as JSON; `None` if the call was cancelled, because then its outcome is not known.
fn result_of(answer: &Answer) -> Option<Bytes> {
    #[derive(Deserialize)]
    struct Payload<'a> {
        #[serde(borrow)]
        mcp_response: Response<'a>,
    }
    #[derive(Deserialize)]
    struct Response<'a> {
        #[serde(borrow)]
        result: Option<&'a RawValue>,
        error: Option<ErrorResponse>,
    }
    #[derive(Deserialize)]
    struct ErrorResponse {
        code: i32,
        message: String,
    }
    let Answer::Success(payload) = answer else {
        return None;
    };
    let payload: Payload<'_> = serde_json::from_str(payload.as_str()).ok()?;
    match payload.mcp_response {
        Response {
            result: Some(result),
            ..
        } => Some(Bytes::copy_from_slice(result.get().as_bytes())),
        Response {
            error: Some(error), ..
        } if error.code != ErrorCode::CANCELLED => {
            let result = CallToolResult::error(error.message);
            serde_json::to_vec(&result).ok().map(Bytes::from)
        }
        _ => None,
    }
}

fn stored_answer(call: &RecordedCall, result: &[u8]) -> Answer {
    match serde_json::from_slice::<&RawValue>(result) {
        Ok(result) => answer(call, AnyResult(&result)),
        Err(_) => answer(
            call,
            CallToolResult::error("the recorded result of the call cannot be read"),
        ),
    }
}

fn answer(call: &RecordedCall, result: impl WriteResult) -> Answer {
    match result_payload(&call.request, result) {
        Ok((payload, _)) => Answer::Success(payload),
        Err(error) => Answer::error(error.to_string()),
    }
}
