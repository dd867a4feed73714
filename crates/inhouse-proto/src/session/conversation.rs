use std::collections::HashMap;
use std::hash::BuildHasher;
use std::time::UNIX_EPOCH;

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use serde::Deserialize;

use super::entry::{Entry, EntryId, hash_of};
use super::parallel_calls::{ToolLinks, insert_parallel_calls};

/// The index of a slot that does not exist.
pub(super) const NONE: u32 = u32::MAX;

/// The position of a line in a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LineSpan {
    /// Offset of the first byte in the file.
    pub offset: u64,
    /// Length in bytes, without the line break.
    pub len: u32,
}

impl LineSpan {
    /// Creates the position of a line.
    #[must_use]
    pub fn new(offset: u64, len: u32) -> Self {
        Self { offset, len }
    }
}

/// The transcript that a conversation is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConversationKind {
    /// The transcript of a session.
    Main,
    /// The transcript of a subagent, in which every entry is part of a sidechain.
    Subagent,
}

/// The order of the messages of a conversation.
///
/// A transcript is a log: it holds abandoned branches, messages that a compaction replaced, and parallel tool calls
/// whose results are on separate branches. This type collects the links between the entries, in about 60 bytes for
/// each, and returns the positions of the messages in the order in which the model sees them.
///
/// ```
/// use inhouse_proto::session::{Conversation, ConversationKind, Entry, LineSpan};
///
/// let mut conversation = Conversation::new();
/// let lines = [
///     r#"{"type":"user","uuid":"a","message":{"content":"Hello"}}"#,
///     r#"{"type":"user","uuid":"b","parentUuid":"a","message":{"content":"abandoned"}}"#,
///     r#"{"type":"assistant","uuid":"c","parentUuid":"a","message":{"content":[]}}"#,
/// ];
/// for (number, line) in lines.iter().enumerate() {
///     let span = LineSpan::new(number as u64, line.len() as u32);
///     conversation.push(span, &Entry::read(line).unwrap());
/// }
/// let messages = conversation.messages(ConversationKind::Main, false);
/// let numbers: Vec<u64> = messages.iter().map(|span| span.offset).collect();
/// assert_eq!(numbers, [0, 2]);
/// ```
#[derive(Debug, Default)]
pub struct Conversation {
    slots: Vec<Slot>,
    ids: SlotIds,
    links: ToolLinks,
    boundaries: Vec<CompactMetadata>,
}

/// An entry, or the id of a parent that was not read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    offset: u64,
    /// A hash: of the API's message id in an assistant entry, of the answered call in a tool result; zero if there is
    /// none.
    pub(super) hash: u64,
    pub(super) parent: u32,
    len: u32,
    /// The low bits of the time of the entry, in milliseconds since the Unix epoch.
    pub(super) time: u32,
    /// A hash of the subagent's id; zero if there is none.
    pub(super) agent: u16,
    pub(super) flags: u16,
}

const PRESENT: u16 = 1;
const USER: u16 = 1 << 1;
pub(super) const ASSISTANT: u16 = 1 << 2;
const SYSTEM: u16 = 1 << 3;
const PROGRESS: u16 = 1 << 4;
pub(super) const SIDECHAIN: u16 = 1 << 5;
const META: u16 = 1 << 6;
const TEAM: u16 = 1 << 7;
const QUEUED_PROMPT: u16 = 1 << 8;
const FORK_BRIEFING: u16 = 1 << 9;
pub(super) const TOOL_RESULT: u16 = 1 << 10;

impl Slot {
    const ABSENT: Self = Self {
        offset: 0,
        hash: 0,
        parent: NONE,
        len: 0,
        time: 0,
        agent: 0,
        flags: 0,
    };

    pub(super) fn is(self, flags: u16) -> bool {
        self.flags & flags != 0
    }

    /// Returns the order in the file.
    pub(super) fn position(self) -> u64 {
        self.offset
    }
}

