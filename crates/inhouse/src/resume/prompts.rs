use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use inhouse_proto::session::Entry;
use inhouse_store::{Position, SessionKey, SessionStore, StreamKey};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use uuid::Uuid;

use super::store_error;
use crate::error::{Error, ErrorKind, Result};
use crate::mirror::read_entries;

/// How many bytes of results are read at once.
const BATCH: usize = 1 << 20;

/// The prompts that the transcript of a session contains: those before it was resumed, and those that were sent since.
///
/// The CLI ignores a prompt whose uuid is in the transcript, without a turn or a result (2.1.325).
pub(crate) struct StoredPrompts {
    store: Arc<dyn SessionStore>,
    /// The session that runs.
    session: SessionKey,
    /// The session whose transcript was loaded: the same one, or that of which it is a fork.
    loaded: SessionKey,
    known: HashSet<Uuid>,
    /// The prompts that were sent since the session was opened.
    sent: Mutex<HashSet<Uuid>>,
    /// The prompts whose turn the CLI continues when it starts.
    continued: Vec<String>,
}

/// The state of a prompt before the session was resumed.
#[derive(Debug)]
pub(crate) enum PromptState {
    /// The prompt is not in the transcript.
    New,
    /// The prompt has no result, because its turn was cut off.
    CutOff,
    /// The turn waits for a call that was deferred, and the CLI continues it without a new prompt.
    Continued,
    /// The prompt was answered with this result, which names it by this id.
    Answered { prompt: String, result: String },
}

/// A result in the stream of results of a session.
///
/// The transcript has no results. They are stored before they are delivered, so that a prompt that is sent again gets the same one.
#[derive(Serialize, Deserialize)]
pub(crate) struct ResultRecord {
    /// The last entry of the main stream before this result that has an id; a record without one does not count.
    ///
    /// Results and transcript are appended at the same time, so a host that dies may leave a result without its transcript. It was not
    /// delivered, and does not count, also when a later owner has written other entries at these positions.
    pub(crate) last: Option<IdentifiedEntry>,
    /// The prompts that the result answers.
    pub(crate) prompts: Vec<String>,
    /// The result as the CLI wrote it.
    pub(crate) result: Box<RawValue>,
}

impl ResultRecord {
    /// Reads a record of the stream of results.
    pub(crate) fn read(session: &SessionKey, record: &[u8]) -> Result<Self> {
        serde_json::from_slice(record).map_err(|error| {
            let text = format!("a result of session {session} cannot be read");
            Error::new(ErrorKind::Store, text).with_source(error)
        })
    }

    /// Returns whether the store has the transcript up to this result. Otherwise it does not count.
    pub(crate) async fn counts(
        &self,
        store: &(impl SessionStore + ?Sized),
        session: &SessionKey,
    ) -> Result<bool> {
        let Some(last) = &self.last else {
            return Ok(false);
        };
        let position = Position::new(last.position);
        let entry = read_entries(store, &session.main(), position, 1, usize::MAX).await;
        let entry = entry.map_err(store_error)?.pop();
        let stored = entry.and_then(|entry| IdentifiedEntry::read(position, &entry));
        Ok(stored.as_ref() == Some(last))
    }
}

/// An entry of the main stream that has an id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct IdentifiedEntry {
    position: u64,
    uuid: String,
}

impl IdentifiedEntry {
    /// Creates the description of an entry; `None` if it has no id.
    pub(super) fn new(position: Position, entry: &Entry<'_>) -> Option<Self> {
        Some(Self {
            position: position.get(),
            uuid: entry.uuid.as_deref()?.to_owned(),
        })
    }

    /// Returns the last entry with an id; `position` is that of the first of `entries`.
    pub(crate) fn last_of(position: Position, entries: &[Bytes]) -> Option<Self> {
        let mut numbered = entries.iter().enumerate().rev();
        numbered.find_map(|(index, entry)| Self::read(position.after(index), entry))
    }

    fn read(position: Position, entry: &[u8]) -> Option<Self> {
        Self::new(position, &Entry::read(&String::from_utf8_lossy(entry))?)
    }
}

/// The members of a result that name the prompts which it answers.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct AnsweredPrompts {
    user_message_uuid: Option<String>,
    user_message_uuids: Option<Vec<String>>,
}

impl AnsweredPrompts {
    /// Returns the prompts that a result names; none for CLI 2.1.197.
    pub(crate) fn read(result: &str) -> Vec<String> {
        let named: Self = serde_json::from_str(result).unwrap_or_default();
        let all = named.user_message_uuids.unwrap_or_default();
        named.user_message_uuid.into_iter().chain(all).collect()
    }
}

/// Returns whether a result ended its turn because a hook deferred a call. The turn continues when the session is resumed.
fn is_deferred(result: &str) -> bool {
    #[derive(Deserialize)]
    struct Members<'a> {
        #[serde(borrow)]
        deferred_tool_use: Option<&'a RawValue>,
    }
    let members: Result<Members<'_>, _> = serde_json::from_str(result);
    members.is_ok_and(|members| members.deferred_tool_use.is_some())
}

