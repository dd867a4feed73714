//! Permission for a tool call: hooks, rules, mode, handler of the host.

use serde_json::{Value, json};

use super::Agent;
use super::config::Behavior;
use super::hooks::HookOutputs;
use super::requests::payload;
use super::tools::Call;
use crate::fake::conversation::Failure;

/// Whether a call may run.
pub(super) enum Permission {
    Allowed { input: Value, decision: Value },
    Denied(Denial),
}

/// A call that may not run.
pub(super) struct Denial {
    /// The text of the tool result.
    pub(super) message: String,
    pub(super) kind: &'static str,
    pub(super) decision: Value,
    /// Whether a `permission_denied` message is sent.
    pub(super) announced: bool,
    /// Whether the turn ends.
    pub(super) interrupts: bool,
}

impl Agent {
    pub(super) async fn permission(
        &self,
        call: &Call,
        hooks: &HookOutputs,
    ) -> Result<Permission, Failure> {
        let input = hooks.updated_input().unwrap_or_else(|| call.input.clone());
        let by_hook = hooks.decision();
        if let Some(("deny", reason)) = &by_hook {
            let message = format!("PreToolUse:{} hook error: {reason}", call.name);
            let decision = json!({"decision": "reject", "source": "hook", "reason_type": "hook"});
            return Ok(denied(message, "permission-rule", decision));
        }
        let (asked_by_rule, allowed_by_rule, mode) = {
            let state = self.state();
            (
                state.has_rule(Behavior::Ask, &call.name),
                state.allowing_source(&call.name),
                state.mode.clone(),
            )
        };
        let accepted = |source: &str, reason: &str| {
            Ok(Permission::Allowed {
                input: input.clone(),
                decision: json!({"decision": "accept", "source": source, "reason_type": reason}),
            })
        };
        let must_ask = asked_by_rule || matches!(by_hook, Some(("ask", _)));
        if !must_ask {
            if matches!(by_hook, Some(("allow", _))) {
                return accepted("hook", "hook");
            }
            if mode == "bypassPermissions" {
                return accepted("config", "mode");
            }
            if let Some(source) = allowed_by_rule {
                return accepted(source, "rule");
            }
        }
        if self.config.asks_host && mode != "dontAsk" {
            let reason = by_hook.map(|(_, reason)| reason);
            return self.ask_host(call, input, reason).await;
        }
        let name = &call.name;
        let mut decision = json!({"decision": "reject", "source": "config"});
        let (message, kind) = if mode == "dontAsk" {
            decision["reason_type"] = json!("mode");
            let why = "because Claude Code is running in don't ask mode.";
            (
                format!("Permission to use {name} has been denied {why}"),
                "permission-rule",
            )
        } else {
            let text = "but you haven't granted it yet.";
            (
                format!("Claude requested permissions to use {name}, {text}"),
                "user-rejected",
            )
        };
        Ok(Permission::Denied(Denial {
            message,
            kind,
            decision,
            announced: true,
            interrupts: false,
        }))
    }

    async fn ask_host(
        &self,
        call: &Call,
        input: Value,
        hook_reason: Option<String>,
    ) -> Result<Permission, Failure> {
        let mut request = json!({
            "subtype": "can_use_tool",
            "tool_name": call.name,
            "display_name": call.display_name(),
            "input": input,
            "tool_use_id": call.id,
            "mcp_server": {"name": call.server, "source": "sdk"},
        });
        if let Some(reason) = hook_reason {
            request["decision_reason"] = reason.into();
            request["decision_reason_type"] = "hook".into();
            request["decision_reason_hook_event"] = "PreToolUse".into();
            request["decision_reason_hook_source"] = "settings".into();
        } else {
            request["server_policy_ask_only"] = true.into();
            request["permission_suggestions"] = json!([{
                "type": "addRules",
                "rules": [{"toolName": call.name}],
                "behavior": "allow",
                "destination": "localSettings",
            }]);
        }
        self.set_state("requires_action").await?;
        let answer = self.link.request(request).await?;
        self.set_state("running").await?;
        let rejected = json!({"decision": "reject", "source": "user_reject"});
        let answer = match payload(answer) {
            Ok(answer) => answer,
            Err(error) => {
                let message = format!("Tool permission request failed: {error}");
                return Ok(denied(message, "permission-rule", rejected));
            }
        };
        if answer["behavior"] != "allow" {
            let message = answer["message"].as_str().unwrap_or_default().to_owned();
            return Ok(Permission::Denied(Denial {
                message,
                kind: "permission-rule",
                decision: rejected,
                announced: false,
                interrupts: answer["interrupt"] == true,
            }));
        }
        let updates = answer["updatedPermissions"].as_array();
        for update in updates.into_iter().flatten() {
            self.state().update(update);
        }
        Ok(Permission::Allowed {
            input: answer.get("updatedInput").cloned().unwrap_or(input),
            decision: json!({"decision": "accept", "source": "user_temporary"}),
        })
    }
}

fn denied(message: String, kind: &'static str, decision: Value) -> Permission {
    Permission::Denied(Denial {
        message,
        kind,
        decision,
        announced: false,
        interrupts: false,
    })
}
