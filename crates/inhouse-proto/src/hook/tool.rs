use super::{HookCommon, HookEvent};
use serde::Deserialize;
use serde_json::Value;

use crate::control::incoming::ToolOrigin;

/// Event that fires before a tool runs.
///
/// The only event that fires for every tool call, including calls that need no permission. An answer may
/// [allow](super::HookOutput::allow), [deny](super::HookOutput::deny), [ask](super::HookOutput::ask) or
/// [defer](super::HookOutput::defer) the call, and [change its input](super::HookOutput::update_input). If several
/// hooks answer, the strongest decision wins: deny, then defer, ask, allow, and no decision.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct PreToolUse {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The name of the tool, such as `Bash` or `mcp__calc__add`.
    pub tool_name: String,
    /// The input of the tool, as the model wrote it.
    pub tool_input: Value,
    /// The id of the tool call.
    pub tool_use_id: String,
    /// The server of an MCP tool. `None` for other tools.
    pub mcp_server: Option<ToolOrigin>,
}

impl HookEvent for PreToolUse {
    const NAME: &'static str = "PreToolUse";

    fn common(&self) -> &HookCommon {
        &self.common
    }
}

/// Event that fires after a tool has run.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct PostToolUse {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The name of the tool.
    pub tool_name: String,
    /// The input that the tool ran with.
    pub tool_input: Value,
    /// The output of the tool, in the tool's own format.
    pub tool_response: Value,
    /// The id of the tool call.
    pub tool_use_id: String,
    /// Run time of the tool in milliseconds.
    pub duration_ms: Option<u64>,
    /// The server of an MCP tool. `None` for other tools.
    pub mcp_server: Option<ToolOrigin>,
}

impl HookEvent for PostToolUse {
    const NAME: &'static str = "PostToolUse";

    fn common(&self) -> &HookCommon {
        &self.common
    }
}

/// Event that fires after a tool has failed.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct PostToolUseFailure {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The name of the tool.
    pub tool_name: String,
    /// The input that the tool ran with.
    pub tool_input: Value,
    /// The id of the tool call.
    pub tool_use_id: String,
    /// Description of the error.
    pub error: String,
    /// Whether the tool was interrupted.
    pub is_interrupt: Option<bool>,
    /// Run time of the tool in milliseconds.
    pub duration_ms: Option<u64>,
    /// The server of an MCP tool. `None` for other tools.
    pub mcp_server: Option<ToolOrigin>,
}

impl HookEvent for PostToolUseFailure {
    const NAME: &'static str = "PostToolUseFailure";

    fn common(&self) -> &HookCommon {
        &self.common
    }
}

/// Event that fires after all tool calls of one message of the model have finished.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct PostToolBatch {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The tool calls of the message.
    pub tool_calls: Vec<BatchedCall>,
}

impl HookEvent for PostToolBatch {
    const NAME: &'static str = "PostToolBatch";

    fn common(&self) -> &HookCommon {
        &self.common
    }
}

/// Tool call of a [`PostToolBatch`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct BatchedCall {
    /// The name of the tool.
    pub tool_name: String,
    /// The input of the tool.
    pub tool_input: Value,
    /// The id of the tool call.
    pub tool_use_id: String,
    /// The result as the model receives it: a text, or a list of content blocks.
    pub tool_response: Option<Value>,
}
