//! Names of tools, as rules have them.

use inhouse_proto::control::PermissionBehavior;

const MCP: &str = "mcp__";

/// Those whose spelling people get wrong; not a list of all.
const BUILT_IN: [&str; 24] = [
    "Agent",
    "AskUserQuestion",
    "Bash",
    "BashOutput",
    "Edit",
    "EnterPlanMode",
    "ExitPlanMode",
    "Glob",
    "Grep",
    "KillShell",
    "ListMcpResources",
    "MultiEdit",
    "NotebookEdit",
    "NotebookRead",
    "PowerShell",
    "Read",
    "ReadMcpResource",
    "Skill",
    "Task",
    "TodoWrite",
    "ToolSearch",
    "WebFetch",
    "WebSearch",
    "Write",
];

/// Why a rule with this name matches nothing, if it is so; reads after "the permission rule `…`".
pub(crate) fn flaw(tool: &str, content: Option<&str>) -> Option<String> {
    if let Some(flaw) = mistake(tool, content) {
        return Some(flaw);
    }
    if tool.starts_with(MCP) {
        return None;
    }
    if tool.is_empty() {
        return Some("names no tool; put one before the parenthesis".to_owned());
    }
    let foreign = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '*'));
    if tool.contains(foreign) {
        return Some("has a tool name that no tool has; use letters and digits only".to_owned());
    }
    let begins_well = tool.starts_with(|c: char| c.is_ascii_uppercase() || c == '*');
    (!begins_well).then(|| {
        "names a tool with a small initial, which only MCP tools have; write \
         `mcp__<server>__<tool>`, or a built-in tool such as `Bash`"
            .to_owned()
    })
}

/// The part of [`flaw`] that is certain whatever tools there are, also some that nobody knows yet.
pub(crate) fn mistake(tool: &str, content: Option<&str>) -> Option<String> {
    if let Some(name) = tool.strip_prefix(MCP) {
        return mcp_flaw(tool, name, content);
    }
    let meant = BUILT_IN
        .iter()
        .find(|name| name.eq_ignore_ascii_case(tool) && **name != tool)?;
    Some(format!(
        "matches nothing, since names are case-sensitive; write `{meant}`"
    ))
}

/// Why a rule with this name has no effect when it says this, if it has none.
pub(crate) fn flaw_as(tool: &str, behavior: &PermissionBehavior) -> Option<String> {
    if *behavior != PermissionBehavior::Allow {
        return None;
    }
    let (before, after) = tool.split_once('*')?;
    let server = before
        .strip_prefix(MCP)
        .and_then(|name| name.split_once("__"));
    let complete = server.is_some_and(|(server, _)| !server.is_empty()) && after.is_empty();
    (!complete).then(|| {
        "allows nothing: only the tools of one server can be allowed by a pattern, as in \
         `mcp__<server>__*`; name the tool"
            .to_owned()
    })
}

/// Whether calls of the tool are asked about although a rule allows them: a person is meant.
pub(crate) fn is_asked_anyway(tool: &str) -> bool {
    matches!(tool, "AskUserQuestion" | "ExitPlanMode")
}

fn mcp_flaw(tool: &str, name: &str, content: Option<&str>) -> Option<String> {
    let spelled: String = tool.chars().map(normalised).collect();
    if name.is_empty() {
        return Some(
            "names no server; write `mcp__<server>` or `mcp__<server>__<tool>`".to_owned(),
        );
    }
    if spelled != tool {
        return Some(format!(
            "matches nothing, since the CLI writes `_` for every character but letters, digits, `_` \
             and `-`; write `{spelled}`"
        ));
    }
    let content = content?;
    let separate = if name.contains("__") {
        None
    } else {
        Some(content)
    };
    let instead = match separate {
        Some(content) if content.chars().all(|c| normalised(c) == c) => {
            format!("{tool}__{content}")
        }
        _ => tool.to_owned(),
    };
    Some(format!(
        "has a content, with which a rule for an MCP tool matches nothing; write `{instead}`"
    ))
}

fn normalised(c: char) -> char {
    match c {
        '_' | '-' | '*' => c,
        c if c.is_ascii_alphanumeric() => c,
        _ => '_',
    }
}
