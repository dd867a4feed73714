use inhouse_macros::Open;
use serde_json::Value;

use std::borrow::Cow;

use super::content::text_of;
use super::{ApiMessage, AssistantError, ContextUsage, ToolUseBlock, UsageReport};

/// A finished piece of what the model said.
///
/// The CLI sends one for each content block: several in a row share the API's message id in
/// [`ApiMessage::id`], have no stop reason yet, and count tokens only provisionally. The final
/// stop reason and the totals are in the [`ResultMessage`](super::ResultMessage) of the turn.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct AssistantMessage {
    /// What the model said.
    pub message: ApiMessage,
    /// The tool call whose subagent speaks; `None` on the main thread.
    pub parent_tool_use_id: Option<String>,
    /// The subagent, by the id that its task events carry too.
    pub agent_id: Option<String>,
    /// The session.
    pub session_id: Option<String>,
    /// The id of this message: a point from which a session can be forked or resumed.
    pub uuid: Option<String>,
    /// When the block was done by the CLI's clock, as an ISO 8601 time; for display only.
    pub timestamp: Option<String>,
    /// Set when the CLI made the message up to report that a call of the API failed.
    pub error: Option<AssistantError>,
    /// Whether it reports a failure of the API. Not declared by the CLI.
    pub is_api_error_message: Option<bool>,
    /// The HTTP status of that failure. Not declared by the CLI.
    pub api_error_status: Option<u16>,
    /// The kind of that failure. Not declared by the CLI.
    pub api_error_type: Option<String>,
    /// How to show the tools that it calls. Not declared by the CLI.
    pub tool_use_meta: Option<Vec<Value>>,
    /// The prompt that is being answered; only on the first message after it changed, and never
    /// from a subagent.
    pub user_message_uuid: Option<String>,
    /// All prompts that the turn has taken in so far, at most 64; comes with the one above.
    pub user_message_uuids: Option<Vec<String>>,
    /// The kind of subagent.
    pub subagent_type: Option<String>,
    /// What the subagent was asked to do, in short.
    pub task_description: Option<String>,
    /// The API request behind the message.
    pub request_id: Option<String>,
    /// Why the turn goes on after it was cut off, such as `interrupted_turn`.
    pub resume_reason: Option<String>,
    /// Whether the turn goes on in the middle of its thinking.
    pub resumed_from_incomplete_thinking: Option<bool>,
    /// Earlier messages that this one replaces: forget them.
    pub supersedes: Option<Vec<String>>,
    /// Whether an interrupt cut the text off, perhaps in the middle of a word.
    pub aborted: Option<bool>,
    /// The answer to `/context` as data.
    pub context_usage: Option<Box<ContextUsage>>,
    /// The answer to `/usage` as data.
    pub usage_report: Option<Box<UsageReport>>,
}

impl AssistantMessage {
    /// The text blocks put together; empty when there are none.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        text_of(&self.message.content)
    }

    /// The tool calls, without those of tools that run at the API.
    pub fn tool_uses(&self) -> impl Iterator<Item = &ToolUseBlock> {
        self.message
            .content
            .iter()
            .filter_map(super::ContentBlock::as_tool_use)
    }
}
