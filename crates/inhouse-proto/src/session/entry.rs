use std::borrow::Cow;
use std::hash::BuildHasher;
use std::time::SystemTime;

use foldhash::fast::FixedState;
use serde_json::value::RawValue;

use super::id::parse_uuid;
use crate::wire::{Scanner, unquote};

/// An entry of a transcript: its line, and the members that this crate reads.
///
/// Members of the wrong shape are read as absent. The values are slices of the line and are not checked inside, so
/// reading an entry costs little more than a search for quotation marks.
///
/// ```
/// use inhouse_proto::session::Entry;
///
/// let entry = Entry::read(r#"{"type":"user","uuid":"u1","parentUuid":null,"added_later":1}"#).unwrap();
/// assert_eq!(entry.tag, "user");
/// assert_eq!(entry.uuid.as_deref(), Some("u1"));
/// assert!(Entry::read(r#"{"type":"user","uui"#).is_none());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry<'a> {
    /// The line without its line break.
    pub line: &'a str,
    /// The type of the entry, from its member `type`.
    pub tag: Cow<'a, str>,
    /// The member `subtype`, which system entries have.
    pub subtype: Option<Cow<'a, str>>,
    /// The id of the entry; `None` for most metadata.
    pub uuid: Option<Cow<'a, str>>,
    /// The entry before this one; `None` at a root.
    pub parent_uuid: Option<Cow<'a, str>>,
    /// The session that the entry belongs to.
    pub session_id: Option<Cow<'a, str>>,
    /// Time at which the entry was created, in ISO 8601.
    pub timestamp: Option<Cow<'a, str>>,
    /// Whether the entry belongs to a subagent.
    pub is_sidechain: bool,
    /// Whether the CLI inserted the entry for the model, and does not show it.
    pub is_meta: bool,
    /// Whether the entry is the summary that follows a compaction.
    pub is_compact_summary: bool,
    /// Whether the entry belongs to a team of agents.
    pub has_team: bool,
    pub(super) agent_id: Option<Cow<'a, str>>,
    /// The assistant entry with the call that this tool result answers.
    pub(super) source_tool_assistant: Option<Cow<'a, str>>,
    /// The JSON text of `message`, `attachment` and `compactMetadata`.
    pub(super) message: Option<&'a str>,
    pub(super) attachment: Option<&'a str>,
    pub(super) compact_metadata: Option<&'a str>,
}

impl<'a> Entry<'a> {
    /// Reads a line; `None` if it is not a JSON object with a `type`.
    #[must_use]
    pub fn read(line: &'a str) -> Option<Self> {
        let mut entry = Self {
            line,
            ..Self::default()
        };
        let mut tag = None;
        let mut scanner = Scanner::new(line);
        scanner.object(|scanner, name| {
            match name {
                "type" => tag = scanner.text()?,
                "subtype" => entry.subtype = scanner.text()?,
                "uuid" => entry.uuid = scanner.text()?,
                "parentUuid" => entry.parent_uuid = scanner.text()?,
                "sessionId" => entry.session_id = scanner.text()?,
                "timestamp" => entry.timestamp = scanner.text()?,
                "agentId" => entry.agent_id = scanner.text()?,
                "sourceToolAssistantUUID" => entry.source_tool_assistant = scanner.text()?,
                "isSidechain" => entry.is_sidechain = scanner.value()? == "true",
                "isMeta" => entry.is_meta = scanner.value()? == "true",
                "isCompactSummary" => entry.is_compact_summary = scanner.value()? == "true",
                "teamName" => entry.has_team = !matches!(scanner.value()?, "null" | "\"\""),
                "message" => entry.message = scanner.optional()?,
                "attachment" => entry.attachment = scanner.optional()?,
                "compactMetadata" => entry.compact_metadata = scanner.optional()?,
                _ => drop(scanner.value()?),
            }
            Some(())
        })?;
        scanner.end()?;
        entry.tag = tag?;
        Some(entry)
    }

    /// Returns the time at which the entry was created; `None` if it is absent or not in UTC.
    #[must_use]
    pub fn created_at(&self) -> Option<SystemTime> {
        parse_time(self.timestamp.as_deref()?)
    }

    /// Returns whether the entry is part of the chain of a conversation: it has an id and a parent.
    #[must_use]
    pub fn is_chained(&self) -> bool {
        self.uuid.is_some()
            && matches!(
                &*self.tag,
                "user" | "assistant" | "system" | "attachment" | "progress"
            )
    }

