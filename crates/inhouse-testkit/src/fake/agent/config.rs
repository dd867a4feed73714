//! The options of a session, from its command line and its `initialize` request.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::fake::launched::Launched;

/// The model of CLI 2.1.325 without `--model`.
const DEFAULT_MODEL: &str = "claude-opus-5-5";

/// Options that do not change during a session.
pub(super) struct Config {
    pub(super) initialize: Value,
    pub(super) cwd: PathBuf,
    pub(super) model: String,
    pub(super) mode: String,
    pub(super) max_turns: Option<u64>,
    pub(super) max_retries: u64,
    pub(super) partial_messages: bool,
    pub(super) replays_prompts: bool,
    /// Whether the host answers `can_use_tool`.
    pub(super) asks_host: bool,
    rules: Vec<Rule>,
}

/// The settings that the host can change during a session.
pub(super) struct State {
    pub(super) model: String,
    pub(super) mode: String,
    /// The id by which hooks refer to the current prompt.
    pub(super) prompt_id: String,
    rules: Vec<Rule>,
}

/// A permission rule for a whole tool or server.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rule {
    behavior: Behavior,
    /// Whether the host has added the rule with a decision.
    is_remembered: bool,
    tool: String,
}

/// The effect of a rule on a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Behavior {
    Allow,
    Deny,
    Ask,
}

impl Config {
    pub(super) fn new(launched: &Launched, initialize: &Value) -> Self {
        let value = |flag: &str| values(launched, flag).next();
        let mut rules = Vec::new();
        for (flag, behavior) in [
            ("--allowedTools=", Behavior::Allow),
            ("--disallowedTools=", Behavior::Deny),
        ] {
            let listed = values(launched, flag).flat_map(split);
            rules.extend(listed.filter_map(|rule| Rule::new(behavior, rule)));
        }
        let settings: Value = value("--settings=")
            .and_then(|settings| serde_json::from_str(settings).ok())
            .unwrap_or_default();
        for (member, behavior) in [
            ("allow", Behavior::Allow),
            ("deny", Behavior::Deny),
            ("ask", Behavior::Ask),
        ] {
            let listed = settings["permissions"][member].as_array();
            let listed = listed.into_iter().flatten().filter_map(Value::as_str);
            rules.extend(listed.filter_map(|rule| Rule::new(behavior, rule)));
        }
        Self {
            initialize: initialize.clone(),
            cwd: launched.cwd().map_or_else(
                || std::env::current_dir().unwrap_or_default(),
                Path::to_owned,
            ),
            model: value("--model=").unwrap_or(DEFAULT_MODEL).to_owned(),
            mode: value("--permission-mode=").unwrap_or("default").to_owned(),
            max_turns: value("--max-turns=").and_then(|turns| turns.parse().ok()),
            max_retries: launched
                .env("CLAUDE_CODE_MAX_RETRIES")
                .and_then(|retries| retries.parse().ok())
                .unwrap_or(10),
            partial_messages: launched.has_arg("--include-partial-messages"),
            replays_prompts: launched.has_arg("--replay-user-messages"),
            asks_host: launched.has_arg("--permission-prompt-tool=stdio"),
            rules,
        }
    }

    /// Returns the outcome for each manifest of an in-process server.
    pub(super) fn parked_manifests(&self) -> Value {
        let manifests = self.initialize["sdkMcpServerManifests"].as_object();
        let names = manifests.into_iter().flat_map(|manifests| manifests.keys());
        names
            .map(|name| (name.clone(), Value::from("parked")))
            .collect()
    }

    pub(super) fn system_prompt(&self) -> Value {
        self.initialize["systemPrompt"].clone()
    }
}

impl State {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            model: config.model.clone(),
            mode: config.mode.clone(),
            prompt_id: String::new(),
            rules: config.rules.clone(),
        }
    }

    /// Returns whether a rule of this kind is about the tool.
    pub(super) fn has_rule(&self, behavior: Behavior, tool: &str) -> bool {
        let mut rules = self.rules.iter();
        rules.any(|rule| rule.behavior == behavior && rule.is_about(tool))
    }

    /// Returns the source of the rule that allows the tool.
    pub(super) fn allowing_source(&self, tool: &str) -> Option<&'static str> {
        let mut rules = self.rules.iter();
        let rule = rules.find(|rule| rule.behavior == Behavior::Allow && rule.is_about(tool))?;
        Some(match rule.is_remembered {
            true => "user_permanent",
            false => "config",
        })
    }

    /// Applies a permission update of the host.
    pub(super) fn update(&mut self, update: &Value) {
        match update["type"].as_str() {
            Some("setMode") => {
                if let Some(mode) = update["mode"].as_str() {
                    mode.clone_into(&mut self.mode);
                }
            }
            Some("addRules") => {
                let behavior = match update["behavior"].as_str() {
                    Some("allow") => Behavior::Allow,
                    Some("deny") => Behavior::Deny,
                    _ => Behavior::Ask,
                };
                let rules = update["rules"].as_array().into_iter().flatten();
                let whole = rules.filter(|rule| rule.get("ruleContent").is_none());
                let tools = whole.filter_map(|rule| rule["toolName"].as_str());
                let rules = tools.filter_map(|tool| Rule::new(behavior, tool));
                self.rules.extend(rules.map(|rule| Rule {
                    is_remembered: true,
                    ..rule
                }));
            }
            _ => {}
        }
    }
}

impl Rule {
    /// Returns `None` for a rule with a content, which only the real CLI can evaluate.
    fn new(behavior: Behavior, rule: &str) -> Option<Self> {
        (!rule.contains('(')).then(|| Self {
            behavior,
            is_remembered: false,
            tool: rule.to_owned(),
        })
    }

    fn is_about(&self, tool: &str) -> bool {
        if let Some(start) = self.tool.strip_suffix('*') {
            return tool.starts_with(start);
        }
        let rest = tool.strip_prefix(self.tool.as_str());
        rest.is_some_and(|rest| {
            // `mcp__calc` is about all tools of the server.
            rest.is_empty() || (self.tool.starts_with("mcp__") && rest.starts_with("__"))
        })
    }
}

fn values<'a>(launched: &'a Launched, flag: &str) -> impl Iterator<Item = &'a str> {
    let args = launched.args().iter();
    args.filter_map(move |arg| arg.strip_prefix(flag))
}

/// Splits a list of rules at commas and spaces outside of parentheses.
fn split(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    list.split(move |c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && matches!(c, ',' | ' ')
    })
    .filter(|rule| !rule.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_is_about_a_tool_a_server_or_a_prefix() {
        for (rule, tool, expected) in [
            ("mcp__calc__add", "mcp__calc__add", true),
            ("mcp__calc__add", "mcp__calc__add_all", false),
            ("mcp__calc", "mcp__calc__add", true),
            ("mcp__calc", "mcp__calculus__add", false),
            ("mcp__calc__*", "mcp__calc__add", true),
            ("Read", "ReadMcpResource", false),
        ] {
            let rule = Rule::new(Behavior::Allow, rule).unwrap();
            assert_eq!(rule.is_about(tool), expected, "{rule:?} {tool}");
        }
        assert_eq!(Rule::new(Behavior::Allow, "Bash(git *)"), None);
    }

    #[test]
    fn list_of_rules_is_split_outside_of_parentheses() {
        let rules: Vec<_> = split("Read,Bash(git log, *) mcp__calc").collect();
        assert_eq!(rules, ["Read", "Bash(git log, *)", "mcp__calc"]);
    }
}
