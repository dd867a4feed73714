//! The result of a prompt.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use super::lines;
use super::prompt::PromptRun;

/// How a turn ends.
pub(super) enum End {
    Completed {
        text: String,
        stop_reason: String,
        reason: &'static str,
    },
    MaxTurns(u64),
    ApiError {
        status: u16,
        kind: Value,
        text: String,
    },
    Interrupted(&'static str),
    Blocked(String),
}

impl PromptRun<'_> {
    pub(super) fn result(&mut self, end: End) -> Value {
        let model = self.agent.state().model.clone();
        let mut line = lines::result(self.tokens, &model);
        let mut set = |members: Value| merge(&mut line, members);
        match end {
            End::Completed {
                text,
                stop_reason,
                reason,
            } => set(json!({
                "subtype": "success",
                "is_error": false,
                "result": text,
                "api_error_status": null,
                "stop_reason": stop_reason,
                "terminal_reason": reason,
                "ttft_ms": 1,
                "ttft_stream_ms": 1,
                "time_to_request_ms": 1,
                "first_content_frame_ms": 1,
                "request_sent_wall_ms": 1,
                "first_request_input_tokens": self.first_request.input(),
                "first_request_cache_read_input_tokens": self.first_request.cache_read(),
            })),
            End::MaxTurns(max) => set(json!({
                "subtype": "error_max_turns",
                "is_error": true,
                "errors": [format!("Reached maximum number of turns ({max})")],
                "stop_reason": "tool_use",
                "terminal_reason": "max_turns",
            })),
            End::ApiError { status, kind, text } => set(json!({
                "subtype": "success",
                "is_error": true,
                "result": text,
                "api_error_status": status,
                "api_error_type": kind,
                "stop_reason": "stop_sequence",
                "terminal_reason": "api_error",
            })),
            End::Interrupted(reason) => {
                let stop_reason = match reason {
                    "aborted_tools" => json!("tool_use"),
                    _ => Value::Null,
                };
                let stopped = stop_reason.as_str().unwrap_or("null");
                let error = format!(
                    "[ede_diagnostic] result_type=user last_content_type=n/a stop_reason={stopped}"
                );
                set(json!({
                    "subtype": "error_during_execution",
                    "is_error": true,
                    "errors": [error],
                    "stop_reason": stop_reason,
                    "terminal_reason": reason,
                }));
            }
            End::Blocked(reason) => set(json!({
                "subtype": "success",
                "is_error": false,
                "result": reason,
                "stop_reason": null,
            })),
        }
        let unfinished = self.agent.unfinished.load(Ordering::SeqCst);
        set(json!({
            "num_turns": self.turns.min(1) + self.notes,
            "total_cost_usd": self.chat.tokens.cost(),
            "modelUsage": self.chat.tokens.by_model(&model),
            "permission_denials": self.denials,
            "queued_turn_count": unfinished.saturating_sub(1),
            "result_index": self.chat.results,
        }));
        self.name_prompt(&mut line);
        self.chat.results += 1;
        line
    }
}

fn merge(line: &mut Value, members: Value) {
    if let Value::Object(members) = members {
        for (name, value) in members {
            line[name] = value;
        }
    }
}
