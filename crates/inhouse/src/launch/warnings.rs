use super::check::pieces;
use crate::ask::{Parentheses, tool_name};
use crate::options::{Options, PermissionMode};
use crate::warning::Warning;

/// What is probably not meant.
pub(super) fn of(options: &Options) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if options.ask.policy.is_none() {
        return warnings;
    }
    let rules = options.tools.allow.iter().flat_map(|value| pieces(value));
    let rules: Vec<String> = rules
        .filter(|rule| allows_whole_tool(rule) && !is_of_the_host(rule, options))
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

/// Whether a rule is about tools in this process, which the host has written itself.
fn is_of_the_host(rule: &str, options: &Options) -> bool {
    let Some(name) = rule.strip_prefix("mcp__") else {
        return false;
    };
    let server = name.split_once("__").map_or(name, |(server, _)| server);
    let mut servers = options.in_process.servers.iter();
    servers.any(|(key, _)| key == server)
}

fn allows_whole_tool(rule: &str) -> bool {
    let (tool, whole) = match Parentheses::in_text(rule) {
        Parentheses::Around { open } => (&rule[..open], matches!(&rule[open..], "()" | "(*)")),
        _ => (rule, true),
    };
    whole && !tool_name::is_always_asked(tool)
}
