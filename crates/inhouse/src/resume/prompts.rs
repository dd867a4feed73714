use std::collections::HashSet;
use std::future::poll_fn;
use std::sync::Arc;

use inhouse_store::{Position, SessionKey, SessionStore, StreamKey};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use uuid::Uuid;

use super::store_error;
use crate::error::{Error, ErrorKind, Result};

/// The prompts that the transcript of a resumed session contains.
///
/// The CLI ignores a prompt whose uuid is in the transcript, without a turn or a result (2.1.325).
pub(crate) struct StoredPrompts {
    store: Arc<dyn SessionStore>,
    session: SessionKey,
    known: HashSet<Uuid>,
    /// The end of the main stream.
    end: Position,
    /// The prompt whose turn the CLI continues when it starts.
    continued: Option<Uuid>,
}

/// The state of a prompt before the session was resumed.
#[derive(Debug)]
pub(crate) enum PromptState {
    /// The prompt is not in the transcript.
    New,
    /// The prompt has no result, because its turn was cut off.
    CutOff,
    /// The turn was cut off, and the CLI continues it without a new prompt.
    Continued,
    /// The prompt was answered with this result, which names it by this id.
    Answered { prompt: String, result: String },
}

/// A result in the stream of results of a session.
///
/// The transcript has no results. They are stored before they are delivered, so that a prompt that is sent again gets the same one.
#[derive(Serialize, Deserialize)]
pub(crate) struct ResultRecord {
    /// The end of the main stream at this result. A result whose transcript is not stored was not delivered, and does not count.
    pub(crate) end: u64,
    /// The prompts that the result answers.
    pub(crate) prompts: Vec<String>,
    /// The result as the CLI wrote it.
    pub(crate) result: Box<RawValue>,
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
    /// Creates the prompts of a new session, which has none.
    pub(super) fn new(store: Arc<dyn SessionStore>, session: SessionKey) -> Self {
        Self {
            store,
            session,
            known: HashSet::new(),
            end: Position::START,
            continued: None,
        }
    }

    /// Sets the prompts in the transcript, which has been read up to `end`.
    pub(super) fn set_known(&mut self, known: HashSet<Uuid>, end: Position) {
        (self.known, self.end) = (known, end);
    }

    /// Returns whether the transcript that was loaded has an entry.
    pub(super) fn has_transcript(&self) -> bool {
        self.end > Position::START
    }

    /// Notes that the CLI continues the turn of this prompt when it starts.
    pub(super) fn continue_at_start(&mut self, prompt: &str) {
        self.continued = Uuid::try_parse(prompt).ok();
    }

    /// Returns what became of a prompt. The result is read from the store.
    pub(crate) async fn state(&self, prompt: &str) -> Result<PromptState> {
        let uuid = Uuid::try_parse(prompt).ok();
        let Some(uuid) = uuid.filter(|uuid| self.known.contains(uuid)) else {
            return Ok(PromptState::New);
        };
        Ok(match self.result(prompt).await? {
            Some(result) => PromptState::Answered {
                prompt: named_in(&result, prompt),
                result,
            },
            None if self.continued == Some(uuid) => PromptState::Continued,
            None => PromptState::CutOff,
        })
    }

    /// Returns the last result of a prompt.
    async fn result(&self, prompt: &str) -> Result<Option<String>> {
        let results = results_of(&self.session);
        let mut records = self.store.load(&results, Position::START);
        let mut found = None;
        while let Some(record) = poll_fn(|cx| records.as_mut().poll_next(cx)).await {
            let record = record.map_err(store_error)?;
            let record: ResultRecord = serde_json::from_slice(&record).map_err(|error| {
                let text = format!("a result of session {} cannot be read", self.session);
                Error::new(ErrorKind::Store, text).with_source(error)
            })?;
            if record.end <= self.end.get() && record.prompts.iter().any(|uuid| uuid == prompt) {
                found = Some(record.result.get().to_owned());
            }
        }
        Ok(found)
    }
}