    /// Returns whether the entry is a message of the main conversation. The CLI resumes no transcript without one (2.1.325).
    ///
    /// ```
    /// use inhouse_proto::session::Entry;
    ///
    /// let queued = Entry::read(r#"{"type":"queue-operation","operation":"enqueue"}"#).unwrap();
    /// assert!(!queued.is_message());
    /// assert!(Entry::read(r#"{"type":"user","uuid":"u1"}"#).unwrap().is_message());
    /// ```
    #[must_use]
    pub fn is_message(&self) -> bool {
        self.uuid.is_some() && !self.is_sidechain && matches!(&*self.tag, "user" | "assistant")
    }

    /// Returns whether the entry is a compaction boundary.
    pub(super) fn is_compact_boundary(&self) -> bool {
        self.tag == "system" && self.subtype.as_deref() == Some("compact_boundary")
    }

    /// Returns the members of `message` that chains and summaries need.
    pub(super) fn message_parts(&self) -> MessageParts<'a> {
        let mut parts = MessageParts::default();
        let _ = Scanner::new(self.message.unwrap_or_default()).object(|scanner, name| {
            match name {
                "id" => parts.id = scanner.text()?,
                "content" => parts.content = Blocks(scanner.value()?),
                _ => drop(scanner.value()?),
            }
            Some(())
        });
        parts
    }

    /// Returns the members of `attachment` that chains need.
    pub(super) fn attachment_parts(&self) -> AttachmentParts<'a> {
        let mut parts = AttachmentParts::default();
        let _ = Scanner::new(self.attachment.unwrap_or_default()).object(|scanner, name| {
            match name {
                "type" => parts.kind = scanner.text()?,
                "commandMode" => parts.command_mode = scanner.text()?,
                "source_uuid" => parts.source_uuid = scanner.text()?,
                "prompt" => parts.prompt = Blocks(scanner.value()?),
                _ => drop(scanner.value()?),
            }
            Some(())
        });
        parts
    }
}

/// The members of an API message that are read.
#[derive(Default)]
pub(super) struct MessageParts<'a> {
    pub(super) id: Option<Cow<'a, str>>,
    pub(super) content: Blocks<'a>,
}

/// The members of an attachment that are read.
#[derive(Default)]
pub(super) struct AttachmentParts<'a> {
    pub(super) kind: Option<Cow<'a, str>>,
    pub(super) command_mode: Option<Cow<'a, str>>,
    pub(super) source_uuid: Option<Cow<'a, str>>,
    pub(super) prompt: Blocks<'a>,
}

impl AttachmentParts<'_> {
    /// Returns whether the attachment is a prompt that the user sent during a turn.
    pub(super) fn is_queued_prompt(&self) -> bool {
        self.kind.as_deref() == Some("queued_command")
            && matches!(self.command_mode.as_deref(), None | Some("prompt"))
    }
}

/// The JSON text of the content of a message: a string, or an array of blocks.
#[derive(Clone, Copy, Default)]
pub(super) struct Blocks<'a>(&'a str);

impl<'a> Blocks<'a> {
    /// Returns the blocks; none if the content is a string, or is not valid.
    pub(super) fn blocks(self) -> impl Iterator<Item = Block<'a>> {
        let blocks: Vec<&'a RawValue> = match self.0.starts_with('[') {
            true => serde_json::from_str(self.0).unwrap_or_default(),
            false => Vec::new(),
        };
        blocks.into_iter().map(|raw| Block::read(raw.get()))
    }

    /// Returns the content if it is a string, or the text of each text block.
    pub(super) fn texts(self) -> impl Iterator<Item = Cow<'a, str>> {
        let blocks = self.blocks().filter(|block| block.is("text"));
        unquote(self.0)
            .into_iter()
            .chain(blocks.filter_map(|block| unquote(block.text?)))
    }

    /// Returns whether a block has this type.
    pub(super) fn has(self, kind: &str) -> bool {
        self.blocks().any(|block| block.is(kind))
    }
}

/// The members of a content block that are read.
#[derive(Default)]
pub(super) struct Block<'a> {
    kind: Option<Cow<'a, str>>,
    /// The JSON text of the member `text`, which can be long.
    text: Option<&'a str>,
    pub(super) id: Option<Cow<'a, str>>,
    pub(super) tool_use_id: Option<Cow<'a, str>>,
}

