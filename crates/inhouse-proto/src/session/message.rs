use std::borrow::Cow;
use std::time::SystemTime;

use super::Entry;
use crate::message::Message;
use crate::wire::{Text, string_member};

/// A message of a session, read from its transcript.
///
/// Holds the line of the transcript; [`message`](Self::message) decodes it.
///
/// ```
/// use inhouse_proto::message::Message;
/// use inhouse_proto::session::{SessionMessage, SessionMessageKind};
///
/// let line = r#"{"type":"user","uuid":"u1","message":{"role":"user","content":"Hello"}}"#;
/// let message = SessionMessage::read(line.to_owned()).unwrap();
/// assert_eq!(message.kind, SessionMessageKind::User);
/// assert_eq!(message.text(), "Hello");
/// assert!(matches!(message.message()?, Message::User(_)));
/// assert_eq!(message.raw(), line);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SessionMessage {
    /// The author of the message.
    pub kind: SessionMessageKind,
    /// The id of the message. A session can be forked or resumed from it.
    pub uuid: String,
    /// The session that the message was written in; differs in a session that the CLI copied it to.
    pub session_id: Option<String>,
    /// Time at which the message was created.
    pub timestamp: Option<SystemTime>,
    /// Whether the message is the summary that replaced the conversation before it.
    pub is_compact_summary: bool,
    /// The tool call that started the subagent that the message belongs to; `None` in the main conversation.
    pub parent_tool_use_id: Option<String>,
    /// The subagent that started the subagent that the message belongs to.
    pub parent_agent_id: Option<String>,
    line: Text,
}

/// The author of a [`SessionMessage`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SessionMessageKind {
    /// The user: a prompt or tool results.
    User,
    /// The model: a content block of an answer.
    Assistant,
    /// The CLI: a notice such as a compaction boundary.
    System,
}

impl SessionMessage {
    /// Reads a line of a transcript; `None` if the line is not a message.
    ///
    /// A prompt that was sent during a turn is a message of the user, although its entry is an attachment.
    #[must_use]
    pub fn read(line: String) -> Option<Self> {
        let entry = Entry::read(&line)?;
        let kind = match &*entry.tag {
            "user" => SessionMessageKind::User,
            "assistant" => SessionMessageKind::Assistant,
            "system" => SessionMessageKind::System,
            "attachment" if entry.attachment_parts().is_queued_prompt() => SessionMessageKind::User,
            _ => return None,
        };
        // The id that the host gave to a prompt that was sent during a turn.
        let source = entry.attachment_parts().source_uuid;
        let message = Self {
            kind,
            uuid: source.as_ref().or(entry.uuid.as_ref())?.to_string(),
            session_id: entry.session_id.as_deref().map(str::to_owned),
            timestamp: entry.created_at(),
            is_compact_summary: entry.is_compact_summary,
            parent_tool_use_id: None,
            parent_agent_id: None,
            line: Text::default(),
        };
        Some(Self {
            line: line.into(),
            ..message
        })
    }

    /// Returns the line as it is in the transcript.
    #[must_use]
    pub fn raw(&self) -> &str {
        &self.line
    }

    /// Returns the text of the message: its text blocks, concatenated; empty if there are none.
    #[must_use]
    pub fn text(&self) -> String {
        let Some(entry) = Entry::read(&self.line) else {
            return String::new();
        };
        match (self.kind, &*entry.tag) {
            (SessionMessageKind::System, _) => {
                let content = string_member(&self.line, "content");
                content.map(Cow::into_owned).unwrap_or_default()
            }
            (_, "attachment") => entry.attachment_parts().prompt.texts().collect(),
            _ => entry.message_parts().content.texts().collect(),
        }
    }

    /// Decodes the message.
    ///
    /// The members of a transcript have other names than those of the CLI's output, such as `sessionId`, so fields
    /// beside `message` may be `None`. A prompt that was sent during a turn is a
    /// [`Message::Attachment`], and a system entry may be a [`Message::Unknown`].
    ///
    /// # Errors
    /// Returns an error if the line is not valid JSON.
    pub fn message(&self) -> serde_json::Result<Message> {
        Message::decode_line(&self.line)
    }
}
