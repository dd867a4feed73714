use serde_json::Value;

use super::event::hook_event;
use crate::control::incoming::ToolServer;
use crate::open::open_struct;

hook_event! {
    /// A tool is about to run.
    ///
    /// The only event that sees every call, also those that no permission question is asked about.
    /// An answer may [allow](super::HookOutput::allow), [deny](super::HookOutput::deny),
    /// [ask](super::HookOutput::ask) or [defer](super::HookOutput::defer) the call, and
    /// [change its input](super::HookOutput::update_input). Of several answers the strongest wins:
    /// deny, then defer, ask, allow, and no opinion.
    pub struct PreToolUse {
        /// The tool, such as `Bash` or `mcp__calc__add`.
        pub tool_name: String,
        /// Its input, as the model wrote it.
        pub tool_input: Value,
        /// The tool call.
        pub tool_use_id: String,
        /// The server of an MCP tool.
        pub mcp_server: Option<ToolServer>,
    }
}

hook_event! {
    /// A tool has run.
    pub struct PostToolUse {
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
}

hook_event! {
    /// A tool has failed.
    pub struct PostToolUseFailure {
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
}

hook_event! {
    /// All tool calls of one message of the model are done.
    pub struct PostToolBatch {
        /// The calls.
        pub tool_calls: Vec<BatchedCall>,
    }
}

open_struct! {
    /// A tool call of a [`PostToolBatch`].
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
}
