use serde_json::{Map, Value};

use super::plan::Builder;
use super::problems::Problems;
use super::tools::split_rules;
use crate::ask::{Parentheses, tool_name};
use crate::error::{Error, Result};
use crate::options::{Options, PermissionMode, PermissionPrompts};
use crate::permission::{PermissionBehavior, Policy};
use crate::warning::Warning;

pub(super) fn validate(options: &Options, problems: &mut Problems) {
    let permissions = &options.permissions;
    problems.add_if(
        permissions.mode == Some(PermissionMode::BypassPermissions)
            && !permissions.allow_dangerously_skip,
        "the mode `bypassPermissions` without `allow_dangerously_skip_permissions(true)`; add it \
         to allow every call, or choose another mode",
    );
    if let Some(tool) = &permissions.prompt_tool {
        problems.reject_empty("permission_prompt_tool", tool);
        problems.add_if(
            tool == "stdio",
            "`stdio` as the permission prompt tool, which means the host; name an MCP tool",
        );
        problems.add_if(
            permissions.prompts == Some(PermissionPrompts::None),
            "`permission_prompt_tool` together with `PermissionPrompts::None`, which never calls \
             it; omit one of the two",
        );
    }
    problems.reject_empty_each("add_dir", &permissions.directories);
    validate_handlers(options, problems);
}

fn validate_handlers(options: &Options, problems: &mut Problems) {
    let (permissions, handlers) = (&options.permissions, &options.ask);
    if handlers.decide_tool_calls() {
        problems.add_if(
            permissions.prompt_tool.is_some(),
            "`permission_prompt_tool` together with a handler (`permissions`, `on_question` or \
             `on_plan`); the CLI uses only one of them, so omit the other",
        );
        problems.add_if(
            permissions.prompts == Some(PermissionPrompts::None),
            "a handler (`permissions`, `on_question` or `on_plan`) together with \
             `PermissionPrompts::None`, which never calls it; omit one of the two",
        );
    }
    if handlers.timeout.is_some_and(|timeout| timeout.is_zero()) {
        problems.add("`permission_timeout` is 0, which denies every call; omit it");
    }
    for problem in handlers.policy.iter().flat_map(Policy::problems) {
        problems.add(problem);
    }
    problems.reject_empty_each("on_dialog", handlers.dialogs.keys());
}

pub(super) fn apply(options: &Options, builder: &mut Builder) {
    let (permissions, args) = (&options.permissions, &mut builder.args);
    let handlers = &options.ask;
    let mode = permissions.mode.as_ref().map(PermissionMode::as_str);
    args.values("permission-mode", mode);
    args.switch_if(
        permissions.allow_dangerously_skip,
        "allow-dangerously-skip-permissions",
    );
    match &permissions.prompt_tool {
        Some(tool) => args.value("permission-prompt-tool", tool),
        // Only with a handler: the CLI would send requests that the host cannot answer.
        None if handlers.decide_tool_calls() => args.value("permission-prompt-tool", "stdio"),
        None => {}
    }
    let prompts = permissions.prompts.map(PermissionPrompts::as_str);
    args.values("permission-prompts", prompts);
    args.values("add-dir", &permissions.directories);
    let dialogs = &handlers.dialogs;
    builder.initialize.supported_dialog_kinds =
        (!dialogs.is_empty()).then(|| dialogs.keys().cloned().collect());
    builder.initialize.per_task_stop_affordance = permissions.per_task_stop;
    builder.confirm_before_prompt_if(
        permissions.mode.is_some()
            || permissions.prompt_tool.is_some()
            || permissions.prompts.is_some()
            || handlers.decide_tool_calls()
            || handlers.elicitation.is_some()
            || !handlers.dialogs.is_empty(),
    );
}

/// Returns warnings about rules and modes with which the CLI skips the permission handler.
pub(super) fn warnings(options: &Options) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if options.ask.policy.is_none() {
        return warnings;
    }
    let rules = options.tools.allow.iter();
    let rules: Vec<String> = rules
        .flat_map(|value| split_rules(value))
        .filter(|rule| allows_whole_tool(rule) && !names_in_process_server(rule, options))
        .map(str::to_owned)
        .collect();
    if !rules.is_empty() {
        warnings.push(Warning::RulesBypassHandler(rules));
    }
    if let Some(mode @ (PermissionMode::BypassPermissions | PermissionMode::DontAsk)) =
        &options.permissions.mode
    {
        warnings.push(Warning::ModeBypassesHandler(mode.clone()));
    }
    warnings
}