/// Returns the stream with the results of a session.
pub(crate) fn results_of(session: &SessionKey) -> StreamKey {
    session.stream("results").expect("the subpath is safe")
}

/// Returns the id by which a result names a prompt: another one if the turn was continued with a new prompt.
fn named_in(result: &str, prompt: &str) -> String {
    let named = AnsweredPrompts::read(result);
    match named.first() {
        Some(first) if !named.iter().any(|named| named == prompt) => first.clone(),
        _ => prompt.to_owned(),
    }
}

impl StoredPrompts {
    /// Creates the prompts of a session. There are none before those of the session that is loaded are set.
    pub(super) fn new(
        store: Arc<dyn SessionStore>,
        session: SessionKey,
        loaded: SessionKey,
    ) -> Self {
        Self {
            store,
            session,
            loaded,
            known: HashSet::new(),
            sent: Mutex::default(),
            continued: Vec::new(),
        }
    }

    /// Sets the prompts in the transcript.
    pub(super) fn set_known(&mut self, known: HashSet<Uuid>) {
        self.known = known;
    }

    /// Returns the prompts whose turn waits for a deferred call; `end` is that of the stream of results, `message` the last one of the transcript.
    ///
    /// The CLI makes the call when it starts, before it reads another prompt (2.1.325). If a message follows the result, it was made already.
    pub(super) async fn deferred(&self, end: Position, message: Position) -> Result<Vec<String>> {
        let Some(last) = end.get().checked_sub(1) else {
            return Ok(Vec::new());
        };
        let results = results_of(&self.loaded);
        let last = Position::new(last);
        let record = read_entries(&*self.store, &results, last, 1, usize::MAX).await;
        let Some(record) = record.map_err(store_error)?.pop() else {
            return Ok(Vec::new());
        };
        let record = ResultRecord::read(&self.loaded, &record)?;
        let is_last = |last: &IdentifiedEntry| message.get() <= last.position;
        let is_open = is_deferred(record.result.get())
            && record.last.as_ref().is_some_and(is_last)
            && record.counts(&*self.store, &self.loaded).await?;
        Ok(if is_open { record.prompts } else { Vec::new() })
    }

    /// Notes that the CLI continues the turn of these prompts when it starts.
    pub(super) fn continue_at_start(&mut self, prompts: Vec<String>) {
        self.continued = prompts;
    }

    /// Returns the prompts whose turn the CLI continues when it starts.
    pub(crate) fn continued(&self) -> Vec<String> {
        self.continued.clone()
    }

    /// Returns the state of a prompt before the session was opened. The result is read from the store.
    pub(super) async fn state(&self, prompt: &str) -> Result<PromptState> {
        let uuid = Uuid::try_parse(prompt).ok();
        if !uuid.is_some_and(|uuid| self.known.contains(&uuid)) {
            return Ok(PromptState::New);
        }
        Ok(match self.result(&self.loaded, prompt).await? {
            Some(result) => answered(prompt, result),
            None if self.continued.iter().any(|id| id == prompt) => PromptState::Continued,
            None => PromptState::CutOff,
        })
    }

    /// Returns the state of a prompt that is about to be sent, and notes that it is.
    ///
    /// # Errors
    /// `Config` if it was sent before, and has no result yet.
    pub(crate) async fn send(&self, prompt: &str) -> Result<PromptState> {
        let state = self.state(prompt).await?;
        let is_sent = matches!(state, PromptState::New | PromptState::CutOff);
        let Some(uuid) = Uuid::try_parse(prompt).ok().filter(|_| is_sent) else {
            return Ok(state);
        };
        let is_first = self
            .sent
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(uuid);
        if is_first {
            return Ok(state);
        }
        match self.result(&self.session, prompt).await? {
            Some(result) => Ok(answered(prompt, result)),
            None => {
                let text = format!(
                    "the prompt {prompt} was sent to this session before and has no result yet; wait for it, or give \
                     another prompt another id"
                );
                Err(Error::config(text))
            }
        }
    }

    /// Returns the last result of a prompt; `None` if it has none, or if the last one says that a call was deferred.
    async fn result(&self, session: &SessionKey, prompt: &str) -> Result<Option<String>> {
        let results = results_of(session);
        let mut named = Vec::new();
        let mut next = Position::START;
        loop {
            let records = read_entries(&*self.store, &results, next, usize::MAX, BATCH).await;
            let records = records.map_err(store_error)?;
            if records.is_empty() {
                break;
            }
            next = next.after(records.len());
            for record in records {
                let record = ResultRecord::read(session, &record)?;
                if record.prompts.iter().any(|uuid| uuid == prompt) {
                    named.push(record);
                }
            }
        }
        let mut found = None;
        for record in named {
            if record.counts(&*self.store, session).await? {
                let result = record.result.get();
                found = (!is_deferred(result)).then(|| result.to_owned());
            }
        }
        Ok(found)
    }
}

fn answered(prompt: &str, result: String) -> PromptState {
    PromptState::Answered {
        prompt: named_in(&result, prompt),
        result,
    }
}
