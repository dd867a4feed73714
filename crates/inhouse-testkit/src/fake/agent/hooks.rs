//! Hooks of the host.

use regex::Regex;
use serde_json::{Value, json};

use super::Agent;
use super::requests::payload;
use crate::fake::conversation::Failure;
use crate::fake::session::fresh_id;

/// The outputs of all callbacks of an event.
#[derive(Default)]
pub(super) struct HookOutputs(Vec<Value>);

impl Agent {
    /// Calls all hooks for an event at once; `subject` is what their matchers are compared with.
    pub(super) async fn call_hooks(
        &self,
        event: &str,
        subject: Option<&str>,
        members: Value,
        tool_use_id: Option<&str>,
    ) -> Result<HookOutputs, Failure> {
        let mut waiting = Vec::new();
        let matchers = self.config.initialize["hooks"][event].as_array();
        for matcher in matchers.into_iter().flatten() {
            let pattern = matcher["matcher"].as_str().unwrap_or_default();
            if !subject.is_none_or(|subject| matches(pattern, subject)) {
                continue;
            }
            let callbacks = matcher["hookCallbackIds"].as_array().into_iter().flatten();
            for callback in callbacks {
                let request = json!({
                    "subtype": "hook_callback",
                    "callback_id": callback,
                    "input": self.hook_input(event, &members),
                    "tool_use_id": tool_use_id.map_or_else(fresh_id, str::to_owned),
                });
                let blocks = matcher["onFailure"] == "block";
                let answer = self.link.begin_request(request).await?;
                waiting.push((blocks, callback.as_str().unwrap_or_default(), answer));
            }
        }
        let mut outputs = HookOutputs::default();
        for (blocks_on_failure, callback, answer) in waiting {
            // A request that is never answered ends with the input: the hook has no opinion then.
            let Ok(answer) = answer.await else { continue };
            match payload(answer) {
                Ok(output) => outputs.0.push(output),
                Err(_) => {
                    let failed = format!(
                        "Hook callback {callback} failed: the SDK host replied with an error or an invalid answer."
                    );
                    let effect = match blocks_on_failure {
                        true => r#"onFailure is "block", so this failure counts as a block."#,
                        false => "Its answer was treated as empty.",
                    };
                    self.send(json!({
                        "type": "system",
                        "subtype": "informational",
                        "content": format!("{event}: {failed} {effect}"),
                        "level": "warning",
                        "tag": "hook_callback_failed",
                    }))
                    .await?;
                    if blocks_on_failure {
                        let why = r#"[callback]: failed; blocking because onFailure is "block""#;
                        let reason = format!("{why}\n{failed}");
                        outputs
                            .0
                            .push(json!({"decision": "block", "reason": reason}));
                    }
                }
            }
        }
        Ok(outputs)
    }

    fn hook_input(&self, event: &str, members: &Value) -> Value {
        let mut input = json!({
            "session_id": self.session_id,
            "transcript_path": self.config.cwd.join("transcript.jsonl"),
            "cwd": self.config.cwd,
            "prompt_id": self.state().prompt_id,
            "permission_mode": self.state().mode,
            "hook_event_name": event,
        });
        for (name, value) in members.as_object().into_iter().flatten() {
            input[name] = value.clone();
        }
        input
    }
}

impl HookOutputs {
    /// Returns the strongest permission decision of `PreToolUse` hooks, with its reason.
    pub(super) fn decision(&self) -> Option<(&'static str, String)> {
        ["deny", "ask", "allow"].into_iter().find_map(|decision| {
            let found = self.0.iter().find(|output| decides(output, decision))?;
            let specific = &found["hookSpecificOutput"]["permissionDecisionReason"];
            let reason = specific.as_str().or_else(|| found["reason"].as_str());
            Some((decision, reason.unwrap_or_default().to_owned()))
        })
    }

    /// Returns the last changed input.
    pub(super) fn updated_input(&self) -> Option<Value> {
        let mut inputs = self.0.iter().rev();
        inputs.find_map(|output| output["hookSpecificOutput"].get("updatedInput").cloned())
    }

    /// Returns the contexts for the model.
    pub(super) fn contexts(&self) -> Vec<String> {
        let contexts = self.0.iter().filter_map(|output| {
            let context = &output["hookSpecificOutput"]["additionalContext"];
            context.as_str()
        });
        contexts.map(str::to_owned).collect()
    }

    /// Returns the reason of the first output that blocks.
    pub(super) fn block(&self) -> Option<String> {
        let blocking = self.0.iter().find(|output| output["decision"] == "block")?;
        Some(blocking["reason"].as_str().unwrap_or_default().to_owned())
    }

    /// Returns whether an output ends the turn.
    pub(super) fn stops(&self) -> bool {
        self.0.iter().any(|output| output["continue"] == false)
    }
}

fn decides(output: &Value, decision: &str) -> bool {
    let general = match decision {
        "deny" => output["decision"] == "block",
        "allow" => output["decision"] == "approve",
        _ => false,
    };
    general || output["hookSpecificOutput"]["permissionDecision"] == decision
}

/// Compares a matcher with a name as the CLI does: names literally, lists of names, anything else as a regular expression.
fn matches(pattern: &str, name: &str) -> bool {
    if matches!(pattern, "" | "*") {
        return true;
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let is_list = pattern
        .chars()
        .all(|c| is_name(c) || matches!(c, '|' | ',' | ' '));
    if is_list {
        let mut names = pattern.split(['|', ',']).map(str::trim);
        return names.any(|listed| listed == name);
    }
    Regex::new(pattern).is_ok_and(|pattern| pattern.is_match(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matchers_are_names_lists_or_patterns() {
        for (pattern, name, expected) in [
            ("", "Bash", true),
            ("*", "Bash", true),
            (".*", "Bash", true),
            ("Ba", "Bash", false),
            ("Bash", "Bash", true),
            ("Write|Bash", "Bash", true),
            ("Write, Bash", "Bash", true),
            ("^mcp__", "mcp__calc__add", true),
            ("^mcp__", "Bash", false),
            ("(", "Bash", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn strictest_decision_wins() {
        let output = |decision: &str| json!({"hookSpecificOutput": {"permissionDecision": decision, "permissionDecisionReason": decision}});
        let outputs = HookOutputs(vec![output("allow"), output("deny"), output("ask")]);
        assert_eq!(outputs.decision(), Some(("deny", "deny".to_owned())));
        assert_eq!(HookOutputs(vec![json!({})]).decision(), None);
    }
}
