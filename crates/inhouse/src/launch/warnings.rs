use crate::options::{Options, PermissionMode};
use crate::permission::{Parentheses, tool_name};
use crate::warning::Warning;

/// What is probably not meant.
pub(super) fn of(options: &Options) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if options.deciders.policy.is_none() {
        return warnings;
    }
    let rules: Vec<String> = options
        .tools
        .allow
        .iter()
        .filter(|rule| allows_whole_tool(rule))
        .cloned()
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

fn allows_whole_tool(rule: &str) -> bool {
    let (tool, whole) = match Parentheses::in_text(rule) {
        Parentheses::Around { open } => (&rule[..open], matches!(&rule[open..], "()" | "(*)")),
        _ => (rule, true),
    };
    whole && !tool_name::is_asked_anyway(tool)
}
