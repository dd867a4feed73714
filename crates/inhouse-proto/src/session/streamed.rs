use std::borrow::Cow;

use super::entry::Entry;
use crate::wire::Scanner;

/// A message of a conversation as the CLI streams it: the members that a transcript needs.
///
/// The CLI streams a message before it records it, and the entry of a message has the same `uuid` (2.1.325).
///
/// ```
/// use inhouse_proto::session::StreamedMessage;
///
/// let line = r#"{"type":"assistant","message":{"content":[]},"parent_tool_use_id":null,"uuid":"u1"}"#;
/// let message = StreamedMessage::read(line).unwrap();
/// assert_eq!(message.uuid, "u1");
/// assert_eq!(message.parent_tool_use_id, None);
/// assert!(StreamedMessage::read(r#"{"type":"result","uuid":"u2"}"#).is_none());
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StreamedMessage<'a> {
    /// The type of the message: `assistant` or `user`.
    pub tag: Cow<'a, str>,
    /// The id of the message.
    pub uuid: Cow<'a, str>,
    /// The call that started the subagent of this message; `None` in the main conversation.
    pub parent_tool_use_id: Option<Cow<'a, str>>,
    pub(super) message: &'a str,
    pub(super) timestamp: Option<Cow<'a, str>>,
    pub(super) tool_use_result: Option<&'a str>,
}

impl<'a> StreamedMessage<'a> {
    /// Reads a line of the CLI, or a prompt; `None` if it is not a message with an id.
    #[must_use]
    pub fn read(line: &'a str) -> Option<Self> {
        let (mut tag, mut uuid, mut parent, mut message) = (None, None, None, None);
        let (mut timestamp, mut tool_use_result) = (None, None);
        let mut scanner = Scanner::new(line);
        scanner.object(|scanner, name| {
            match name {
                "type" => tag = scanner.text()?,
                "uuid" => uuid = scanner.text()?,
                "parent_tool_use_id" => parent = scanner.text()?,
                "message" => message = scanner.optional()?,
                "timestamp" => timestamp = scanner.text()?,
                "tool_use_result" => tool_use_result = scanner.optional()?,
                _ => drop(scanner.value()?),
            }
            Some(())
        })?;
        Some(Self {
            tag: tag.filter(|tag| matches!(&**tag, "assistant" | "user"))?,
            uuid: uuid?,
            parent_tool_use_id: parent,
            message: message?,
            timestamp,
            tool_use_result,
        })
    }

    /// Returns whether the message contains the call with this id.
    #[must_use]
    pub fn has_call(&self, call: &str) -> bool {
        Blocks::of(self.message).calls.iter().any(|id| id == call)
    }
}

/// The ids in an API message.
pub(super) struct Blocks {
    pub(super) message_id: Option<String>,
    pub(super) calls: Vec<String>,
    pub(super) results: Vec<String>,
}

impl Blocks {
    pub(super) fn of(message: &str) -> Self {
        let entry = Entry {
            message: Some(message),
            ..Entry::default()
        };
        let parts = entry.message_parts();
        let (mut calls, mut results) = (Vec::new(), Vec::new());
        for block in parts.content.blocks() {
            match (block.is("tool_use"), block.id, block.tool_use_id) {
                (true, Some(id), _) => calls.push(id.into_owned()),
                (false, _, Some(id)) => results.push(id.into_owned()),
                _ => {}
            }
        }
        Self {
            message_id: parts.id.map(Cow::into_owned),
            calls,
            results,
        }
    }
}