impl Conversation {
    /// Creates a conversation without entries.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the entry of a line. Entries that are not chained are ignored.
    ///
    /// If two entries have the same id, the later one replaces the earlier one.
    pub fn push(&mut self, span: LineSpan, entry: &Entry<'_>) {
        let (true, Some(uuid)) = (entry.is_chained(), entry.uuid.as_deref()) else {
            return;
        };
        let slot = self.slot_of(uuid);
        let parent = match &entry.parent_uuid {
            Some(parent) => self.slot_of(parent),
            None => NONE,
        };
        let time = entry
            .created_at()
            .and_then(|at| at.duration_since(UNIX_EPOCH).ok())
            .map_or(0, |since| since.as_millis() as u32);
        let mut value = Slot {
            offset: span.offset,
            hash: 0,
            parent,
            len: span.len,
            time,
            agent: entry.agent_id.as_deref().map_or(0, |id| hash_of(id) as u16),
            flags: flags_of(entry),
        };
        if matches!(&*entry.tag, "user" | "assistant") {
            self.push_message(slot, entry, &mut value);
        }
        if entry.is_compact_boundary() {
            let metadata = entry
                .compact_metadata
                .and_then(|json| serde_json::from_str(json).ok());
            self.boundaries.extend(metadata);
        }
        self.slots[slot as usize] = value;
    }

    /// Returns the positions of the messages, oldest first.
    ///
    /// These are the user and assistant entries of the latest branch, since the last compaction, with the prompts that
    /// were sent during a turn, and with `include_system` also the system entries. In a
    /// [main](ConversationKind::Main) conversation, entries of subagents and teams and those that the CLI does not
    /// show are left out.
    #[must_use]
    pub fn messages(mut self, kind: ConversationKind, include_system: bool) -> Vec<LineSpan> {
        let order = match kind {
            ConversationKind::Main => {
                self.relink_compactions();
                self.ids = SlotIds::default();
                let chain = self.chain(self.main_leaf());
                insert_parallel_calls(&self.slots, &self.links, chain)
            }
            ConversationKind::Subagent => self.chain(self.last_message()),
        };
        self.links = ToolLinks::default();
        let mut visible = USER | ASSISTANT | QUEUED_PROMPT;
        if include_system {
            visible |= SYSTEM;
        }
        let hidden = match kind {
            ConversationKind::Main => SIDECHAIN | META | TEAM,
            ConversationKind::Subagent => 0,
        };
        order
            .into_iter()
            .map(|slot| self.slots[slot as usize])
            .filter(|slot| slot.is(visible) && !slot.is(hidden))
            .map(|slot| LineSpan {
                offset: slot.offset,
                len: slot.len,
            })
            .collect()
    }

    fn push_message(&mut self, slot: u32, entry: &Entry<'_>, value: &mut Slot) {
        let parts = entry.message_parts();
        if value.is(ASSISTANT) {
            value.hash = parts.id.as_deref().map_or(0, hash_of);
        }
        for block in parts.content.blocks() {
            match (&block.id, &block.tool_use_id) {
                (Some(id), _) if block.is("tool_use") => self.links.push_use(hash_of(id), slot),
                (_, Some(id)) if block.is("tool_result") && value.is(USER) => {
                    // The CLI writes one result per entry, so that nearly every result fits into its slot.
                    match value.is(TOOL_RESULT) {
                        false => value.hash = hash_of(id),
                        true => self.links.push_result(hash_of(id), slot),
                    }
                    value.flags |= TOOL_RESULT;
                }
                _ => {}
            }
        }
        if let Some(source) = &entry.source_tool_assistant {
            let source = self.slot_of(source);
            if source != value.parent {
                self.links.push_source(slot, source);
            }
        }
    }

    fn slot_of(&mut self, uuid: &str) -> u32 {
        let slot = self.ids.get_or_insert(EntryId::of(uuid));
        if slot as usize == self.slots.len() {
            self.slots.push(Slot::ABSENT);
        }
        slot
    }

