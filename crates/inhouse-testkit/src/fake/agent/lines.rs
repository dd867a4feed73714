//! Shapes of lines that have many members, as of CLI 2.1.325.

use serde_json::{Value, json};

use super::Agent;
use crate::fake::session::fresh_id;
use crate::model::Usage;
use crate::model::turn::Block;

/// The time in every line: a fake CLI has no clock.
pub(super) const TIMESTAMP: &str = "2026-01-01T00:00:00.000Z";

/// US dollars for one input token, and for one output token.
const PRICE: (f64, f64) = (3e-6, 15e-6);

/// Token counts, summed over the messages of a turn or of a session.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tokens {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_creation: u64,
}

impl Tokens {
    pub(super) fn add(&mut self, usage: Usage) {
        self.input += usage.input;
        self.output += usage.output;
        self.cache_read += usage.cache_read;
        self.cache_creation += usage.cache_creation;
    }

    #[expect(clippy::cast_precision_loss, reason = "no test has 2^52 tokens")]
    pub(super) fn cost(self) -> f64 {
        self.input as f64 * PRICE.0 + self.output as f64 * PRICE.1
    }

    /// Returns all input tokens, cached or not.
    pub(super) fn input(self) -> u64 {
        self.input + self.cache_read + self.cache_creation
    }

    pub(super) fn cache_read(self) -> u64 {
        self.cache_read
    }

    /// Returns the counts of a result.
    pub(super) fn usage(self) -> Value {
        json!({
            "input_tokens": self.input,
            "cache_creation_input_tokens": self.cache_creation,
            "cache_read_input_tokens": self.cache_read,
            "output_tokens": self.output,
            "output_tokens_details": {"thinking_tokens": 0},
            "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
            "service_tier": "standard",
            "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0},
            "inference_geo": "",
            "iterations": [],
            "speed": "standard",
            "fallback_credit": null,
        })
    }

    /// Returns the counts by model.
    pub(super) fn by_model(self, model: &str) -> Value {
        if self.input + self.output == 0 {
            return json!({});
        }
        json!({model: {
            "inputTokens": self.input,
            "outputTokens": self.output,
            "cacheReadInputTokens": self.cache_read,
            "cacheCreationInputTokens": self.cache_creation,
            "webSearchRequests": 0,
            "costUSD": self.cost(),
            "contextWindow": 200_000,
            "maxOutputTokens": 32_000,
            "thinkingTokens": 0,
            "cacheCreationEphemeral5mInputTokens": 0,
            "cacheCreationEphemeral1hInputTokens": 0,
            "canonicalModel": model,
            "provider": "firstParty",
            "costBasis": "list",
        }})
    }
}

impl Agent {
    /// Returns the first message of a turn.
    pub(super) fn init(&self) -> Value {
        let state = self.state();
        json!({
            "type": "system",
            "subtype": "init",
            "cwd": self.config.cwd,
            "tools": self.servers.tool_names(&state),
            "mcp_servers": self.servers.summary(),
            "model": state.model,
            "permissionMode": state.mode,
            "slash_commands": ["compact", "context"],
            "apiKeySource": "ANTHROPIC_API_KEY",
            "claude_code_version": "2.1.325",
            "output_style": "default",
            "agents": [],
            "skills": [],
            "plugins": [],
            "capabilities": ["interrupt_receipt_v1", "msg_lifecycle_v1", "sdk_mcp_tools_list_changed", "sdk_mcp_manifests"],
            "fast_mode_state": "off",
            "fast_mode_disabled_reason": "sdk_opt_in_required",
        })
    }
}

/// Returns a message of the model with one block.
pub(super) fn assistant(message_id: &str, model: &str, usage: Usage, block: &Value) -> Value {
    json!({
        "type": "assistant",
        "message": {
            "id": message_id,
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [block],
            "stop_reason": null,
            "stop_sequence": null,
            "usage": usage.at_start(),
            "context_management": null,
        },
        "parent_tool_use_id": null,
        "timestamp": TIMESTAMP,
    })
}

/// Returns the message by which the CLI reports an error of the API.
pub(super) fn api_error(text: &str, error: &str, status: u16, kind: &Value) -> Value {
    json!({
        "type": "assistant",
        "message": {
            "id": fresh_id(),
            "type": "message",
            "role": "assistant",
            "model": "<synthetic>",
            "content": [{"type": "text", "text": text}],
            "container": null,
            "context_management": null,
            "diagnostics": null,
            "stop_details": null,
            "stop_reason": "stop_sequence",
            "stop_sequence": "",
            "usage": {
                "input_tokens": 0,
                "output_tokens": 0,
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 0,
                "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0},
                "fallback_credit": null,
                "inference_geo": null,
                "iterations": null,
                "output_tokens_details": null,
                "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
                "service_tier": null,
                "speed": null,
            },
        },
        "parent_tool_use_id": null,
        "timestamp": TIMESTAMP,
        "error": error,
        "is_api_error_message": true,
        "api_error_status": status,
        "api_error_type": kind,
    })
}

/// Returns a message of the CLI to the model.
pub(super) fn user(block: &Value) -> Value {
    json!({
        "type": "user",
        "message": {"role": "user", "content": [block]},
        "parent_tool_use_id": null,
        "timestamp": TIMESTAMP,
    })
}

/// Returns the members that all results have.
pub(super) fn result(tokens: Tokens, model: &str) -> Value {
    json!({
        "type": "result",
        "duration_ms": 1,
        "duration_api_ms": 1,
        "usage": tokens.usage(),
        "fast_mode_state": "off",
        "fast_mode_disabled_reason": "sdk_opt_in_required",
        "safety_stops": 0,
        "subagent_stats": {
            "spawned": 0,
            "requested": {"background": 0, "foreground": 0, "unset": 0},
            "started_in_background": 0,
            "max_depth": 0,
            "spawned_by_subagents": 0,
            "completed": 0,
            "failed": 0,
            "killed": {"parent": 0, "user": 0, "system": 0},
            "refused": {"depth_limit": 0, "concurrency_limit": 0, "budget": 0},
            "by_type": {},
        },
        "model_usage_since_last_result": tokens.by_model(model),
    })
}

/// Returns the block of a partial message that was interrupted, if it has a content.
pub(super) fn interrupted_block(block: &Block) -> Option<Value> {
    match block {
        Block::Text(_) => Some(block.whole()),
        _ => None,
    }
}
