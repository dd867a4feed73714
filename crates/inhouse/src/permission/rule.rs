use std::fmt;
use std::str::FromStr;

use inhouse_proto::control::{PermissionBehavior, PermissionRule};

use super::RuleError;
use super::tool_name;

/// Which tool calls are meant: all of a tool, or those that a pattern describes.
///
/// | rule | calls |
/// |---|---|
/// | `Bash`, `Bash()`, `Bash(*)` | all of the tool |
/// | `Bash(npm test)` | this command |
/// | `Bash(git log *)`, `Bash(git log:*)` | commands that begin so |
/// | `Read(src/**)`, `Edit(~/notes/*.md)` | files; `//` begins an absolute path |
/// | `WebFetch(domain:docs.rs)` | addresses there |
/// | `mcp__calc`, `mcp__calc__*` | all tools of an MCP server |
/// | `mcp__calc__add` | one tool of it |
///
/// What a pattern means is up to the tool. A parenthesis in it that has no partner, and a backslash
/// before a parenthesis, are written with a backslash before them; [`Rule::new`] does it for you.
///
/// ```
/// use inhouse::permission::Rule;
///
/// let rule: Rule = "Bash(git log *)".parse()?;
/// assert_eq!((rule.tool(), rule.content()), ("Bash", Some("git log *")));
///
/// let smile = Rule::new("Bash", "echo :)")?;
/// assert_eq!(smile.to_string(), r"Bash(echo :\))");
///
/// let mistake = "bash".parse::<Rule>().unwrap_err();
/// assert!(mistake.to_string().contains("`Bash`"));
/// # Ok::<(), inhouse::permission::RuleError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rule {
    tool: String,
    content: Option<String>,
}

impl Rule {
    /// The calls of a tool that this content describes, word for word as it stands here; an empty
    /// one and `*` describe all.
    ///
    /// # Errors
    /// When the name of the tool cannot be one, and for a content with an MCP tool, whose rules
    /// have none.
    pub fn new(tool: impl Into<String>, content: impl Into<String>) -> Result<Self, RuleError> {
        let (tool, content) = (tool.into(), content.into());
        let content = Some(content).filter(|content| !content.is_empty() && content != "*");
        let rule = Self { tool, content };
        match tool_name::flaw(&rule.tool, rule.content.as_deref()) {
            Some(flaw) => Err(RuleError::new(&rule.to_string(), flaw)),
            None => Ok(rule),
        }
    }

    /// The tool, or the pattern for several.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Which calls are meant; `None` means all.
    #[must_use]
    pub fn content(&self) -> Option<&str> {
        self.content.as_deref()
    }

    /// Why the rule has no effect when it says this, if it has none.
    pub(crate) fn flaw_as(&self, behavior: &PermissionBehavior) -> Option<String> {
        let flaw = tool_name::flaw_as(&self.tool, behavior)?;
        Some(RuleError::new(&self.to_string(), flaw).to_string())
    }
}

impl FromStr for Rule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let wrong = |flaw: &str| Err(RuleError::new(text, flaw));
        if text.trim().is_empty() {
            return wrong("is empty; name a tool");
        }
        if text.trim() != text {
            return wrong("has blanks around it; remove them");
        }
        let (tool, content) = match Parentheses::in_text(text) {
            Parentheses::None => (text, ""),
            Parentheses::Around { open } => (&text[..open], &text[open + 1..text.len() - 1]),
            Parentheses::TextBehind => {
                return wrong("goes on after its closing parenthesis; nothing may stand there");
            }
            Parentheses::Unmatched => {
                return wrong(
                    r"has parentheses that do not match; close them, or write `\(` for one that is \
                      meant as it is",
                );
            }
        };
        Self::new(tool, unescape(content)).map_err(|error| error.about(text))
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
        let bare = Self::new(rule.tool);
        match rule.content {
            Some(content) => bare.content(content),
            None => bare,
        }
    }
}

/// How the parentheses of a rule stand; those behind a backslash do not count.
pub(crate) enum Parentheses {
    None,
    Around { open: usize },
    TextBehind,
    Unmatched,
}

impl Parentheses {
    pub(crate) fn in_text(text: &str) -> Self {
        let (mut escaped, mut depth, mut open, mut closed) = (false, 0_usize, None, None);
        for (at, c) in text.char_indices() {
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
            (Some(open), Some(closed)) if closed + 1 == text.len() => Self::Around { open },
            _ => Self::TextBehind,
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
