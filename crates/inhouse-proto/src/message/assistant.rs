use inhouse_macros::Open;
use serde_json::Value;

use std::borrow::Cow;

use super::content::text_of;
use super::{ApiMessage, AssistantError, ContextUsage, ToolUseBlock, UsageReport};

/// A finished content block of the model's answer.
///
/// The CLI sends one such message for each content block. Consecutive messages share the API's message id in
/// [`ApiMessage::id`], have no stop reason yet, and have only provisional token counts. The final stop reason and the
/// totals are in the [`ResultMessage`](super::ResultMessage) of the turn.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct AssistantMessage {
    /// The message object of the API, usually with a single content block.
    pub message: ApiMessage,
    /// The tool call that started the subagent that wrote the message; `None` in the main conversation.
    pub parent_tool_use_id: Option<String>,
    /// The id of the subagent, equal to the task id in its task events.
    pub agent_id: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
    /// The id of this message. A session can be forked or resumed from it.
    pub uuid: Option<String>,
    /// Time at which the block was finished by the CLI's clock, in ISO 8601; for display only.
    pub timestamp: Option<String>,
    /// The kind of API failure, if the CLI generated the message to report one.
    pub error: Option<AssistantError>,
    /// Whether the message reports an API failure. Not in the official SDK's types.
    pub is_api_error_message: Option<bool>,
    /// HTTP status of the API failure. Not in the official SDK's types.
    pub api_error_status: Option<u16>,
    /// The API's type of the failure. Not in the official SDK's types.
    pub api_error_type: Option<String>,
    /// Display information about the called tools. Not in the official SDK's types.
    pub tool_use_meta: Option<Vec<Value>>,
    /// The id of the prompt that is being answered. Present only on the first message after the prompt changed, and
    /// never on messages of subagents.
    pub user_message_uuid: Option<String>,
    /// The ids of all prompts that the turn has consumed so far, at most 64. Present only together with
    /// `user_message_uuid`.
    pub user_message_uuids: Option<Vec<String>>,
    /// The type name of the subagent.
    pub subagent_type: Option<String>,
    /// Short description of the subagent's task.
    pub task_description: Option<String>,
    /// The id of the API request that produced the message.
    pub request_id: Option<String>,
    /// Reason why the turn continues after it was cut off, such as `interrupted_turn`.
    pub resume_reason: Option<String>,
    /// Whether the turn continues inside a thinking block that was cut off.
    pub resumed_from_incomplete_thinking: Option<bool>,
    /// The ids of earlier messages that this one replaces. Remove them from a stored or displayed conversation.
    pub supersedes: Option<Vec<String>>,
    /// Whether an interrupt cut off the text, possibly in the middle of a word.
    pub aborted: Option<bool>,
    /// The answer to `/context` as structured data.
    pub context_usage: Option<Box<ContextUsage>>,
    /// The answer to `/usage` as structured data.
    pub usage_report: Option<Box<UsageReport>>,
}

impl AssistantMessage {
    /// Returns the text of all text blocks, concatenated; empty if there are none.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        text_of(&self.message.content)
    }

    /// Returns the tool calls that the CLI or the host runs, without those that run at the API.
    pub fn tool_uses(&self) -> impl Iterator<Item = &ToolUseBlock> {
        self.message
            .content
            .iter()
            .filter_map(super::ContentBlock::as_tool_use)
    }
}
