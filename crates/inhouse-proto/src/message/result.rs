use inhouse_macros::Open;
use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    FastModeDisabledReason, FastModeState, InvalidConfigFile, MessageOrigin, ModelUsage,
    PostQueuedBehind, StartupFailureReason, TerminalReason, Usage,
};

/// The end of a turn.
///
/// Each turn ends with exactly one result, after all other messages of the turn. A result does not end the run: system
/// messages may follow, and so may further turns, if prompts are queued or a background task wakes the session.
///
/// Use [`is_success`](Self::is_success) to check whether the turn succeeded, not the subtype alone: a turn that ended
/// in an API error has the subtype `success` with `is_error` set.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct ResultMessage {
    /// The way in which the turn ended.
    pub subtype: ResultSubtype,
    /// Whether the turn ended in an error.
    pub is_error: bool,
    /// The session that the turn belongs to.
    pub session_id: String,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The model's last text, or the error text if `is_error` is set. Present only with the subtype `success`.
    pub result: Option<String>,
    /// Reasons why the turn failed, as text. Present only with the error subtypes.
    pub errors: Option<Vec<String>>,
    /// The value that satisfies the requested JSON schema.
    pub structured_output: Option<Value>,
    /// Duration of the turn in milliseconds.
    pub duration_ms: Option<f64>,
    /// Part of the duration that was spent waiting for the API, in milliseconds.
    pub duration_api_ms: Option<f64>,
    /// Number of model calls in the turn.
    pub num_turns: Option<u64>,
    /// Reason why the model stopped after its last answer.
    pub stop_reason: Option<String>,
    /// Cost in US dollars since the process started; continues the saved total of a resumed session and restarts from
    /// zero after `/clear`. Take the newest value, never sum over results.
    pub total_cost_usd: Option<f64>,
    /// Token counts of this turn's main loop.
    pub usage: Option<Usage>,
    /// Usage by model since the process started, over all agent loops.
    #[serde(rename = "modelUsage")]
    pub model_usage: Option<BTreeMap<String, ModelUsage>>,
    /// All tool calls that were denied. This list is complete, unlike the `permission_denied` system messages.
    pub permission_denials: Option<Vec<PermissionDenial>>,
    /// Number of queued prompts. If greater than zero, another turn follows.
    pub queued_turn_count: Option<u64>,
    /// Reason why the agent loop stopped; `None` if it never ran.
    pub terminal_reason: Option<TerminalReason>,
    /// Index of the result, counted from zero. A missing index means that a result was lost.
    pub result_index: Option<u64>,
    /// The id of the prompt that was answered.
    pub user_message_uuid: Option<String>,
    /// The ids of all prompts that were answered.
    pub user_message_uuids: Option<Vec<String>>,
    /// Reason why the turn continued after it was cut off.
    pub resume_reason: Option<String>,
    /// Time at which the stored login expires, in ISO 8601.
    pub credential_expires_at: Option<String>,
    /// The state of fast mode.
    pub fast_mode_state: Option<FastModeState>,
    /// Reason why fast mode is off.
    pub fast_mode_disabled_reason: Option<FastModeDisabledReason>,
    /// The origin of the prompt that caused the turn.
    pub origin: Option<MessageOrigin>,
    /// The tool call that a `PreToolUse` hook deferred.
    pub deferred_tool_use: Option<DeferredToolUse>,
    /// HTTP status of the API call that failed.
    pub api_error_status: Option<u16>,
    /// The API's type of the error. Not in the official SDK's types.
    pub api_error_type: Option<String>,
    /// Usage by model since the previous result. Not in the official SDK's types.
    pub model_usage_since_last_result: Option<BTreeMap<String, ModelUsage>>,
    /// Statistics about subagents. Not in the official SDK's types.
    pub subagent_stats: Option<Value>,
    /// Number of times that the turn was stopped for safety. Not in the official SDK's types.
    pub safety_stops: Option<u64>,
    /// Number of input tokens of the first request of the turn. Not in the official SDK's types.
    pub first_request_input_tokens: Option<u64>,
    /// Number of tokens of the first request that were read from the prompt cache. Not in the official SDK's types.
    pub first_request_cache_read_input_tokens: Option<u64>,
    /// The slash command, if the turn was a local command that was not sent to the model.
    pub local_command: Option<String>,
    /// Reason why the CLI refused to start. If set, all other values are zero.
    pub startup_failure_reason: Option<StartupFailureReason>,
    /// The settings file that made the CLI refuse to start.
    pub invalid_config_file: Option<InvalidConfigFile>,
    /// Time to the first token, in milliseconds.
    pub ttft_ms: Option<f64>,
    /// Time to the first event of the API's stream, in milliseconds.
    pub ttft_stream_ms: Option<f64>,
    /// Time to the first request to the API, in milliseconds.
    pub time_to_request_ms: Option<f64>,
    /// Time from the start of the process to the first request to the API, in milliseconds.
    pub time_to_request_from_spawn_ms: Option<f64>,
    /// Wall-clock time at which the first request was sent, in milliseconds.
    pub request_sent_wall_ms: Option<f64>,
    /// Time to the first message with content, in milliseconds.
    pub first_content_frame_ms: Option<f64>,
    /// Time until the first stream event was posted, in milliseconds. Remote hosts only.
    pub first_stream_post_ms: Option<f64>,
    /// Time until the post of the first stream event was acknowledged, in milliseconds. Remote hosts only.
    pub first_stream_post_ack_ms: Option<f64>,
    /// Time that the post of the first stream event was queued, in milliseconds. Remote hosts only.
    pub first_stream_post_queue_wait_ms: Option<f64>,
    /// Wall-clock time of the post of the first stream event, in milliseconds. Remote hosts only.
    pub first_stream_post_wall_ms: Option<f64>,
    /// Reason why the post of the first stream event was queued. Remote hosts only.
    pub first_stream_post_queued_behind: Option<PostQueuedBehind>,
    /// Time until the first text was posted, in milliseconds. Remote hosts only.
    pub first_text_post_ms: Option<f64>,
    /// Time that the post of the first text was queued, in milliseconds. Remote hosts only.
    pub first_text_post_queue_wait_ms: Option<f64>,
    /// Wall-clock time of the post of the first text, in milliseconds. Remote hosts only.
    pub first_text_post_wall_ms: Option<f64>,
    /// Reason why the post of the first text was queued. Remote hosts only.
    pub first_text_post_queued_behind: Option<PostQueuedBehind>,
    /// Wall-clock time that the relative times of this result are measured from, in milliseconds.
    pub time_origin_ms: Option<f64>,
    /// Whether the process was a spare that had been started ahead of time.
    pub warm_spare_claimed: Option<bool>,
}

