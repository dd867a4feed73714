use std::collections::HashMap;
use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use inhouse_proto::control::incoming::Answer;
use inhouse_proto::mcp::{
    AnyResult, CallToolResult, ErrorCode, ToolCall, WriteResult, result_payload,
};
use inhouse_proto::wire::Text;
use inhouse_store::{Epoch, Intent, Journal, SessionKey, SessionStore, StoreError};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::mpsc::{UnboundedSender, WeakUnboundedSender, unbounded_channel};
use tokio::time::timeout;
use tracing::Instrument as _;

use super::observe::observe;
use super::unstored::UnstoredMessages;
use crate::driver::{Answering, Command};
use crate::mcp::{Reply, Server};
use crate::mirror::{Mark, SessionEpochs, StoreCall, persist};
use crate::resume::store_error;

/// How long it may take to remove calls from the journal.
const FORGET: Duration = Duration::from_secs(5);

/// Records the calls of a session in the journal of its store.
pub(crate) struct CallJournal {
    store: Arc<dyn SessionStore>,
    epochs: Arc<SessionEpochs>,
    messages: UnstoredMessages,
    answered: Mutex<AnsweredCalls>,
    /// The beginnings of the names of tools in this process.
    in_process: Vec<String>,
    /// The lines for [`observe`]; set when the session starts, like the driver.
    observed: OnceLock<UnboundedSender<Box<str>>>,
    driver: OnceLock<WeakUnboundedSender<Command>>,
}

/// The calls that the journal can forget once the transcript has their results.
struct AnsweredCalls {
    /// Calls that were answered since the last result.
    in_turn: Vec<(SessionKey, String)>,
    /// Calls of turns whose results are being stored, each with the mark of its result.
    ended: Vec<(Mark, SessionKey, String)>,
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
    ///
    /// `repaired` are the calls whose results were added to the transcript when it was loaded.
    pub(crate) fn new(
        store: &Arc<dyn SessionStore>,
        epochs: &Arc<SessionEpochs>,
        session: &SessionKey,
        servers: &[(String, Arc<dyn Server>)],
        repaired: Vec<String>,
    ) -> Option<Arc<Self>> {
        store.journal()?;
        let repaired = repaired.into_iter().map(|call| (session.clone(), call));
        Some(Arc::new(Self {
            store: Arc::clone(store),
            epochs: Arc::clone(epochs),
            messages: UnstoredMessages::new(session.clone()),
            answered: Mutex::new(AnsweredCalls {
                in_turn: repaired.collect(),
                ended: Vec::new(),
            }),
            in_process: servers.iter().map(|(key, _)| tool_name(key, "")).collect(),
            observed: OnceLock::new(),
            driver: OnceLock::new(),
        }))
    }

    /// Starts to record. The driver ends the session if a call of a tool in this process cannot be recorded.
    pub(crate) fn start(self: &Arc<Self>, driver: WeakUnboundedSender<Command>) {
        let (lines, observed) = unbounded_channel();
        // Both are set once: a session starts once.
        let _ = (self.driver.set(driver), self.observed.set(lines));
        tokio::spawn(observe(Arc::downgrade(self), observed).in_current_span());
    }

    /// Notes the session that the CLI works on.
    pub(crate) fn note_session(&self, id: &str) {
        self.messages.set_session(id);
    }

    /// Notes a prompt that is sent.
    pub(crate) fn note_prompt(&self, uuid: &str, prompt: &str) {
        self.messages.add_prompt(uuid, prompt);
    }

    /// Notes a message of the CLI.
    pub(crate) fn note_message(&self, line: &str) {
        if self.messages.add(line)
            && let Some(observed) = self.observed.get()
        {
            let _ = observed.send(line.into());
        }
    }

    /// Notes a frame of the mirror, and its mark.
    pub(crate) fn note_frame(&self, frame: &str, mark: Mark) {
        self.messages.mark(frame, mark);
    }

    /// Notes the end of a turn, the prompts that it has answered, and the mark of its result.
    pub(crate) fn note_turn_end(&self, prompts: &[String], mark: Mark) {
        self.messages.end_turn(prompts, mark);
        let mut answered = self.answered();
        let AnsweredCalls { in_turn, ended } = &mut *answered;
        ended.extend(
            in_turn
                .drain(..)
                .map(|(session, call)| (mark, session, call)),
        );
    }

    /// Notes that the store has everything up to a mark, and forgets the calls of the turns that have ended.
    pub(crate) fn note_stored(self: &Arc<Self>, mark: Mark) {
        self.messages.stored(mark);
        if self
            .answered()
            .ended
            .iter()
            .any(|(ended, ..)| *ended <= mark)
        {
            let journal = Arc::clone(self);
            tokio::spawn(async move { journal.forget(mark).await });
        }
    }

    /// Forgets the calls of turns whose results are stored up to a mark.
    pub(crate) async fn forget(&self, mark: Mark) {
        let mut forgotten: HashMap<SessionKey, Vec<String>> = HashMap::new();
        self.answered().ended.retain(|(ended, session, call)| {
            let is_stored = *ended <= mark;
            if is_stored {
                let calls = forgotten.entry(session.clone()).or_default();
                calls.push(call.clone());
            }
            !is_stored
        });
        for (session, calls) in forgotten {
            let forgotten = async {
                let epoch = self.epochs.of(&session).await?;
                let forgotten = journal_of(&*self.store).forget(&session, epoch, &calls);
                forgotten.await
            };
            // Calls that stay are forgotten after the next resume.
            match timeout(FORGET, forgotten).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::debug!(%error, "calls stay in the journal"),
                Err(_) => tracing::debug!("calls stay in the journal: the store is slow"),
            }
        }
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
        let (session, messages) = self.messages.at_call(&call.id);
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
        if let Some(result) = result_of(&answer) {
            if let Err(error) = self.finish(session.clone(), &call, result).await {
                return self.end_session(error).await;
            }
            self.answered().in_turn.push((session, call.id.to_string()));
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

    pub(super) fn store(&self) -> &dyn SessionStore {
        &*self.store
    }

    pub(super) async fn epoch(&self, session: &SessionKey) -> inhouse_store::Result<Epoch> {
        self.epochs.of(session).await
    }

    /// Returns the session, and the messages that its transcript may lack when this call begins.
    pub(super) fn messages_at(&self, call: &str) -> (SessionKey, Bytes) {
        self.messages.at_call(call)
    }

    /// Returns whether a tool has the name of one in this process, which the journal records itself.
    pub(super) fn is_in_process(&self, tool: &str) -> bool {
        let mut names = self.in_process.iter();
        names.any(|server| tool.starts_with(server.as_str()))
    }

    /// Notes a recorded call of a tool outside of this process.
    pub(super) fn note_observed(&self, session: SessionKey, call: &str) {
        self.answered().in_turn.push((session, call.to_owned()));
    }

    /// Returns the session of a recorded call of this turn.
    pub(super) fn observed(&self, call: &str) -> Option<SessionKey> {
        let answered = self.answered();
        let mut in_turn = answered.in_turn.iter();
        in_turn.find_map(|(session, id)| (id == call).then(|| session.clone()))
    }

    fn answered(&self) -> MutexGuard<'_, AnsweredCalls> {
        self.answered.lock().unwrap_or_else(PoisonError::into_inner)
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
