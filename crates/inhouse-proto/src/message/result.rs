use inhouse_macros::Open;
use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    FastModeDisabledReason, FastModeState, InvalidConfigFile, MessageOrigin, ModelUsage,
    PostQueuedBehind, StartupFailureReason, TerminalReason, Usage,
};

/// The end of a turn.
///
/// There is exactly one for each turn, after everything else that the turn said. It does not end
/// the run: notices may follow, and so may further turns, when prompts are queued or a background
/// task wakes the session up.
///
/// Whether the turn succeeded is told by [`is_success`](Self::is_success), not by the subtype
/// alone: a turn that ended in an API error has the subtype `success` and `is_error` set.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ResultMessage {
    /// How the turn ended.
    pub subtype: ResultSubtype,
    /// Whether it ended in an error.
    pub is_error: bool,
    /// The session.
    pub session_id: String,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The model's last text, or the error in words when `is_error` is set. On success only.
    pub result: Option<String>,
    /// Why the turn failed, in words. On failure only.
    pub errors: Option<Vec<String>>,
    /// The value that satisfies the JSON schema that was asked for.
    pub structured_output: Option<Value>,
    /// Milliseconds that the turn took.
    pub duration_ms: Option<f64>,
    /// Milliseconds of them spent waiting for the API.
    pub duration_api_ms: Option<f64>,
    /// How often the model was called.
    pub num_turns: Option<u64>,
    /// Why the model stopped at last.
    pub stop_reason: Option<String>,
    /// Cost in US dollars since the process started; a resumed session goes on from its saved
    /// total. Take the newest, never add them up.
    pub total_cost_usd: Option<f64>,
    /// Tokens of this turn's main loop.
    pub usage: Option<Usage>,
    /// Usage by model since the process started, in all loops together.
    #[serde(rename = "modelUsage")]
    pub model_usage: Option<BTreeMap<String, ModelUsage>>,
    /// The tool calls that were denied: the complete record.
    pub permission_denials: Option<Vec<PermissionDenial>>,
    /// How many prompts wait. More than zero means that another turn follows.
    pub queued_turn_count: Option<u64>,
    /// Why the loop stopped; absent when it never ran.
    pub terminal_reason: Option<TerminalReason>,
    /// Counts results from zero: a missing number is a lost result.
    pub result_index: Option<u64>,
    /// The prompt that was answered.
    pub user_message_uuid: Option<String>,
    /// All prompts that were answered.
    pub user_message_uuids: Option<Vec<String>>,
    /// Why the turn went on after it was cut off.
    pub resume_reason: Option<String>,
    /// When the stored login ends, as an ISO 8601 time.
    pub credential_expires_at: Option<String>,
    /// Whether fast mode is on.
    pub fast_mode_state: Option<FastModeState>,
    /// Why fast mode is off.
    pub fast_mode_disabled_reason: Option<FastModeDisabledReason>,
    /// Where the prompt came from.
    pub origin: Option<MessageOrigin>,
    /// A tool call that a hook put off.
    pub deferred_tool_use: Option<DeferredToolUse>,
    /// The HTTP status of the API call that failed.
    pub api_error_status: Option<u16>,
    /// The kind of the API's error. Not declared by the CLI.
    pub api_error_type: Option<String>,
    /// What was used since the result before, by model. Not declared by the CLI.
    pub model_usage_since_last_result: Option<BTreeMap<String, ModelUsage>>,
    /// What became of subagents. Not declared by the CLI.
    pub subagent_stats: Option<Value>,
    /// How often the turn was stopped for safety. Not declared by the CLI.
    pub safety_stops: Option<u64>,
    /// Tokens of the first request of the turn. Not declared by the CLI.
    pub first_request_input_tokens: Option<u64>,
    /// Tokens of the first request that came from the cache. Not declared by the CLI.
    pub first_request_cache_read_input_tokens: Option<u64>,
    /// The slash command, when the turn was one that never reached the model.
    pub local_command: Option<String>,
    /// The CLI refused to start; everything else is zero then.
    pub startup_failure_reason: Option<StartupFailureReason>,
    /// The settings file because of which it refused.
    pub invalid_config_file: Option<InvalidConfigFile>,
    /// Milliseconds until the first token.
    pub ttft_ms: Option<f64>,
    /// Milliseconds until the first event of the stream.
    pub ttft_stream_ms: Option<f64>,
    /// Milliseconds until the first request to the API.
    pub time_to_request_ms: Option<f64>,
    /// The same, counted from the start of the process.
    pub time_to_request_from_spawn_ms: Option<f64>,
    /// The clock when that request was sent.
    pub request_sent_wall_ms: Option<f64>,
    /// Milliseconds until the first message with content.
    pub first_content_frame_ms: Option<f64>,
    /// Remote hosts: milliseconds until the first stream event was posted.
    pub first_stream_post_ms: Option<f64>,
    /// Remote hosts: milliseconds until that post was acknowledged.
    pub first_stream_post_ack_ms: Option<f64>,
    /// Remote hosts: milliseconds for which that post was queued.
    pub first_stream_post_queue_wait_ms: Option<f64>,
    /// Remote hosts: the clock at that post.
    pub first_stream_post_wall_ms: Option<f64>,
    /// Remote hosts: what that post waited for.
    pub first_stream_post_queued_behind: Option<PostQueuedBehind>,
    /// Remote hosts: milliseconds until the first text was posted.
    pub first_text_post_ms: Option<f64>,
    /// Remote hosts: milliseconds for which that post was queued.
    pub first_text_post_queue_wait_ms: Option<f64>,
    /// Remote hosts: the clock at that post.
    pub first_text_post_wall_ms: Option<f64>,
    /// Remote hosts: what that post waited for.
    pub first_text_post_queued_behind: Option<PostQueuedBehind>,
    /// The clock from which the times above are counted.
    pub time_origin_ms: Option<f64>,
    /// Whether the process was started ahead of time.
    pub warm_spare_claimed: Option<bool>,
}

