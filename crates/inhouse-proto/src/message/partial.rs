use serde_json::Value;

use super::{
    ApiMessage, Container, ContentBlock, ContextManagement, StopDetails, StopReason, Usage,
};
use crate::open::{open_struct, open_union};

open_struct! {
    /// A message in the making: one event of the API's stream.
    ///
    /// Sent only when partial messages were asked for. The complete
    /// [`AssistantMessage`](super::AssistantMessage)s still follow, so show one or the other.
    pub struct StreamEvent ["type" = "stream_event"] {
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

open_union! {
    /// An event of the API's stream.
    pub enum ApiEvent by "type" {
        /// A message begins.
        MessageStart(MessageStart) = "message_start",
        /// A content block begins.
        ContentBlockStart(Box<ContentBlockStart>) = "content_block_start",
        /// A content block grows.
        ContentBlockDelta(ContentBlockDelta) = "content_block_delta",
        /// A content block is done.
        ContentBlockStop(ContentBlockStop) = "content_block_stop",
        /// The message as a whole changes.
        MessageDelta(Box<MessageDelta>) = "message_delta",
        /// The message is done.
        MessageStop(MessageStop) = "message_stop",
        /// The connection is alive.
        Ping(Ping) = "ping",
    }
}

open_struct! {
    /// A message begins.
    pub struct MessageStart ["type" = "message_start"] {
        /// The message, still without content.
        pub message: Box<ApiMessage>,
    }
}

open_struct! {
    /// A content block begins.
    pub struct ContentBlockStart ["type" = "content_block_start"] {
        /// Its place in the content.
        pub index: u64,
        /// The block, still empty.
        pub content_block: ContentBlock,
    }
}

open_struct! {
    /// A content block grows.
    pub struct ContentBlockDelta ["type" = "content_block_delta"] {
        /// Its place in the content.
        pub index: u64,
        /// What is added.
        pub delta: ContentDelta,
    }
}

open_struct! {
    /// A content block is done.
    pub struct ContentBlockStop ["type" = "content_block_stop"] {
        /// Its place in the content.
        pub index: u64,
    }
}

open_struct! {
    /// The message as a whole changes.
    pub struct MessageDelta ["type" = "message_delta"] {
        /// What changed.
        pub delta: MessageChange,
        /// Tokens up to here.
        pub usage: Option<Box<Usage>>,
        /// What the API removed from the context.
        pub context_management: Option<ContextManagement>,
        /// How the API changed the input before the model saw it.
        pub input_transformations: Option<Vec<Value>>,
    }
}

open_struct! {
    /// What changed about a message as a whole.
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
}

open_struct! {
    /// The message is done.
    pub struct MessageStop ["type" = "message_stop"] {}
}

open_struct! {
    /// The connection is alive.
    pub struct Ping ["type" = "ping"] {}
}

open_union! {
    /// What is added to a content block.
    pub enum ContentDelta by "type" {
        /// Text.
        Text(TextDelta) = "text_delta",
        /// A piece of a tool call's arguments.
        InputJson(InputJsonDelta) = "input_json_delta",
        /// Reasoning.
        Thinking(ThinkingDelta) = "thinking_delta",
        /// The signature of the reasoning.
        Signature(SignatureDelta) = "signature_delta",
        /// A citation.
        Citations(CitationsDelta) = "citations_delta",
        /// A summary of an earlier part of the conversation.
        Compaction(CompactionDelta) = "compaction_delta",
    }
}

open_struct! {
    /// More text.
    pub struct TextDelta ["type" = "text_delta"] {
        /// The text.
        pub text: String,
    }
}

open_struct! {
    /// More of a tool call's arguments.
    pub struct InputJsonDelta ["type" = "input_json_delta"] {
        /// A piece of JSON text, cut anywhere.
        pub partial_json: String,
    }
}

open_struct! {
    /// More reasoning.
    pub struct ThinkingDelta ["type" = "thinking_delta"] {
        /// The reasoning.
        pub thinking: String,
        /// Tokens of the reasoning up to here, estimated.
        pub estimated_tokens: Option<u64>,
    }
}

open_struct! {
    /// The signature of the reasoning.
    pub struct SignatureDelta ["type" = "signature_delta"] {
        /// The signature.
        pub signature: String,
    }
}

open_struct! {
    /// A citation for the text.
    pub struct CitationsDelta ["type" = "citations_delta"] {
        /// The citation, as the API gives it.
        pub citation: Value,
    }
}

open_struct! {
    /// The summary of an earlier part of the conversation.
    pub struct CompactionDelta ["type" = "compaction_delta"] {
        /// The summary in the clear.
        pub content: Option<String>,
        /// The summary, encrypted.
        pub encrypted_content: Option<String>,
    }
}
