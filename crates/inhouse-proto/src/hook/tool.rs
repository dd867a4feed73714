use super::{HookCommon, HookEvent};
use serde::Deserialize;
use serde_json::Value;

use crate::control::incoming::ToolServer;

/// A tool is about to run.
///
/// The only event that sees every call, also those that no permission question is asked about.
/// An answer may [allow](super::HookOutput::allow), [deny](super::HookOutput::deny),
/// [ask](super::HookOutput::ask) or [defer](super::HookOutput::defer) the call, and
/// [change its input](super::HookOutput::update_input). Of several answers the strongest wins:
/// deny, then defer, ask, allow, and no opinion.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct PreToolUse {
    /// The members that all events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The tool, such as `Bash` or `mcp__calc__add`.
    pub tool_name: String,
    /// Its input, as the model wrote it.
    pub tool_input: Value,
    /// The tool call.
    pub tool_use_id: String,
    /// The server of an MCP tool.
    pub mcp_server: Option<ToolServer>,
}

impl HookEvent for PreToolUse {
    const NAME: &'static str = "PreToolUse";
}

/// A tool has run.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct PostToolUse {
    /// The members that all events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The tool.
    pub tool_name: String,
    /// The input that it ran with.
    pub tool_input: Value,
    /// What it returned, in the tool's own shape.
    pub tool_response: Value,
    /// The tool call.
    pub tool_use_id: String,
    /// How long it ran, in milliseconds.
    pub duration_ms: Option<u64>,
    /// The server of an MCP tool.
    pub mcp_server: Option<ToolServer>,
}

impl HookEvent for PostToolUse {
    const NAME: &'static str = "PostToolUse";
}

/// A tool has failed.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct PostToolUseFailure {
    /// The members that all events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The tool.
    pub tool_name: String,
    /// The input that it ran with.
    pub tool_input: Value,
    /// The tool call.
    pub tool_use_id: String,
    /// What went wrong.
    pub error: String,
    /// Whether it was interrupted.
    pub is_interrupt: Option<bool>,
    /// How long it ran, in milliseconds.
    pub duration_ms: Option<u64>,
    /// The server of an MCP tool.
    pub mcp_server: Option<ToolServer>,
}

impl HookEvent for PostToolUseFailure {
    const NAME: &'static str = "PostToolUseFailure";
}

/// All tool calls of one message of the model are done.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct PostToolBatch {
    /// The members that all events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The calls.
    pub tool_calls: Vec<BatchedCall>,
}

impl HookEvent for PostToolBatch {
    const NAME: &'static str = "PostToolBatch";
}

/// A tool call of a [`PostToolBatch`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct BatchedCall {
    /// The tool.
    pub tool_name: String,
    /// Its input.
    pub tool_input: Value,
    /// The tool call.
    pub tool_use_id: String,
    /// What the model sees of its result: text, or a list of content blocks.
    pub tool_response: Option<Value>,
}
