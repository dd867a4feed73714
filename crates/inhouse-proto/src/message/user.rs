use inhouse_macros::Open;
use serde_json::Value;

use super::{Content, ContentBlock, MessageOrigin, Priority, Role, ToolResultBlock};

/// A message on the user's side of the conversation, as the CLI reports it.
///
/// Most carry the results of tools. Others were put in by the CLI (a background task that
/// ended, a message of a peer), and with replay turned on each prompt comes back as an echo,
/// marked by [`is_replay`](Self::is_replay): that is how a host learns the id of a prompt for
/// which it did not choose one.
///
/// To write a message, use [`Prompt`](super::Prompt).
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct UserMessage {
    /// The message.
    pub message: ApiUserMessage,
    /// The tool call to whose subagent it belongs; `None` on the main thread.
    pub parent_tool_use_id: Option<String>,
    /// The subagent, by the id that its task events carry too.
    pub agent_id: Option<String>,
    /// The session.
    pub session_id: Option<String>,
    /// The id of the message.
    pub uuid: Option<String>,
    /// When it was made, as an ISO 8601 time.
    pub timestamp: Option<String>,
    /// Whether it is an echo of a prompt.
    #[serde(rename = "isReplay")]
    pub is_replay: Option<bool>,
    /// Whether nobody typed it.
    #[serde(rename = "isSynthetic")]
    pub is_synthetic: Option<bool>,
    /// The whole output of the tool as data, in the tool's own shape.
    ///
    /// `{"detachedToolCall": true}` says that the call still runs and that its result comes in
    /// a later turn.
    pub tool_use_result: Option<Value>,
    /// Where the message comes from.
    pub origin: Option<MessageOrigin>,
    /// How it was queued.
    pub priority: Option<Priority>,
    /// `false` when it was only added to the transcript, without a turn of its own.
    #[serde(rename = "shouldQuery")]
    pub should_query: Option<bool>,
    /// Whether the text was taken as it is, without commands and file references.
    pub client_composed: Option<bool>,
    /// Pastes that were taken out of the text.
    pub pasted_content: Option<Vec<Content>>,
    /// Pastes that are still in the text.
    pub inline_pastes: Option<Vec<String>>,
    /// Files that came with a prompt; on echoes.
    pub file_attachments: Option<Vec<Value>>,
    /// How each of its tool results came about: who allowed or refused the call. Not declared by
    /// the CLI.
    pub tool_result_meta: Option<Vec<Value>>,
    /// The kind of subagent.
    pub subagent_type: Option<String>,
    /// What the subagent was asked to do, in short.
    pub task_description: Option<String>,
}

/// The message object of a user message.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ApiUserMessage {
    /// Who speaks: the user.
    pub role: Option<Role>,
    /// The content.
    pub content: Content,
}

impl UserMessage {
    /// Whether the message is an echo of a prompt.
    #[must_use]
    pub fn is_replay(&self) -> bool {
        self.is_replay == Some(true)
    }

    /// The results of tools in it.
    pub fn tool_results(&self) -> impl Iterator<Item = &ToolResultBlock> {
        self.message
            .content
            .blocks()
            .iter()
            .filter_map(ContentBlock::as_tool_result)
    }
}
