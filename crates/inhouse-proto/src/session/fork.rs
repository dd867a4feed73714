use std::collections::HashMap;
use std::fmt;
use std::time::SystemTime;

use foldhash::fast::FixedState;

use super::entry::{Entry, EntryId};
use super::id::{parse_uuid, uuid_text};
use super::rewrite::{Member, replace_strings, rewrite_object};
use super::{SessionId, title_entry};

/// Members that describe the original session and are not copied. Observed in the TypeScript SDK 0.3.325.
const DROPPED: [&str; 8] = [
    "teamName",
    "agentName",
    "slug",
    "sourceToolAssistantUUID",
    "sessionKind",
    "summarizedTurnPromptUuids",
    "droppedPromptUuids",
    "turnAttributionKey",
];

/// Metadata that the copy of a session needs.
const CARRIED: [&str; 8] = [
    "atis-latch",
    "content-replacement",
    "data-flow-incomplete",
    "data-flow-records",
    "derived-from",
    "history-suppression",
    "relocated",
    "tools-used",
];

/// The first pass over a session that is forked: chooses the entries to copy, and their new ids.
///
/// Push every entry in the order of the file, then [`finish`](Self::finish), and push every line again into the
/// [`Fork`].
///
/// ```
/// use std::time::SystemTime;
/// use inhouse_proto::session::{Entry, ForkScan, SessionId};
///
/// let line = r#"{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s","new":1}"#;
/// let mut ids = 1..;
/// let mut scan = ForkScan::new(SessionId::from_u128(7), SessionId::from_u128(8), None);
/// scan.push(&Entry::read(line).unwrap(), || ids.next().unwrap());
/// let mut fork = scan.finish()?;
/// let copy = fork.rewrite(line, SystemTime::UNIX_EPOCH).unwrap();
/// assert!(copy.contains(r#""uuid":"00000000-0000-0000-0000-000000000001""#));
/// assert!(copy.contains(r#""new":1"#));
/// # Ok::<(), inhouse_proto::session::ForkError>(())
/// ```
#[derive(Debug)]
pub struct ForkScan {
    source: SessionId,
    target: SessionId,
    up_to: Option<EntryId>,
    is_closed: bool,
    copies: HashMap<EntryId, Copy, FixedState>,
    /// Number of entries that are copied.
    count: usize,
    /// Number of entries before the last compaction boundary whose summary has not been seen.
    before_open_boundary: Option<usize>,
}

/// The new id of an entry, and its parent in the original session.
#[derive(Clone, Copy, Debug)]
struct Copy {
    id: u128,
    parent: Option<EntryId>,
    /// Progress entries are not copied; their children become children of their parents.
    is_progress: bool,
}

impl ForkScan {
    /// Creates the scan of a session whose copy has the id `target`.
    ///
    /// `up_to` is the id of the last message to copy; everything unless given.
    #[must_use]
    pub fn new(source: SessionId, target: SessionId, up_to: Option<&str>) -> Self {
        Self {
            source,
            target,
            up_to: up_to.map(EntryId::of),
            is_closed: false,
            copies: HashMap::default(),
            count: 0,
            before_open_boundary: None,
        }
    }

    /// Adds an entry. `new_id` returns the bits of a new UUID.
    pub fn push(&mut self, entry: &Entry<'_>, mut new_id: impl FnMut() -> u128) {
        let Some(id) = self.id_to_copy(entry) else {
            return;
        };
        let is_progress = entry.tag == "progress";
        let copy = Copy {
            id: new_id(),
            parent: entry.parent_uuid.as_deref().map(EntryId::of),
            is_progress,
        };
        // A repeated entry keeps its new id: others may refer to it.
        self.copies
            .entry(id)
            .and_modify(|old| old.parent = copy.parent)
            .or_insert(copy);
        if entry.is_compact_boundary() {
            self.before_open_boundary = Some(self.count);
        }
        if entry.is_compact_summary {
            self.before_open_boundary = None;
        }
        self.count += usize::from(!is_progress);
        let source = entry.attachment_parts().source_uuid;
        if let Some(source) = source.as_deref().map(EntryId::of) {
            // The id of a prompt that was sent during a turn, which has no entry with that id.
            let prompt = Copy {
                id: new_id(),
                parent: None,
                is_progress: false,
            };
            self.copies.entry(source).or_insert(prompt);
            self.is_closed |= self.up_to == Some(source);
        }
        self.is_closed |= self.up_to == Some(id);
    }

    /// Ends the first pass.
    ///
    /// # Errors
    /// Returns an error if there is nothing to copy, or if the message to copy up to was not found.
    pub fn finish(self) -> Result<Fork, ForkError> {
        if self.up_to.is_some() && !self.is_closed {
            return Err(ForkError::MessageNotFound);
        }
        // A compaction that is cut off before its summary would hide the whole conversation.
        let count = match self.before_open_boundary {
            Some(before) if self.up_to.is_some() => before,
            _ => self.count,
        };
        if count == 0 {
            return Err(ForkError::NoMessages);
        }
        Ok(Fork {
            scan: self,
            count,
            written: 0,
        })
    }

    /// Returns the id of an entry that belongs to the copy.
    fn id_to_copy(&self, entry: &Entry<'_>) -> Option<EntryId> {
        let id = entry.uuid.as_deref()?;
        (entry.is_chained() && !entry.is_sidechain && !self.is_closed).then(|| EntryId::of(id))
    }

