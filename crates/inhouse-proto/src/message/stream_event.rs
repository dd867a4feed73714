use crate::open::Unknown;
use inhouse_macros::Open;
use serde_json::Value;

use super::{
    ApiMessage, Container, ContentBlock, ContextManagement, StopDetails, StopReason, Usage,
};

/// An event of the API's stream while a message is being written.
///
/// Sent only if partial messages are enabled. The complete [`AssistantMessage`](super::AssistantMessage)s still
/// follow, so display one or the other.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct StreamEvent {
    /// The event of the API's stream.
    pub event: ApiEvent,
    /// The session that the event belongs to.
    pub session_id: Option<String>,
    /// The tool call that started the subagent that the event comes from; `None` in the main conversation.
    pub parent_tool_use_id: Option<String>,
    /// The id of this event.
    pub uuid: Option<String>,
    /// Time to the first token, in milliseconds.
    pub ttft_ms: Option<f64>,
    /// The API's id of the message that is being written. Not in the official SDK's types.
    pub api_message_id: Option<String>,
    /// The id of the prompt that is being answered. Present only on the first event of a turn, not counting pings.
    pub user_message_uuid: Option<String>,
    /// The ids of all prompts that the turn has consumed so far. Present only together with `user_message_uuid`.
    pub user_message_uuids: Option<Vec<String>>,
    /// Reason why the turn continues after it was cut off. Present only on the first event of a turn, not counting
    /// pings.
    pub resume_reason: Option<String>,
}

impl StreamEvent {
    /// Returns the text that this event adds, if it adds any.
    #[must_use]
    pub fn text_delta(&self) -> Option<&str> {
        match self.delta()? {
            ContentDelta::Text(delta) => Some(&delta.text),
            _ => None,
        }
    }

    /// Returns the reasoning that this event adds, if it adds any.
    #[must_use]
    pub fn thinking_delta(&self) -> Option<&str> {
        match self.delta()? {
            ContentDelta::Thinking(delta) => Some(&delta.thinking),
            _ => None,
        }
    }

    fn delta(&self) -> Option<&ContentDelta> {
        match &self.event {
            ApiEvent::ContentBlockDelta(event) => Some(&event.delta),
            _ => None,
        }
    }
}

/// An event of the API's stream.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ApiEvent {
    /// The start of a message.
    MessageStart(MessageStart),
    /// The start of a content block.
    ContentBlockStart(Box<ContentBlockStart>),
    /// An addition to a content block.
    ContentBlockDelta(ContentBlockDelta),
    /// The end of a content block.
    ContentBlockStop(ContentBlockStop),
    /// A change of the message itself, such as its stop reason.
    MessageDelta(Box<MessageDelta>),
    /// The end of the message.
    MessageStop,
    /// A keep-alive event without content.
    Ping,
    /// A value with an unknown tag, or with a known tag and an unexpected shape.
    Unknown(Unknown),
}

/// The start of a message.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct MessageStart {
    /// The message, still without content.
    pub message: Box<ApiMessage>,
}

/// The start of a content block.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ContentBlockStart {
    /// Index of the block in the content list.
    pub index: u64,
    /// The block, still empty.
    pub content_block: ContentBlock,
}

/// An addition to a content block.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ContentBlockDelta {
    /// Index of the block in the content list.
    pub index: u64,
    /// The content to append to the block.
    pub delta: ContentDelta,
}

/// The end of a content block.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ContentBlockStop {
    /// Index of the block in the content list.
    pub index: u64,
}

/// A change of the message itself.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct MessageDelta {
    /// The members that changed.
    pub delta: MessageChange,
    /// Token counts up to this event.
    pub usage: Option<Box<Usage>>,
    /// Edits by which the API removed content from the context.
    pub context_management: Option<ContextManagement>,
    /// Changes that the API made to the input before the model received it.
    pub input_transformations: Option<Vec<Value>>,
}

/// The members of a message that a [`MessageDelta`] sets.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct MessageChange {
    /// Reason why the model stopped.
    pub stop_reason: Option<StopReason>,
    /// The stop sequence that the model wrote, if it stopped at one.
    pub stop_sequence: Option<String>,
    /// Details of a refusal; `None` unless the model refused.
    pub stop_details: Option<Box<StopDetails>>,
    /// The container in which the API ran its tools, if it ran any there.
    pub container: Option<Box<Container>>,
}

/// The content that is appended to a block.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(tag = "type")]
#[non_exhaustive]
pub enum ContentDelta {
    /// A piece of text.
    #[serde(rename = "text_delta")]
    Text(TextDelta),
    /// A piece of a tool call's arguments.
    #[serde(rename = "input_json_delta")]
    InputJson(InputJsonDelta),
    /// A piece of the model's reasoning.
    #[serde(rename = "thinking_delta")]
    Thinking(ThinkingDelta),
    /// The signature of the reasoning.
    #[serde(rename = "signature_delta")]
    Signature(SignatureDelta),
    /// A citation for the text.
    #[serde(rename = "citations_delta")]
    Citations(CitationsDelta),
    /// A summary of an earlier part of the conversation.
    #[serde(rename = "compaction_delta")]
    Compaction(CompactionDelta),
    /// A value with an unknown tag, or with a known tag and an unexpected shape.
    Unknown(Unknown),
}

/// A piece of text.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct TextDelta {
    /// The text to append.
    pub text: String,
}

/// A piece of a tool call's arguments.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct InputJsonDelta {
    /// A fragment of JSON text, split at an arbitrary position.
    pub partial_json: String,
}

/// A piece of the model's reasoning.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ThinkingDelta {
    /// The reasoning to append.
    pub thinking: String,
    /// Estimated number of reasoning tokens up to this event.
    pub estimated_tokens: Option<u64>,
}

/// The signature of the reasoning.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct SignatureDelta {
    /// The signature, for verification by the API.
    pub signature: String,
}

/// A citation for the text.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct CitationsDelta {
    /// The citation, in the API's format.
    pub citation: Value,
}

/// The summary of an earlier part of the conversation.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct CompactionDelta {
    /// The summary as plain text.
    pub content: Option<String>,
    /// The summary in encrypted form.
    pub encrypted_content: Option<String>,
}