impl<'a> Block<'a> {
    fn read(json: &'a str) -> Self {
        let mut block = Self::default();
        let _ = Scanner::new(json).object(|scanner, name| {
            match name {
                "type" => block.kind = scanner.text()?,
                "text" => block.text = Some(scanner.value()?),
                "id" => block.id = scanner.text()?,
                "tool_use_id" => block.tool_use_id = scanner.text()?,
                _ => drop(scanner.value()?),
            }
            Some(())
        });
        block
    }

    pub(super) fn is(&self, kind: &str) -> bool {
        self.kind.as_deref() == Some(kind)
    }
}

/// The id of an entry in 16 bytes, for tables of many entries.
///
/// Holds the bits of a UUID, or a hash of any other text.
///
/// ```
/// use inhouse_proto::session::EntryId;
///
/// let upper = EntryId::of("0B9C6F6E-7A46-4F0C-9D5E-3F6F1F1C2A11");
/// assert_eq!(upper, EntryId::of("0b9c6f6e-7a46-4f0c-9d5e-3f6f1f1c2a11"));
/// assert_ne!(upper, EntryId::of("u1"));
/// ```
// Four parts and not one `u128`, whose alignment would make the entries of a table half as large again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EntryId([u32; 4]);

impl EntryId {
    /// Returns the id for the text of an entry's `uuid`.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let bits = parse_uuid(text).unwrap_or_else(|| {
            let half = |seed| u128::from(FixedState::with_seed(seed).hash_one(text));
            half(1) << 64 | half(2)
        });
        Self::from_u128(bits)
    }

    /// Returns the id for the bits of a UUID.
    #[must_use]
    pub fn from_u128(bits: u128) -> Self {
        Self([96, 64, 32, 0].map(|shift| (bits >> shift) as u32))
    }
}

/// Returns a hash of an id that is not a UUID, such as a tool call's, in 8 bytes. Zero stands for no id.
pub(super) fn hash_of(text: &str) -> u64 {
    FixedState::with_seed(3).hash_one(text).max(1)
}

pub(super) fn parse_time(text: &str) -> Option<SystemTime> {
    humantime::parse_rfc3339(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_read_in_any_order() {
        let entry = Entry::read(
            r#" {"message":{"id":"m","content":[{"type":"tool_use","id":"t"}]},"isSidechain":true,
            "parentUuid":"p","uuid":"u","teamName":"x","type":"assistant"} "#,
        )
        .unwrap();
        assert!(entry.is_sidechain && entry.has_team && entry.is_chained());
        assert_eq!(entry.parent_uuid.as_deref(), Some("p"));
        let parts = entry.message_parts();
        assert_eq!(parts.id.as_deref(), Some("m"));
        let block = parts.content.blocks().next().unwrap();
        assert_eq!(block.id.as_deref(), Some("t"));
    }

    #[test]
    fn members_of_the_wrong_shape_are_absent() {
        let entry = Entry::read(
            r#"{"type":"user","uuid":7,"parentUuid":[],"timestamp":1,"message":[1],"isMeta":"yes"}"#,
        )
        .unwrap();
        assert_eq!(entry.uuid, None);
        assert_eq!(entry.parent_uuid, None);
        assert!(!entry.is_meta);
        assert_eq!(entry.message_parts().content.texts().count(), 0);
        assert_eq!(entry.created_at(), None);
    }

    #[test]
    fn broken_lines_are_rejected() {
        for line in [
            "",
            "\r",
            "null",
            "[]",
            "{}",
            r#"{"uuid":"u"}"#,
            r#"{"type":"user""#,
            r#"{"type":"user"}{"type":"user"}"#,
            r#"{"type":7}"#,
        ] {
            assert_eq!(Entry::read(line), None, "{line}");
        }
    }

    #[test]
    fn content_is_a_text_or_blocks() {
        for (content, texts) in [
            (r#""a\nb""#, vec!["a\nb"]),
            (
                r#"[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]"#,
                vec!["a", "b"],
            ),
            ("null", vec![]),
            ("7", vec![]),
        ] {
            let line = format!(r#"{{"type":"user","message":{{"content":{content}}}}}"#);
            let parts = Entry::read(&line).unwrap().message_parts();
            assert_eq!(parts.content.texts().collect::<Vec<_>>(), texts, "{line}");
        }
    }
}
