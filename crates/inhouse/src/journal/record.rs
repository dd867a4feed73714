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
use inhouse_store::{Epoch, Intent, Journal, SessionKey, SessionStore};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::RwLock;
use tokio::sync::mpsc::{Sender, WeakUnboundedSender, channel};
use tokio::time::timeout;
use tracing::Instrument as _;

use super::observe::{ObservedMessage, observe};
use super::unstored::UnstoredMessages;
use crate::driver::{Answering, Command};
use crate::error::{Error, ErrorKind};
use crate::mcp::{Bridge, Reply};
use crate::mirror::{Mark, SessionEpochs, StoreCall, persist};
use crate::resume::{LeaseEnd, store_error};

/// How long it may take to remove calls from the journal.
const FORGET: Duration = Duration::from_secs(5);

/// How many messages wait for [`observe`]. More are dropped: a slow store must not use up the memory.
const OBSERVED: usize = 64;

/// Records the calls of a session in the journal of its store.
pub(crate) struct CallJournal {
    store: Arc<dyn SessionStore>,
    epochs: Arc<SessionEpochs>,
    messages: UnstoredMessages,
    settled: Mutex<SettledCalls>,
    lease: LeaseEnd,
    /// Held for reading by every write that must not be lost, and for writing at the end of the session.
    writes: Arc<RwLock<()>>,
    /// Set when the session starts.
    running: OnceLock<Running>,
}

/// What the journal needs of a session that runs.
struct Running {
    driver: WeakUnboundedSender<Command>,
    bridge: Arc<Bridge>,
    observed: Sender<ObservedMessage>,
}