    fn new_id(&self, id: EntryId) -> Option<u128> {
        self.copies.get(&id).map(|copy| copy.id)
    }

    /// Returns the new id of the nearest ancestor that is copied.
    fn new_parent(&self, parent: Option<&str>) -> Option<u128> {
        let mut parent = parent.map(EntryId::of);
        // Progress entries cannot form a longer chain than there are entries.
        for _ in 0..=self.copies.len() {
            let copy = self.copies.get(&parent?)?;
            match copy.is_progress {
                true => parent = copy.parent,
                false => return Some(copy.id),
            }
        }
        None
    }
}

/// The second pass over a session that is forked: rewrites its lines.
#[derive(Debug)]
pub struct Fork {
    scan: ForkScan,
    /// Number of entries to write.
    count: usize,
    written: usize,
}

impl Fork {
    /// Returns the copy of a line, without a line break; `None` if the line is not copied.
    ///
    /// Pass the lines in the order of the file. The last copied entry gets the time `now`; members that the fork does
    /// not change keep their bytes.
    pub fn rewrite(&mut self, line: &str, now: SystemTime) -> Option<String> {
        if self.written == self.count {
            return None;
        }
        let entry = Entry::read(line)?;
        if CARRIED.contains(&&*entry.tag) && self.is_of_source(&entry) {
            return self.rewrite_metadata(line);
        }
        let id = EntryId::of(entry.uuid.as_deref()?);
        let is_copied = entry.is_chained() && !entry.is_sidechain && entry.tag != "progress";
        let new_id = self.scan.new_id(id).filter(|_| is_copied)?;
        self.written += 1;
        let is_last = self.written == self.count;
        self.rewrite_entry(&entry, new_id, is_last.then_some(now))
    }

    /// Returns the entry that gives the copy a title, without a line break.
    #[must_use]
    pub fn title(&self, title: &str) -> String {
        title_entry(&self.scan.target, title)
    }

    fn is_of_source(&self, entry: &Entry<'_>) -> bool {
        let session = entry.session_id.as_deref();
        session.is_none_or(|session| session.eq_ignore_ascii_case(&self.scan.source))
    }

    fn rewrite_metadata(&self, line: &str) -> Option<String> {
        rewrite_object(line, &[], |name, value| match name {
            "sessionId" => Member::Replace(quoted(&self.scan.target)),
            _ => Member::Replace(self.with_new_ids(value)),
        })
    }

    fn rewrite_entry(
        &self,
        entry: &Entry<'_>,
        new_id: u128,
        now: Option<SystemTime>,
    ) -> Option<String> {
        let original = entry.uuid.as_deref()?;
        let forked_from = serde_json::json!({
            "sessionId": self.scan.source.as_str(),
            "messageUuid": original,
        });
        let mut added = vec![format!("\"forkedFrom\":{forked_from}")];
        if entry.subtype.as_deref() == Some("model_refusal_fallback") {
            added.push("\"neutralizedByFork\":true".to_owned());
        }
        let parent = self.scan.new_parent(entry.parent_uuid.as_deref());
        let id_or_null = |id: Option<u128>| match id {
            Some(id) => quoted(&uuid_text(id)),
            None => "null".to_owned(),
        };
        rewrite_object(entry.line, &added, |name, value| match name {
            "uuid" => Member::Replace(quoted(&uuid_text(new_id))),
            "parentUuid" => Member::Replace(id_or_null(parent)),
            "logicalParentUuid" => {
                let id = value.trim_matches('"');
                Member::Replace(id_or_null(self.scan.new_parent(Some(id))))
            }
            "sessionId" => Member::Replace(quoted(&self.scan.target)),
            "isSidechain" => Member::Replace("false".to_owned()),
            "timestamp" => match now {
                Some(now) => {
                    Member::Replace(quoted(&humantime::format_rfc3339_millis(now).to_string()))
                }
                None => Member::Keep,
            },
            "attachment" => Member::Replace(self.with_new_ids(value)),
            "compactMetadata" => {
                let kept = rewrite_object(value, &[], |name, _| match name {
                    "runningTurnSends" => Member::Drop,
                    _ => Member::Keep,
                });
                Member::Replace(self.with_new_ids(kept.as_deref().unwrap_or(value)))
            }
            "forkedFrom" | "neutralizedByFork" => Member::Drop,
            name if DROPPED.contains(&name) => Member::Drop,
            _ => Member::Keep,
        })
    }

    /// Replaces every string that is the id of a copied entry.
    fn with_new_ids(&self, json: &str) -> String {
        replace_strings(json, |text| {
            let id = EntryId::from_u128(parse_uuid(text)?);
            self.scan.new_id(id).map(uuid_text)
        })
    }
}

/// The reason why a session cannot be forked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ForkError {
    /// The session has no messages.
    NoMessages,
    /// The message to copy up to is not part of the session.
    MessageNotFound,
}

impl fmt::Display for ForkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoMessages => "the session has no messages to fork",
            Self::MessageNotFound => "the session has no message with this id",
        })
    }
}

impl std::error::Error for ForkError {}

/// Returns a text that needs no escapes as a JSON string.
fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}