/// Returns whether a rule is about tools in this process, which the host itself implements.
fn names_in_process_server(rule: &str, options: &Options) -> bool {
    let Some(name) = rule.strip_prefix("mcp__") else {
        return false;
    };
    let server = name.split_once("__").map_or(name, |(server, _)| server);
    let mut servers = options.mcp.servers.in_process.iter();
    servers.any(|(key, _)| key == server)
}

fn allows_whole_tool(rule: &str) -> bool {
    let (tool, whole) = match Parentheses::in_text(rule) {
        Parentheses::Around { open } => (&rule[..open], matches!(&rule[open..], "()" | "(*)")),
        _ => (rule, true),
    };
    whole && !tool_name::is_always_asked(tool)
}

/// Adds the rules of a policy to the `permissions` of the settings, and keeps the existing rules.
///
/// Rules are passed in the settings and not in `--allowedTools`, because that flag splits a rule at
/// every space and comma after a closing parenthesis: `Bash(echo (a) b)` would become the two rules
/// `Bash(echo (a)` and `b)` (CLI 2.1.325).
///
/// # Errors
///
/// [`Config`](crate::error::ErrorKind::Config) if `permissions` is not an object, or one of its
/// three lists is not a list of strings. Replacing such a value could drop a rule that denies.
pub(super) fn merge_rules(settings: Option<Value>, policy: &Policy) -> Result<Map<String, Value>> {
    let mut merged = match settings {
        Some(Value::Object(members)) => members,
        None => Map::new(),
        Some(_) => {
            return Err(Error::config(
                "`permissions` of the settings is not an object, so the rules of the policy cannot \
                 be added to it; write `{\"deny\": [\"Tool(pattern)\"]}`",
            ));
        }
    };
    for (behavior, name) in [
        (PermissionBehavior::Allow, "allow"),
        (PermissionBehavior::Deny, "deny"),
        (PermissionBehavior::Ask, "ask"),
    ] {
        // Validated even if there is no rule to add: the CLI would reject the whole settings.
        let mut list = match merged.get(name) {
            None => Vec::new(),
            Some(Value::Array(list)) if list.iter().all(Value::is_string) => list.clone(),
            Some(_) => {
                return Err(Error::config(format!(
                    "`permissions.{name}` of the settings is not a list of strings, so the rules of \
                     the policy cannot be added to it; write `[\"Tool(pattern)\"]`"
                )));
            }
        };
        for rule in policy.rules_with(&behavior).into_iter().map(Value::String) {
            if !list.contains(&rule) {
                list.push(rule);
            }
        }
        if !list.is_empty() {
            merged.insert(name.to_owned(), Value::Array(list));
        }
    }
    Ok(merged)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::error::ErrorKind;

    fn merged(settings: Value, policy: &Policy) -> Value {
        Value::Object(merge_rules(Some(settings), policy).expect("valid settings"))
    }

    #[test]
    fn policy_rules_are_added_to_the_settings() {
        let policy = Policy::new()
            .allow("Read")
            .deny("Bash(rm *)")
            .deny("WebFetch");
        let settings = json!({"deny": ["WebFetch", "Write"], "defaultMode": "plan"});
        let expected = json!({
            "allow": ["Read"],
            "deny": ["WebFetch", "Write", "Bash(rm *)"],
            "defaultMode": "plan",
        });
        assert_eq!(merged(settings, &policy), expected);
    }

    #[test]
    fn malformed_permissions_are_rejected() {
        let policy = Policy::new().deny("Bash");
        for (settings, named) in [
            (json!("nonsense"), "`permissions` of"),
            (json!({"deny": "Read"}), "`permissions.deny`"),
            (json!({"allow": {"Read": true}}), "`permissions.allow`"),
            (json!({"ask": ["Read", 1]}), "`permissions.ask`"),
        ] {
            let error = merge_rules(Some(settings), &policy).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Config);
            assert!(error.to_string().contains(named), "{error}");
        }
    }
}