/// The calls that the journal can forget once the transcript has their results.
struct SettledCalls {
    /// Calls that have ended since the last result, and calls of tools outside of this process.
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
    /// The name of the tool, with that of its server.
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
        repaired: Vec<String>,
        lease: LeaseEnd,
    ) -> Option<Arc<Self>> {
        store.journal()?;
        let repaired = repaired.into_iter().map(|call| (session.clone(), call));
        Some(Arc::new(Self {
            store: Arc::clone(store),
            epochs: Arc::clone(epochs),
            messages: UnstoredMessages::new(session.clone()),
            settled: Mutex::new(SettledCalls {
                in_turn: repaired.collect(),
                ended: Vec::new(),
            }),
            lease,
            writes: Arc::default(),
            running: OnceLock::new(),
        }))
    }

    /// Starts to record. The driver ends the session if a call of a tool in this process cannot be recorded.
    pub(crate) fn start(
        self: &Arc<Self>,
        driver: WeakUnboundedSender<Command>,
        bridge: Arc<Bridge>,
    ) {
        let (observed, messages) = channel(OBSERVED);
        // Set once: a session starts once.
        let _ = self.running.set(Running {
            driver,
            bridge,
            observed,
        });
        tokio::spawn(observe(Arc::downgrade(self), messages).in_current_span());
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
        // Also the beginning of `"tool_result"` and `"tool_use_id"`.
        let has_calls = || memchr::memmem::find(line.as_bytes(), b"\"tool_").is_some();
        if self.messages.add(line)
            && has_calls()
            && let Some(running) = self.running.get()
        {
            let observed = running.observed.try_send(ObservedMessage {
                session: self.messages.session(),
                line: line.into(),
            });
            if observed.is_err() {
                tracing::debug!("call of an external tool not recorded: the store is slow");
            }
        }
    }

    /// Notes a frame of the mirror, and its mark.
    pub(crate) fn note_frame(&self, frame: &str, mark: Mark) {
        self.messages.mark(frame, mark);
    }

    /// Notes the end of a turn, and the mark of its result.
    pub(crate) fn note_turn_end(&self, mark: Mark) {
        self.messages.end_turn(mark);
        let mut settled = self.settled();
        let SettledCalls { in_turn, ended } = &mut *settled;
        let calls = in_turn.drain(..);
        ended.extend(calls.map(|(session, call)| (mark, session, call)));
    }

    /// Notes that the store has everything up to a mark, and forgets the calls of the turns that have ended.
    pub(crate) fn note_stored(self: &Arc<Self>, mark: Mark) {
        self.messages.stored(mark);
        let has_ended = |(ended, ..): &(Mark, _, _)| *ended <= mark;
        if self.settled().ended.iter().any(has_ended)
            && let Ok(writing) = Arc::clone(&self.writes).try_read_owned()
        {
            let journal = Arc::clone(self);
            tokio::spawn(async move {
                journal.forget(mark).await;
                drop(writing);
            });
        }
    }

    /// Completes the writes that are under way, and forgets the calls of all turns that have ended if everything is stored.
    pub(crate) async fn finish(&self, is_stored: bool) {
        let _writing = self.writes.write().await;
        if is_stored {
            self.forget(Mark::MAX).await;
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
        let session = self.messages.session();
        let arguments = Bytes::copy_from_slice(call.arguments.as_bytes());
        let intent = |messages| Intent::new(&*call.id, call.tool.as_str(), messages, arguments);
        match self.intend(&session, &call.id, intent).await {
            Ok(None) => {}
            // The same call was made before the session was resumed.
            Ok(Some(result)) => return stored_answer(&call, &result),
            Err(error) if error.is_fenced() => {
                return self.end_session(store_error(error)).await;
            }
            Err(error) => {
                tracing::warn!(%error, tool = call.tool, "call not recorded, so it is not run");
                let text = "the call was not run, because it could not be recorded: the session store failed";
                return answer(&call, CallToolResult::error(text));
            }
        }
        // The host may have been stopped since the call was recorded, and another one may have reported that it did not run.
        if let Some(lost) = self.lease.loss() {
            return self.end_session(lost).await;
        }
        let _settled = SettleOnDrop {
            journal: self,
            session: &session,
            call: &call.id,
        };
        let answer = running.await;
        if let Some(result) = result_of(&answer)
            && let Err(error) = self.finish_call(&session, &call, result).await
        {
            let error = match error.is_fenced() {
                true => store_error(error),
                false => Error::new(
                    ErrorKind::Store,
                    "the result of a tool call could not be recorded, so the session was ended; the call is passed \
                     to `Tool::on_interrupted` when the session is resumed",
                )
                .with_source(error),
            };
            return self.end_session(error).await;
        }
        answer
    }

    /// Records a call, with the messages that the transcript may lack; returns its result if it has finished before.
    pub(super) async fn intend(
        &self,
        session: &SessionKey,
        call: &str,
        intent: impl FnOnce(Bytes) -> Intent,
    ) -> inhouse_store::Result<Option<Bytes>> {
        let messages = self.messages.at_call(call);
        // After `/clear` the messages belong to another session.
        let is_same = messages.session == *session;
        let lines = is_same.then(|| messages.lines.clone());
        let intent = intent(lines.unwrap_or_default());
        let epoch = self.epochs.of(session).await?;
        let intend = || journal_of(&*self.store).intend(session, epoch, &intent);
        let recorded = persist(intend).await?;
        self.messages.recorded(&messages);
        Ok(recorded)
    }

    /// Records a result, also if the CLI withdraws the request meanwhile: the tool has taken effect.
    async fn finish_call(
        &self,
        session: &SessionKey,
        call: &RecordedCall,
        result: Bytes,
    ) -> inhouse_store::Result<()> {
        let (store, epochs) = (Arc::clone(&self.store), Arc::clone(&self.epochs));
        let (session, id) = (session.clone(), call.id.to_string());
        let writing = Arc::clone(&self.writes).try_read_owned();
        let finishing = tokio::spawn(async move {
            let _writing = writing;
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

    /// Forgets the calls of turns whose results are stored up to a mark.
    async fn forget(&self, mark: Mark) {
        let mut forgotten: HashMap<SessionKey, Vec<String>> = HashMap::new();
        self.settled().ended.retain(|(ended, session, call)| {
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

    pub(super) fn store(&self) -> &dyn SessionStore {
        &*self.store
    }

    pub(super) async fn epoch(&self, session: &SessionKey) -> inhouse_store::Result<Epoch> {
        self.epochs.of(session).await
    }

    /// Returns whether the model calls a tool in this process by this name. The journal records those itself.
    pub(super) fn is_in_process(&self, tool: &str) -> bool {
        let running = self.running.get();
        running.is_some_and(|running| running.bridge.has_server_of(tool))
    }

    /// Notes a call that can be forgotten at the end of the turn.
    pub(super) fn note_settled(&self, session: SessionKey, call: String) {
        self.settled().in_turn.push((session, call));
    }

    fn settled(&self) -> MutexGuard<'_, SettledCalls> {
        self.settled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the session. The driver drops this future, which has no answer.
    async fn end_session(&self, error: Error) -> Answer {
        let running = self.running.get();
        if let Some(driver) = running.and_then(|running| running.driver.upgrade()) {
            let _ = driver.send(Command::SessionLost(error));
        }
        pending().await
    }
}

/// Notes that a call has ended: with an answer, or because it was cancelled.
struct SettleOnDrop<'a> {
    journal: &'a CallJournal,
    session: &'a SessionKey,
    call: &'a str,
}

impl Drop for SettleOnDrop<'_> {
    fn drop(&mut self) {
        let (session, call) = (self.session.clone(), self.call.to_owned());
        self.journal.note_settled(session, call);
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

/// Returns the name of a tool in this process, with the characters of its definition.
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
