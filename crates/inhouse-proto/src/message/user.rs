use inhouse_macros::Open;
use serde_json::Value;

use super::{ContentBlock, MessageContent, MessageOrigin, Priority, Role, ToolResultBlock};

/// A message on the user's side of the conversation, as the CLI reports it.
///
/// Most user messages contain tool results. The CLI inserts others, for example if a background task ended or a peer
/// sent a message. If replay is enabled, the CLI also echoes each prompt, marked by [`is_replay`](Self::is_replay);
/// the echo contains the id of a prompt for which the host did not choose one.
///
/// To send a prompt, use [`Prompt`](super::Prompt).
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct UserMessage {
    /// The message object of the API.
    pub message: ApiUserMessage,
    /// The tool call that started the subagent that the message belongs to; `None` in the main conversation.
    pub parent_tool_use_id: Option<String>,
    /// The id of the subagent, equal to the task id in its task events.
    pub agent_id: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
    /// The id of the message.
    pub uuid: Option<String>,
    /// Time at which the message was created, in ISO 8601.
    pub timestamp: Option<String>,
    /// Whether the message is an echo of a prompt.
    #[serde(rename = "isReplay")]
    pub is_replay: Option<bool>,
    /// Whether the message was generated instead of typed by a person.
    #[serde(rename = "isSynthetic")]
    pub is_synthetic: Option<bool>,
    /// The complete output of the tool as structured data, in a shape that depends on the tool.
    ///
    /// `{"detachedToolCall": true}` means that the call still runs and that its result follows in a later turn.
    pub tool_use_result: Option<Value>,
    /// The origin of the message.
    pub origin: Option<MessageOrigin>,
    /// The position at which the message joined the queue.
    pub priority: Option<Priority>,
    /// Whether the message started a turn; `false` if it was only added to the transcript.
    #[serde(rename = "shouldQuery")]
    pub should_query: Option<bool>,
    /// Whether the text was used verbatim, without slash commands and file references.
    pub client_composed: Option<bool>,
    /// Pastes that were removed from the text.
    pub pasted_content: Option<Vec<MessageContent>>,
    /// Pastes that are still part of the text.
    pub inline_pastes: Option<Vec<String>>,
    /// Files that were attached to the prompt. Present only on echoes.
    pub file_attachments: Option<Vec<Value>>,
    /// Provenance of each tool result: which component allowed or denied the call. Not in the official SDK's types.
    pub tool_result_meta: Option<Vec<Value>>,
    /// The type name of the subagent.
    pub subagent_type: Option<String>,
    /// Short description of the subagent's task.
    pub task_description: Option<String>,
}

/// The message object of a user message.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ApiUserMessage {
    /// The author of the message: the user.
    pub role: Option<Role>,
    /// The content of the message.
    pub content: MessageContent,
}

impl UserMessage {
    /// Returns whether the message is an echo of a prompt.
    #[must_use]
    pub fn is_replay(&self) -> bool {
        self.is_replay == Some(true)
    }

    /// Returns the tool results that the message contains.
    pub fn tool_results(&self) -> impl Iterator<Item = &ToolResultBlock> {
        self.message
            .content
            .blocks()
            .iter()
            .filter_map(ContentBlock::as_tool_result)
    }
}