    /// Returns the slot of an entry that was read.
    fn present(&self, uuid: &str) -> Option<u32> {
        let slot = self.ids.get(EntryId::of(uuid))?;
        self.slots[slot as usize].is(PRESENT).then_some(slot)
    }

    /// Links the messages that compactions preserved.
    ///
    /// A compaction begins a new chain at its boundary. The messages that it preserves were written before it, so their
    /// parents are on the old chain. They belong below the *anchor*, the summary, and what follows the anchor in the
    /// file belongs below the last of them.
    fn relink_compactions(&mut self) {
        let boundaries = std::mem::take(&mut self.boundaries);
        let mut runs = Vec::new();
        for boundary in boundaries {
            runs.extend(self.preserved_run(&boundary));
        }
        if runs.is_empty() {
            return;
        }
        let mut children: HashMap<u32, Vec<u32>, FixedState> = HashMap::default();
        for run in &runs {
            children.insert(run.anchor, Vec::new());
        }
        for (slot, value) in self.slots.iter().enumerate() {
            if let Some(children) = children.get_mut(&value.parent) {
                children.push(slot as u32);
            }
        }
        for run in runs {
            let (Some(first), Some(last)) = (run.slots.first(), run.slots.last()) else {
                continue;
            };
            for child in &children[&run.anchor] {
                let value = &mut self.slots[*child as usize];
                if value.parent == run.anchor && !run.slots.contains(child) {
                    value.parent = *last;
                }
            }
            self.slots[*first as usize].parent = run.anchor;
            for pair in run.slots.windows(2).filter(|_| run.is_complete) {
                self.slots[pair[1] as usize].parent = pair[0];
            }
        }
    }

    fn preserved_run(&self, boundary: &CompactMetadata) -> Option<PreservedRun> {
        if let Some(messages) = &boundary.preserved_messages {
            let slots: Option<Vec<u32>> = messages
                .uuids
                .iter()
                .map(|uuid| self.present(uuid))
                .collect();
            return Some(PreservedRun {
                anchor: self.present(&messages.anchor_uuid)?,
                slots: slots.filter(|slots| !slots.is_empty())?,
                is_complete: true,
            });
        }
        let segment = boundary.preserved_segment.as_ref()?;
        Some(PreservedRun {
            anchor: self.present(&segment.anchor_uuid)?,
            slots: vec![
                self.present(&segment.head_uuid)?,
                self.present(&segment.tail_uuid)?,
            ],
            is_complete: false,
        })
    }

    /// Returns the last message of the latest branch.
    fn main_leaf(&self) -> Option<u32> {
        let excluded = SIDECHAIN | TEAM | PROGRESS | FORK_BRIEFING;
        let mut leaves = self.leaves(excluded);
        leaves.sort_unstable_by_key(|leaf| std::cmp::Reverse(self.slots[*leaf as usize].offset));
        let found = leaves
            .into_iter()
            .find_map(|leaf| self.nearest_message(leaf));
        found.or_else(|| {
            // Every branch belongs to a subagent or a team: the latest message, preferably one that is shown.
            let messages = self.leaves(0).into_iter();
            messages
                .filter_map(|leaf| self.nearest_message(leaf))
                .max_by_key(|message| {
                    let slot = self.slots[*message as usize];
                    (!slot.is(SIDECHAIN | TEAM | META), slot.offset)
                })
        })
    }

    /// Returns the entries without a child, ignoring entries that have one of the flags.
    fn leaves(&self, excluded: u16) -> Vec<u32> {
        let is_included = |slot: Slot| slot.is(PRESENT) && !slot.is(excluded);
        let mut has_child = vec![false; self.slots.len()];
        for slot in self.slots.iter().filter(|slot| is_included(**slot)) {
            if let Some(has_child) = has_child.get_mut(slot.parent as usize) {
                *has_child = true;
            }
        }
        let slots = self.slots.iter().zip(has_child).enumerate();
        slots
            .filter(|(_, (slot, has_child))| is_included(**slot) && !has_child)
            .map(|(at, _)| at as u32)
            .collect()
    }

