use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use inhouse_proto::control::{PermissionBehavior, PermissionRule};

use super::tool_name::{self, RuleFlaw};

/// A permission rule: all calls of a tool, or the calls that a pattern describes.
///
/// | rule | matches |
/// |---|---|
/// | `Bash`, `Bash()`, `Bash(*)` | all calls of the tool |
/// | `Bash(npm test)` | this command |
/// | `Bash(git log *)`, `Bash(git log:*)` | commands that begin so |
/// | `Read(src/**)`, `Edit(~/notes/*.md)` | files; `//` begins an absolute path |
/// | `WebFetch(domain:docs.rs)` | addresses of a domain |
/// | `mcp__calc`, `mcp__calc__*` | all tools of an MCP server |
/// | `mcp__calc__add` | one tool of an MCP server |
///
/// The meaning of a pattern depends on the tool. A parenthesis without a partner, and a backslash
/// before a parenthesis, are escaped with a backslash; [`Rule::new`] does that for you.
///
/// ```
/// use inhouse::permission::Rule;
///
/// let rule: Rule = "Bash(git log *)".parse()?;
/// assert_eq!((rule.tool(), rule.content()), ("Bash", Some("git log *")));
///
/// let error = "bash".parse::<Rule>().unwrap_err();
/// assert!(error.to_string().contains("write `Bash`"));
/// # Ok::<(), inhouse::permission::RuleError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rule {
    tool: String,
    content: Option<String>,
}

impl Rule {
    /// Creates a rule for the calls of `tool` that `content` describes. An empty content and `*`
    /// describe all calls; parentheses and backslashes need no escape here.
    ///
    /// # Errors
    ///
    /// Returns an error if no tool can have the name, and if an MCP tool has a content: the CLI
    /// matches such a rule with nothing.
    ///
    /// ```
    /// use inhouse::permission::Rule;
    ///
    /// let smile = Rule::new("Bash", "echo :)")?;
    /// assert_eq!(smile.to_string(), r"Bash(echo :\))");
    /// # Ok::<(), inhouse::permission::RuleError>(())
    /// ```
    pub fn new(tool: impl Into<String>, content: impl Into<String>) -> Result<Self, RuleError> {
        let (tool, content) = (tool.into(), content.into());
        let content = Some(content).filter(|content| !content.is_empty() && content != "*");
        let rule = Self { tool, content };
        match tool_name::flaw(&rule.tool, rule.content.as_deref()) {
            Some(flaw) => Err(RuleError::new(rule.to_string(), flaw)),
            None => Ok(rule),
        }
    }

    /// Returns the name of the tool, or the pattern for several tools of an MCP server.
    ///
    /// ```
    /// # use inhouse::permission::Rule;
    /// assert_eq!(Rule::new("Bash", "ls")?.tool(), "Bash");
    /// # Ok::<(), inhouse::permission::RuleError>(())
    /// ```
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Returns the pattern for the calls of the tool; `None` matches all of them.
    ///
    /// ```
    /// # use inhouse::permission::Rule;
    /// assert_eq!(Rule::new("Bash", "ls")?.content(), Some("ls"));
    /// assert_eq!(Rule::new("Bash", "*")?.content(), None);
    /// # Ok::<(), inhouse::permission::RuleError>(())
    /// ```
    #[must_use]
    pub fn content(&self) -> Option<&str> {
        self.content.as_deref()
    }

    /// Returns why the rule has no effect with this behavior.
    pub(super) fn flaw_with(&self, behavior: &PermissionBehavior) -> Option<RuleError> {
        let flaw = tool_name::flaw_with(&self.tool, behavior)?;
        Some(RuleError::new(self.to_string(), flaw))
    }
}

impl FromStr for Rule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let error = |flaw| RuleError::new(text.to_owned(), flaw);
        if text.trim().is_empty() {
            return Err(error(RuleFlaw::Empty));
        }
        if text.trim() != text {
            return Err(error(RuleFlaw::SurroundingWhitespace));
        }
        let (tool, content) = match Parentheses::in_text(text) {
            Parentheses::None => (text, ""),
            Parentheses::Around { open } => (&text[..open], &text[open + 1..text.len() - 1]),
            Parentheses::TextAfter => return Err(error(RuleFlaw::TextAfterParenthesis)),
            Parentheses::Unmatched => return Err(error(RuleFlaw::UnmatchedParentheses)),
        };
        // The error quotes the rule as the user wrote it, escapes included.
        Self::new(tool, unescape(content)).map_err(|invalid| error(invalid.flaw))
    }
}

impl TryFrom<&str> for Rule {
    type Error = RuleError;

    fn try_from(text: &str) -> Result<Self, RuleError> {
        text.parse()
    }
}

impl TryFrom<String> for Rule {
    type Error = RuleError;

    fn try_from(text: String) -> Result<Self, RuleError> {
        text.parse()
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.tool)?;
        let Some(content) = &self.content else {
            return Ok(());
        };
        f.write_str("(")?;
        for c in content.chars() {
            if matches!(c, '(' | ')' | '\\') {
                f.write_str("\\")?;
            }
            write!(f, "{c}")?;
        }
        f.write_str(")")
    }
}

impl From<Rule> for PermissionRule {
    fn from(rule: Rule) -> Self {
        let without_content = Self::new(rule.tool);
        match rule.content {
            Some(content) => without_content.content(content),
            None => without_content,
        }
    }
}

/// Why a permission rule is invalid; its text says how to correct the rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleError {
    rule: String,
    flaw: RuleFlaw,
}

impl RuleError {
    fn new(rule: String, flaw: RuleFlaw) -> Self {
        Self { rule, flaw }
    }
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rule = format_args!("the permission rule `{}`", self.rule);
        f.write_str(&self.flaw.describe(rule))
    }
}

impl std::error::Error for RuleError {}

/// Lets [`Policy`](super::permission::Policy) accept a [`Rule`] where it accepts text.
impl From<Infallible> for RuleError {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

/// Where the parentheses of a rule are; those after a backslash do not count.
pub(crate) enum Parentheses {
    None,
    Around { open: usize },
    TextAfter,
    Unmatched,
}

impl Parentheses {
    pub(crate) fn in_text(rule: &str) -> Self {
        let (mut escaped, mut depth, mut open, mut closed) = (false, 0_usize, None, None);
        for (at, c) in rule.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '(' => {
                    depth += 1;
                    open.get_or_insert(at);
                }
                ')' if depth == 0 => return Self::Unmatched,
                ')' => {
                    depth -= 1;
                    if depth == 0 {
                        closed.get_or_insert(at);
                    }
                }
                _ => {}
            }
        }
        match (open, closed) {
            (None, _) => Self::None,
            (Some(_), _) if depth > 0 => Self::Unmatched,
            (Some(open), Some(closed)) if closed + 1 == rule.len() => Self::Around { open },
            _ => Self::TextAfter,
        }
    }
}

fn unescape(content: &str) -> String {
    let mut plain = String::with_capacity(content.len());
    let mut rest = content.chars().peekable();
    while let Some(c) = rest.next() {
        match rest.peek() {
            Some(&next @ ('(' | ')' | '\\')) if c == '\\' => {
                plain.push(next);
                rest.next();
            }
            _ => plain.push(c),
        }
    }
    plain
}
