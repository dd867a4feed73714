use std::collections::HashMap;

use bytes::Bytes;
use inhouse_store::{Position, SessionKey};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::TurnResult;
use super::unsent::UnsentEntries;
use crate::resume::{IdentifiedEntry, ResultRecord, results_of};

/// The sessions that a CLI has worked on: the one that was opened, and those that `/clear` has begun.
pub(super) struct MirroredSessions {
    /// The session that the CLI works on.
    current: SessionKey,
    /// Each session, with the last entry of its main transcript that has an id.
    last: HashMap<SessionKey, Option<IdentifiedEntry>>,
}

impl MirroredSessions {
    pub(super) fn new(opened: SessionKey, last: Option<IdentifiedEntry>) -> Self {
        Self {
            last: HashMap::from([(opened.clone(), last)]),
            current: opened,
        }
    }

    pub(super) fn current(&self) -> &SessionKey {
        &self.current
    }

    /// Notes entries of a main transcript; returns whether they begin another session.
    ///
    /// After `/clear`, entries of the old session arrive behind the first ones of the new session (2.1.325).
    pub(super) fn note(
        &mut self,
        session: &SessionKey,
        position: Position,
        entries: &[Bytes],
    ) -> bool {
        let is_new = !self.last.contains_key(session);
        if is_new {
            self.current = session.clone();
        }
        let last = self.last.entry(session.clone()).or_default();
        if let Some(entry) = IdentifiedEntry::last_of(position, entries) {
            *last = Some(entry);
        }
        is_new
    }

    /// Returns results as entries of the stream of their session, behind everything that was noted.
    pub(super) fn records(&self, results: Vec<TurnResult>) -> Vec<UnsentEntries> {
        let mut records: Vec<UnsentEntries> = Vec::new();
        for result in results {
            let session = self.session_of(&result);
            let stream = results_of(session);
            let record = ResultRecord {
                last: self.last.get(session).cloned().flatten(),
                prompts: result.prompts,
                // A result that is not valid JSON ends no turn, so it does not come here.
                result: match RawValue::from_string(result.line.clone()) {
                    Ok(result) => result,
                    Err(_) => continue,
                },
            };
            let Ok(record) = serde_json::to_vec(&record) else {
                continue;
            };
            let record = Bytes::from(record);
            match records.iter_mut().find(|other| other.stream == stream) {
                Some(other) => other.entries.push(record),
                None => records.push(UnsentEntries {
                    stream,
                    entries: vec![record],
                }),
            }
        }
        records
    }

    /// Returns the session that a result names; the current one if it names none, or one that the CLI has not worked on.
    fn session_of(&self, result: &TurnResult) -> &SessionKey {
        let id = result.session_id();
        let named = id.and_then(|id| self.last.keys().find(|key| key.session() == id));
        named.unwrap_or(&self.current)
    }
}

impl TurnResult {
    /// Returns the id of the session that the result names.
    pub(super) fn session_id(&self) -> Option<String> {
        #[derive(Deserialize)]
        struct Members {
            session_id: Option<String>,
        }
        let members: Option<Members> = serde_json::from_str(&self.line).ok();
        members.and_then(|members| members.session_id)
    }
}