    /// Returns the entry, or its nearest ancestor, that is a message.
    fn nearest_message(&self, leaf: u32) -> Option<u32> {
        self.ancestors(leaf)
            .find(|slot| self.slots[*slot as usize].is(USER | ASSISTANT))
    }

    fn last_message(&self) -> Option<u32> {
        let slots = self.slots.iter().enumerate();
        slots
            .filter(|(_, slot)| slot.is(USER | ASSISTANT))
            .max_by_key(|(_, slot)| slot.offset)
            .map(|(at, _)| at as u32)
    }

    /// Returns the entries from the root to the leaf.
    fn chain(&self, leaf: Option<u32>) -> Vec<u32> {
        let mut chain = Vec::new();
        let mut is_seen = vec![false; self.slots.len()];
        for slot in leaf.into_iter().flat_map(|leaf| self.ancestors(leaf)) {
            if std::mem::replace(&mut is_seen[slot as usize], true) {
                break;
            }
            chain.push(slot);
        }
        chain.reverse();
        chain
    }

    /// Returns an entry and its ancestors that were read; ends in a cycle after as many steps as there are entries.
    fn ancestors(&self, from: u32) -> impl Iterator<Item = u32> {
        let present = |slot: u32| {
            let value = self.slots.get(slot as usize)?;
            value.is(PRESENT).then_some(slot)
        };
        std::iter::successors(present(from), move |slot| {
            present(self.slots[*slot as usize].parent)
        })
        .take(self.slots.len())
    }
}

/// The ids of slots, and the slot of each id.
#[derive(Debug, Default)]
struct SlotIds {
    ids: Vec<EntryId>,
    slots: HashTable<u32>,
}

impl SlotIds {
    fn get(&self, id: EntryId) -> Option<u32> {
        let found = self
            .slots
            .find(hash_of_id(id), |slot| self.ids[*slot as usize] == id);
        found.copied()
    }

    /// Returns the slot of an id; the next slot for a new one.
    fn get_or_insert(&mut self, id: EntryId) -> u32 {
        if let Some(slot) = self.get(id) {
            return slot;
        }
        let slot = u32::try_from(self.ids.len()).expect("fewer entries than 2^32");
        self.ids.push(id);
        self.slots.insert_unique(hash_of_id(id), slot, |slot| {
            hash_of_id(self.ids[*slot as usize])
        });
        slot
    }
}

fn hash_of_id(id: EntryId) -> u64 {
    FixedState::default().hash_one(id)
}

fn flags_of(entry: &Entry<'_>) -> u16 {
    let kind = match &*entry.tag {
        "user" => USER,
        "assistant" => ASSISTANT,
        "system" => SYSTEM,
        "progress" => PROGRESS,
        _ => match entry.attachment_parts() {
            parts if parts.is_queued_prompt() => QUEUED_PROMPT,
            parts if parts.kind.as_deref() == Some("fork_briefing") => FORK_BRIEFING,
            _ => 0,
        },
    };
    let flags = [
        (entry.is_sidechain, SIDECHAIN),
        (entry.is_meta, META),
        (entry.has_team, TEAM),
    ];
    let set = flags.iter().filter(|(is_set, _)| *is_set);
    set.fold(PRESENT | kind, |flags, (_, flag)| flags | flag)
}

/// Messages that a compaction preserved.
struct PreservedRun {
    anchor: u32,
    /// All preserved entries in order, or only the first and the last.
    slots: Vec<u32>,
    is_complete: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CompactMetadata {
    preserved_messages: Option<PreservedMessages>,
    preserved_segment: Option<PreservedSegment>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PreservedMessages {
    anchor_uuid: String,
    uuids: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PreservedSegment {
    head_uuid: String,
    anchor_uuid: String,
    tail_uuid: String,
}