impl ResultMessage {
    /// Whether the turn did what it was asked to do.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.subtype == ResultSubtype::Success && !self.is_error
    }

    /// What went wrong, in words for people; `None` after a success.
    ///
    /// The CLI puts it into different members depending on how the turn failed; this takes the first
    /// that says something: `errors`, `result`, the subtype, the HTTP status.
    ///
    /// ```
    /// use inhouse_proto::message::ResultMessage;
    ///
    /// let result: ResultMessage = serde_json::from_str(
    ///     r#"{"subtype": "error_max_turns", "is_error": true, "session_id": "s", "errors": []}"#,
    /// )?;
    /// assert_eq!(result.failure().as_deref(), Some("error_max_turns"));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        if self.is_success() {
            return None;
        }
        let errors = self.errors.as_deref().unwrap_or_default().join("; ");
        let text = self.result.as_deref().unwrap_or_default();
        Some(if !errors.is_empty() {
            errors
        } else if !text.is_empty() {
            text.to_owned()
        } else if self.subtype != ResultSubtype::Success {
            self.subtype.to_string()
        } else if let Some(status) = self.api_error_status {
            format!("the API answered with HTTP status {status}")
        } else {
            "the turn failed without a reason".to_owned()
        })
    }
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ResultSubtype {
    /// The loop came to its end; `is_error` may still be set.
    Success,
    /// Something failed on the way.
    ErrorDuringExecution,
    /// The limit on model calls was reached.
    ErrorMaxTurns,
    /// The budget was used up.
    ErrorMaxBudgetUsd,
    /// The model never wrote a value that satisfies the schema.
    ErrorMaxStructuredOutputRetries,
    /// A value that this version does not know.
    Unknown(String),
}

/// A tool call that was denied.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct PermissionDenial {
    /// The tool.
    pub tool_name: String,
    /// The id of the call.
    pub tool_use_id: String,
    /// The arguments.
    pub tool_input: Option<Value>,
}

/// A tool call that a hook put off.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct DeferredToolUse {
    /// The id of the call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments.
    pub input: Option<Value>,
}
