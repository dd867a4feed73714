//! Validates the tool names of permission rules.

use std::fmt::Display;

use inhouse_proto::control::PermissionBehavior;

const MCP: &str = "mcp__";

/// Built-in tools, to correct their spelling. The list need not be complete.
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

/// Why a rule is invalid or has no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RuleFlaw {
    Empty,
    SurroundingWhitespace,
    TextAfterParenthesis,
    UnmatchedParentheses,
    NoTool,
    InvalidToolName,
    LowercaseInitial,
    Misspelled { correct: &'static str },
    NoMcpServer,
    InvalidMcpName { correct: String },
    McpToolWithContent { instead: String },
    AllowsNothing,
}

impl RuleFlaw {
    /// Returns a sentence that says what is wrong with `rule` and how to correct it.
    pub(crate) fn describe(&self, rule: impl Display) -> String {
        match self {
            Self::Empty => format!("{rule} is empty; name a tool"),
            Self::SurroundingWhitespace => format!("{rule} has whitespace around it; remove it"),
            Self::TextAfterParenthesis => {
                format!("{rule} has text after its closing parenthesis; remove it")
            }
            Self::UnmatchedParentheses => format!(
                r"{rule} has parentheses that do not match; close them, or write `\(` for a literal one"
            ),
            Self::NoTool => format!("{rule} names no tool; put one before the parenthesis"),
            Self::InvalidToolName => {
                format!("{rule} has a tool name that no tool has; use letters and digits only")
            }
            Self::LowercaseInitial => format!(
                "{rule} names a tool with a lowercase initial, which only MCP tools have; write \
                 `mcp__<server>__<tool>`, or a built-in tool such as `Bash`"
            ),
            Self::Misspelled { correct } => {
                format!("{rule} matches nothing, since names are case-sensitive; write `{correct}`")
            }
            Self::NoMcpServer => {
                format!("{rule} names no server; write `mcp__<server>` or `mcp__<server>__<tool>`")
            }
            Self::InvalidMcpName { correct } => format!(
                "{rule} matches nothing, since the CLI writes `_` for every character but letters, \
                 digits, `_` and `-`; write `{correct}`"
            ),
            Self::McpToolWithContent { instead } => format!(
                "{rule} has a content, with which a rule for an MCP tool matches nothing; write \
                 `{instead}`"
            ),
            Self::AllowsNothing => format!(
                "{rule} allows nothing: a pattern can only allow the tools of one server, as in \
                 `mcp__<server>__*`; name the tool"
            ),
        }
    }
}

/// Returns why a rule with this tool name would match nothing.
pub(super) fn flaw(tool: &str, content: Option<&str>) -> Option<RuleFlaw> {
    if let Some(flaw) = certain_flaw(tool, content) {
        return Some(flaw);
    }
    if tool.starts_with(MCP) {
        return None;
    }
    if tool.is_empty() {
        return Some(RuleFlaw::NoTool);
    }
    if tool.contains(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '*'))) {
        return Some(RuleFlaw::InvalidToolName);
    }
    let has_valid_initial = tool.starts_with(|c: char| c.is_ascii_uppercase() || c == '*');
    (!has_valid_initial).then_some(RuleFlaw::LowercaseInitial)
}

/// Returns the flaws that are certain even if a newer CLI has tools that are not known here.
pub(crate) fn certain_flaw(tool: &str, content: Option<&str>) -> Option<RuleFlaw> {
    if let Some(name) = tool.strip_prefix(MCP) {
        return mcp_flaw(tool, name, content);
    }
    let correct = BUILT_IN
        .iter()
        .find(|name| name.eq_ignore_ascii_case(tool) && **name != tool)?;
    Some(RuleFlaw::Misspelled { correct })
}

/// Returns why a rule with this tool name has no effect with this behavior.
///
/// The CLI ignores an allow rule whose pattern covers more than the tools of one server.
pub(crate) fn flaw_with(tool: &str, behavior: &PermissionBehavior) -> Option<RuleFlaw> {
    if *behavior != PermissionBehavior::Allow {
        return None;
    }
    let (before, after) = tool.split_once('*')?;
    let names_server = before
        .strip_prefix(MCP)
        .and_then(|name| name.split_once("__"))
        .is_some_and(|(server, _)| !server.is_empty());
    (!names_server || !after.is_empty()).then_some(RuleFlaw::AllowsNothing)
}

/// Returns whether the CLI asks about calls of the tool even if a rule allows them.
pub(crate) fn is_always_asked(tool: &str) -> bool {
    matches!(tool, "AskUserQuestion" | "ExitPlanMode")
}

fn mcp_flaw(tool: &str, name: &str, content: Option<&str>) -> Option<RuleFlaw> {
    if name.is_empty() {
        return Some(RuleFlaw::NoMcpServer);
    }
    let correct: String = tool.chars().map(normalized).collect();
    if correct != tool {
        return Some(RuleFlaw::InvalidMcpName { correct });
    }
    let content = content?;
    // `mcp__calc(add)` most likely means `mcp__calc__add`.
    let is_tool_name = content.chars().all(|c| normalized(c) == c);
    let instead = if is_tool_name && !name.contains("__") {
        format!("{tool}__{content}")
    } else {
        tool.to_owned()
    };
    Some(RuleFlaw::McpToolWithContent { instead })
}

/// Returns the name of an MCP server or tool as the model sees it.
pub(crate) fn normalized_name(name: &str) -> String {
    name.chars().map(normalized).collect()
}

/// Replaces a character as the CLI does in the names of MCP servers and tools.
fn normalized(c: char) -> char {
    match c {
        '_' | '-' | '*' => c,
        c if c.is_ascii_alphanumeric() => c,
        _ => '_',
    }
}
