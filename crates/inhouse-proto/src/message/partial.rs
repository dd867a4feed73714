use crate::open::Unknown;
use inhouse_macros::Open;
use serde_json::Value;

use super::{
    ApiMessage, Container, ContentBlock, ContextManagement, StopDetails, StopReason, Usage,
};

/// A message in the making: one event of the API's stream.
///
/// Sent only when partial messages were asked for. The complete
/// [`AssistantMessage`](super::AssistantMessage)s still follow, so show one or the other.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct StreamEvent {
    /// The event.
    pub event: ApiEvent,
    /// The session.
    pub session_id: Option<String>,
    /// The tool call whose subagent speaks; `None` on the main thread.
    pub parent_tool_use_id: Option<String>,
    /// The id of this event.
    pub uuid: Option<String>,
    /// Milliseconds until the first token.
    pub ttft_ms: Option<f64>,
    /// The API message that is in the making. Not declared by the CLI.
    pub api_message_id: Option<String>,
    /// The prompt that is being answered; on the first event of a turn.
    pub user_message_uuid: Option<String>,
    /// All prompts that the turn has taken in so far.
    pub user_message_uuids: Option<Vec<String>>,
    /// Why the turn goes on after it was cut off.
    pub resume_reason: Option<String>,
}

impl StreamEvent {
    /// The text that this event adds, if it adds any.
    #[must_use]
    pub fn text_delta(&self) -> Option<&str> {
        match self.delta()? {
            ContentDelta::Text(delta) => Some(&delta.text),
            _ => None,
        }
    }

    /// The reasoning that this event adds, if it adds any.
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
    /// A message begins.
    MessageStart(MessageStart),
    /// A content block begins.
    ContentBlockStart(Box<ContentBlockStart>),
    /// A content block grows.
    ContentBlockDelta(ContentBlockDelta),
    /// A content block is done.
    ContentBlockStop(ContentBlockStop),
    /// The message as a whole changes.
    MessageDelta(Box<MessageDelta>),
    /// The message is done.
    MessageStop,
    /// The connection is alive.
    Ping,
    /// A value with an unknown tag, or with a known tag and an unexpected shape.
    Unknown(Unknown),
}

/// A message begins.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct MessageStart {
    /// The message, still without content.
    pub message: Box<ApiMessage>,
}

/// A content block begins.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ContentBlockStart {
    /// Its place in the content.
    pub index: u64,
    /// The block, still empty.
    pub content_block: ContentBlock,
}

/// A content block grows.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ContentBlockDelta {
    /// Its place in the content.
    pub index: u64,
    /// What is added.
    pub delta: ContentDelta,
}

/// A content block is done.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ContentBlockStop {
    /// Its place in the content.
    pub index: u64,
}

/// The message as a whole changes.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct MessageDelta {
    /// What changed.
    pub delta: MessageChange,
    /// Tokens up to here.
    pub usage: Option<Box<Usage>>,
    /// What the API removed from the context.
    pub context_management: Option<ContextManagement>,
    /// How the API changed the input before the model saw it.
    pub input_transformations: Option<Vec<Value>>,
}

/// What changed about a message as a whole.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct MessageChange {
    /// Why the model stopped.
    pub stop_reason: Option<StopReason>,
    /// The sequence at which it stopped.
    pub stop_sequence: Option<String>,
    /// More about a refusal.
    pub stop_details: Option<Box<StopDetails>>,
    /// The container in which the API's tools ran.
    pub container: Option<Box<Container>>,
}

/// What is added to a content block.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(tag = "type")]
#[non_exhaustive]
pub enum ContentDelta {
    /// Text.
    #[serde(rename = "text_delta")]
    Text(TextDelta),
    /// A piece of a tool call's arguments.
    #[serde(rename = "input_json_delta")]
    InputJson(InputJsonDelta),
    /// Reasoning.
    #[serde(rename = "thinking_delta")]
    Thinking(ThinkingDelta),
    /// The signature of the reasoning.
    #[serde(rename = "signature_delta")]
    Signature(SignatureDelta),
    /// A citation.
    #[serde(rename = "citations_delta")]
    Citations(CitationsDelta),
    /// A summary of an earlier part of the conversation.
    #[serde(rename = "compaction_delta")]
    Compaction(CompactionDelta),
    /// A value with an unknown tag, or with a known tag and an unexpected shape.
    Unknown(Unknown),
}

/// More text.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct TextDelta {
    /// The text.
    pub text: String,
}

/// More of a tool call's arguments.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct InputJsonDelta {
    /// A piece of JSON text, cut anywhere.
    pub partial_json: String,
}

/// More reasoning.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ThinkingDelta {
    /// The reasoning.
    pub thinking: String,
    /// Tokens of the reasoning up to here, estimated.
    pub estimated_tokens: Option<u64>,
}

/// The signature of the reasoning.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct SignatureDelta {
    /// The signature.
    pub signature: String,
}

/// A citation for the text.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct CitationsDelta {
    /// The citation, as the API gives it.
    pub citation: Value,
}

/// The summary of an earlier part of the conversation.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct CompactionDelta {
    /// The summary in the clear.
    pub content: Option<String>,
    /// The summary, encrypted.
    pub encrypted_content: Option<String>,
}
