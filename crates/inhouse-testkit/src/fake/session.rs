use std::collections::VecDeque;

use serde_json::{Value, json};
use uuid::Uuid;

const MODEL: &str = "claude-opus-5-5";
const VERSION: &str = "2.1.325";

/// The lines of one session, in the shapes of CLI 2.1.325.
#[derive(Debug)]
pub(super) struct Session {
    id: String,
    unanswered: VecDeque<String>,
    named: bool,
    results: u64,
}

impl Session {
    pub(super) fn new() -> Self {
        Self {
            id: fresh_id(),
            unanswered: VecDeque::new(),
            named: false,
            results: 0,
        }
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Records a prompt; results answer prompts in order.
    pub(super) fn prompted(&mut self, uuid: Option<&str>) {
        self.unanswered.extend(uuid.map(str::to_owned));
    }

    /// Returns the payload of the response to `initialize`.
    pub(super) fn initialized(&self) -> Value {
        json!({
            "commands": [
                {"name": "compact", "description": "Free up context", "argumentHint": "", "builtin": true},
                {"name": "context", "description": "Show what fills the context", "argumentHint": "", "builtin": true},
            ],
            "agents": [
                {"name": "general-purpose", "description": "For tasks with many steps"},
                {"name": "Explore", "description": "Explores without changes", "model": "haiku"},
            ],
            "output_style": "default",
            "available_output_styles": ["default", "Concise", "Explanatory"],
            "models": [{
                "value": "default",
                "resolvedModel": MODEL,
                "displayName": "Default",
                "description": "The model of the fake CLI",
                "supportsEffort": true,
                "supportedEffortLevels": ["low", "medium", "high"],
            }],
            "account": {"tokenSource": "none", "apiKeySource": "ANTHROPIC_API_KEY", "apiProvider": "firstParty"},
            "pid": std::process::id(),
            "claude_code_version": VERSION,
            "current_permission_mode": "default",
            "hook_on_failure_supported": true,
            "fast_mode_state": "off",
            "session_state": "idle",
            "capabilities": ["ui_surface_v1"],
        })
    }

    pub(super) fn state(&self, state: &str) -> Value {
        json!({
            "type": "system",
            "subtype": "session_state_changed",
            "state": state,
            "sdk_host_only": true,
            "uuid": fresh_id(),
            "session_id": self.id,
        })
    }

    pub(super) fn init(&self) -> Value {
        json!({
            "type": "system",
            "subtype": "init",
            "cwd": std::env::current_dir().unwrap_or_default(),
            "session_id": self.id,
            "tools": ["Bash", "Edit", "Read", "Write"],
            "mcp_servers": [],
            "model": MODEL,
            "permissionMode": "default",
            "slash_commands": ["compact", "context"],
            "apiKeySource": "ANTHROPIC_API_KEY",
            "claude_code_version": VERSION,
            "output_style": "default",
            "agents": ["general-purpose", "Explore"],
            "skills": [],
            "plugins": [],
            "capabilities": [],
            "uuid": fresh_id(),
        })
    }

    pub(super) fn assistant(&mut self, text: &str) -> Value {
        let mut line = json!({
            "type": "assistant",
            "message": {
                "id": format!("msg_{}", Uuid::new_v4().simple()),
                "type": "message",
                "role": "assistant",
                "model": MODEL,
                "content": [{"type": "text", "text": text}],
                "stop_reason": null,
                "stop_sequence": null,
                "usage": {
                    "input_tokens": 12,
                    "output_tokens": 1,
                    "cache_creation_input_tokens": 0,
                    "cache_read_input_tokens": 0,
                },
            },
            "parent_tool_use_id": null,
            "session_id": self.id,
            "uuid": fresh_id(),
        });
        // The CLI names the prompt on the first line of its answer only.
        if !self.named {
            self.name_prompt(&mut line);
            self.named = true;
        }
        line
    }

    pub(super) fn result(&mut self, text: &str) -> Value {
        self.end_of_turn(json!({
            "subtype": "success",
            "is_error": false,
            "result": text,
            "stop_reason": "end_turn",
            "terminal_reason": "completed",
        }))
    }

    pub(super) fn error_result(&mut self, subtype: &str, errors: &[String]) -> Value {
        self.end_of_turn(json!({
            "subtype": subtype,
            "is_error": true,
            "errors": errors,
            "stop_reason": null,
        }))
    }

    /// Returns a message whose line is exactly `bytes` long, without the line end.
    pub(super) fn line_of(&mut self, bytes: usize) -> Value {
        let mut line = self.assistant("");
        let padding = bytes.saturating_sub(line.to_string().len());
        line["message"]["content"][0]["text"] = "x".repeat(padding).into();
        line
    }

    fn end_of_turn(&mut self, members: Value) -> Value {
        let mut line = json!({
            "type": "result",
            "duration_ms": 256,
            "duration_api_ms": 65,
            "num_turns": 1,
            "session_id": self.id,
            "total_cost_usd": 0.000448,
            "usage": {
                "input_tokens": 12,
                "output_tokens": 20,
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 0,
            },
            "modelUsage": {},
            "permission_denials": [],
            "queued_turn_count": self.unanswered.len().saturating_sub(1),
            "result_index": self.results,
            "uuid": fresh_id(),
        });
        for (name, value) in members.as_object().into_iter().flatten() {
            line[name] = value.clone();
        }
        self.name_prompt(&mut line);
        self.unanswered.pop_front();
        self.named = false;
        self.results += 1;
        line
    }

    fn name_prompt(&self, line: &mut Value) {
        if let Some(uuid) = self.unanswered.front() {
            line["user_message_uuid"] = uuid.as_str().into();
            line["user_message_uuids"] = json!([uuid]);
        }
    }
}

pub(super) fn fresh_id() -> String {
    Uuid::new_v4().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_answer_prompts_in_their_order() {
        let mut session = Session::new();
        session.prompted(Some("first"));
        session.prompted(Some("second"));
        assert_eq!(session.assistant("a")["user_message_uuid"], "first");
        assert_eq!(session.assistant("a")["user_message_uuid"], Value::Null);
        assert_eq!(session.result("a")["user_message_uuid"], "first");
        assert_eq!(session.assistant("b")["user_message_uuid"], "second");
        let second = session.error_result("error_max_turns", &["b".to_owned()]);
        assert_eq!(second["user_message_uuids"], json!(["second"]));
        assert_eq!(second["result_index"], 1);
        assert_eq!(session.result("unasked")["user_message_uuid"], Value::Null);
    }

    #[test]
    fn line_has_the_requested_length() {
        let mut session = Session::new();
        session.prompted(Some("prompt"));
        for bytes in [2_000, 100_000] {
            assert_eq!(session.line_of(bytes).to_string().len(), bytes);
        }
    }
}