impl ResultMessage {
    /// Returns whether the turn succeeded: the subtype is `success` and `is_error` is not set.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.subtype == ResultSubtype::Success && !self.is_error
    }

    /// Returns the ids of the prompts that this result answers, some of them twice; none with CLI 2.1.197.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::message::ResultMessage;
    ///
    /// let result: ResultMessage = serde_json::from_str(
    ///     r#"{"subtype": "success", "is_error": false, "session_id": "s", "user_message_uuids": ["p"]}"#,
    /// )?;
    /// assert!(result.prompt_ids().eq(["p"]));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn prompt_ids(&self) -> impl Iterator<Item = &str> {
        let several = self.user_message_uuids.iter().flatten();
        several.chain(&self.user_message_uuid).map(String::as_str)
    }

    /// Returns whether a prompt of the host started the turn, and not the session itself, such as after a background task.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::message::ResultMessage;
    ///
    /// let result: ResultMessage = serde_json::from_str(
    ///     r#"{"subtype": "success", "is_error": false, "session_id": "s", "origin": {"kind": "task-notification"}}"#,
    /// )?;
    /// assert!(!result.is_prompted());
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn is_prompted(&self) -> bool {
        matches!(self.origin, None | Some(MessageOrigin::Human))
    }

    /// Returns the reason of a failure as text for people; `None` after a success.
    ///
    /// The CLI reports the reason in different members, depending on the failure. This method uses the first that is
    /// not empty: `errors`, `result`, the subtype, the HTTP status.
    ///
    /// ```
    /// # use inhouse_proto as inhouse;
    /// use inhouse::message::ResultMessage;
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

/// The way in which a turn ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ResultSubtype {
    /// The agent loop ran to its end; `is_error` may still be set.
    Success,
    /// An error occurred during the turn.
    ErrorDuringExecution,
    /// The limit on model calls was reached.
    ErrorMaxTurns,
    /// The budget was used up.
    ErrorMaxBudgetUsd,
    /// The model wrote no value that satisfies the schema within the allowed retries.
    ErrorMaxStructuredOutputRetries,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// A tool call that was denied.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct PermissionDenial {
    /// Name of the tool that was called.
    pub tool_name: String,
    /// The id of the tool call.
    pub tool_use_id: String,
    /// The arguments of the call.
    pub tool_input: Option<Value>,
}

/// A tool call that a `PreToolUse` hook deferred.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct DeferredToolUse {
    /// The id of the tool call.
    pub id: String,
    /// Name of the tool that was called.
    pub name: String,
    /// The arguments of the call.
    pub input: Option<Value>,
}
