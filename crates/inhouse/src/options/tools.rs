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

/// Tools.
///
/// Three lists that are easily mixed up: [`tools`](Options::tools) decides which built-in tools
/// *exist*, [`disallow_tools`](Options::disallow_tools) takes some away, and
/// [`allow_tools`](Options::allow_tools) only spares the question before a call.
impl Options {
    /// Which of the built-in tools exist.
    #[must_use]
    pub fn tools(mut self, tools: impl Into<ToolSet>) -> Self {
        self.tools.set = Some(tools.into());
        self
    }

    /// Adds rules for calls that are approved without asking, such as `Read`, `Bash(git log:*)` or
    /// `mcp__calc__add`.
    ///
    /// It hides nothing: tools that are not listed are still there, and asked about.
    #[must_use]
    pub fn allow_tools<S: Into<String>>(mut self, rules: impl IntoIterator<Item = S>) -> Self {
        self.tools.allow.extend(rules.into_iter().map(Into::into));
        self
    }

    /// Adds tools that are removed, or rules for calls that are denied.
    #[must_use]
    pub fn disallow_tools<S: Into<String>>(mut self, rules: impl IntoIterator<Item = S>) -> Self {
        self.tools
            .disallow
            .extend(rules.into_iter().map(Into::into));
        self
    }

    /// Runs the tool `to` when the model calls `from`. Not followed further.
    #[must_use]
    pub fn tool_alias(mut self, from: impl Into<String>, to: impl Into<String>) -> Self {
        self.tools.aliases.insert(from.into(), to.into());
        self
    }

    /// In which form the model writes the previews that come with its questions to the user.
    #[must_use]
    pub fn question_preview(mut self, format: QuestionPreview) -> Self {
        self.tools.question_preview = Some(format);
        self
    }
}

/// A choice of the built-in tools.
///
/// ```
/// use inhouse::options::{Options, ToolSet};
///
/// let reader = Options::new().tools(["Read", "Grep", "Glob"]);
/// let talker = Options::new().tools(ToolSet::none());
/// # let _ = (reader, talker);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolSet(pub(crate) ToolChoice);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ToolChoice {
    Preset,
    Only(Vec<String>),
}

impl ToolSet {
    /// Those of Claude Code.
    #[must_use]
    pub fn preset() -> Self {
        Self(ToolChoice::Preset)
    }

    /// These, by name.
    #[must_use]
    pub fn only<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        Self(ToolChoice::Only(
            names.into_iter().map(Into::into).collect(),
        ))
    }

    /// None: only tools of MCP servers are left.
    #[must_use]
    pub fn none() -> Self {
        Self(ToolChoice::Only(Vec::new()))
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

/// The form of a preview in a question to the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QuestionPreview {
    /// Markdown, which is what the CLI asks for by itself.
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
