use std::collections::BTreeMap;

use super::Options;

#[derive(Clone, Debug, Default)]
pub(crate) struct ToolOptions {
    pub(crate) set: Option<ToolSet>,
    pub(crate) allow: Vec<String>,
    pub(crate) disallow: Vec<String>,
    pub(crate) aliases: BTreeMap<String, String>,
    pub(crate) question_preview: Option<QuestionPreview>,
}

/// Options for tools and their rules.
///
/// Three lists are easily confused: [`tools`](Options::tools) selects the built-in tools that
/// *exist*, [`disallow_tools`](Options::disallow_tools) removes tools or denies calls, and
/// [`allow_tools`](Options::allow_tools) only skips the permission request before a call.
impl Options {
    /// Sets which of the built-in tools exist.
    ///
    /// Default: all tools of Claude Code.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().tools(["Read", "Grep"]));
    /// assert!(cli.has_arg("--tools=Read") && cli.has_arg("--tools=Grep"));
    /// ```
    pub fn tools(mut self, tools: impl Into<ToolSet>) -> Self {
        self.tools.set = Some(tools.into());
        self
    }

    /// Adds rules for calls that are allowed without a permission request, such as `Read`,
    /// `Bash(git log:*)` or `mcp__calc__add`.
    ///
    /// Tools that no rule names still exist; their calls need permission. Default: none.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().allow_tools(["Read", "Bash(git log:*)"]));
    /// assert!(cli.has_arg("--allowedTools=Bash(git log:*)"));
    /// ```
    pub fn allow_tools<S: Into<String>>(mut self, rules: impl IntoIterator<Item = S>) -> Self {
        self.tools.allow.extend(rules.into_iter().map(Into::into));
        self
    }

    /// Adds tools to remove, and rules for calls to deny.
    ///
    /// A name without parentheses removes the tool; a rule such as `Bash(rm *)` denies matching
    /// calls. Default: none.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().disallow_tools(["WebFetch", "Bash(rm *)"]));
    /// assert!(cli.has_arg("--disallowedTools=WebFetch"));
    /// assert!(cli.has_arg("--disallowedTools=Bash(rm *)"));
    /// ```
    pub fn disallow_tools<S: Into<String>>(mut self, rules: impl IntoIterator<Item = S>) -> Self {
        self.tools
            .disallow
            .extend(rules.into_iter().map(Into::into));
        self
    }

    /// Runs the tool `to` when the model calls `from`.
    ///
    /// An alias of an alias is not resolved. Default: none.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().tool_alias("Shell", "Bash"));
    /// assert_eq!(cli.initialize()["toolAliases"]["Shell"], "Bash");
    /// ```
    pub fn tool_alias(mut self, from: impl Into<String>, to: impl Into<String>) -> Self {
        self.tools.aliases.insert(from.into(), to.into());
        self
    }

    /// Sets the format of the previews in the model's questions to the user.
    ///
    /// Default: [`QuestionPreview::Markdown`].
    ///
    /// ```
    /// use inhouse::options::{Options, QuestionPreview};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().question_preview(QuestionPreview::Html));
    /// assert_eq!(cli.env("CLAUDE_CODE_QUESTION_PREVIEW_FORMAT"), Some("html"));
    /// ```
    pub fn question_preview(mut self, format: QuestionPreview) -> Self {
        self.tools.question_preview = Some(format);
        self
    }
}

/// A selection of the built-in tools.
///
/// ```
/// use inhouse::options::{Options, ToolSet};
/// use inhouse_testkit::fake::launch;
///
/// assert_eq!(ToolSet::from(["Read", "Grep"]), ToolSet::only(["Read", "Grep"]));
/// assert!(launch(Options::new().tools(ToolSet::none())).has_arg("--tools="));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "set it with `Options::tools`"]
pub struct ToolSet {
    /// The names of the tools; `None` selects those of Claude Code.
    pub(crate) names: Option<Vec<String>>,
}

impl ToolSet {
    /// Selects the tools of Claude Code.
    ///
    /// ```
    /// use inhouse::options::{Options, ToolSet};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().tools(ToolSet::preset()));
    /// assert!(cli.has_arg("--tools=default"));
    /// ```
    pub fn preset() -> Self {
        Self { names: None }
    }

    /// Selects tools by name.
    ///
    /// ```
    /// use inhouse::options::{Options, ToolSet};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().tools(ToolSet::only(["Read"])));
    /// assert!(cli.has_arg("--tools=Read"));
    /// ```
    pub fn only<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        let names = names.into_iter().map(Into::into).collect();
        Self { names: Some(names) }
    }

    /// Selects no built-in tool, so that only the tools of MCP servers exist.
    ///
    /// ```
    /// use inhouse::options::{Options, ToolSet};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().tools(ToolSet::none()));
    /// assert!(cli.has_arg("--tools="));
    /// ```
    pub fn none() -> Self {
        Self::only::<String>([])
    }
}

impl<S: Into<String>, const N: usize> From<[S; N]> for ToolSet {
    fn from(names: [S; N]) -> Self {
        Self::only(names)
    }
}

impl<S: Into<String>> From<Vec<S>> for ToolSet {
    fn from(names: Vec<S>) -> Self {
        Self::only(names)
    }
}

/// The format of a preview in a question to the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QuestionPreview {
    /// Markdown, the default of the CLI.
    Markdown,
    /// A fragment of HTML.
    Html,
}

impl QuestionPreview {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Html => "html",
        }
    }
}
