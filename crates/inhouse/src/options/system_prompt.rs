use std::fmt;
use std::path::PathBuf;

/// The system prompt of a session.
///
/// | | what the model gets |
/// |---|---|
/// | not set, or `""` | **no prompt**: only the line with which the CLI introduces every agent |
/// | [`SystemPrompt::preset`] | the prompt of Claude Code |
/// | a string | that text |
/// | [`SystemPrompt::sections`] | those texts, of which the first part is cached across sessions |
/// | [`SystemPrompt::file`] | the text of a file |
///
/// ```
/// use inhouse::options::{Options, SystemPrompt};
///
/// let terse = Options::new().system_prompt("Answer in one sentence.");
/// let coder = Options::new().system_prompt(SystemPrompt::preset().append("Prefer Rust."));
/// # let _ = (terse, coder);
/// ```
///
/// Whatever its size, the text does not travel on the command line.
#[derive(Clone)]
pub struct SystemPrompt {
    pub(crate) base: PromptBase,
    pub(crate) dynamic: Vec<String>,
    pub(crate) append: Option<String>,
    pub(crate) exclude_dynamic_sections: Option<bool>,
    pub(crate) snapshot: Option<bool>,
}

#[derive(Clone)]
pub(crate) enum PromptBase {
    Sections(Vec<String>),
    Preset,
    File(PathBuf),
}

impl SystemPrompt {
    /// A text of your own, and nothing else.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::sections([text])
    }

    /// A text in several sections, the same in every session.
    ///
    /// Add what differs from session to session with [`dynamic`](Self::dynamic).
    #[must_use]
    pub fn sections<S: Into<String>>(stable: impl IntoIterator<Item = S>) -> Self {
        let stable = stable.into_iter().map(Into::into).collect();
        Self::with_base(PromptBase::Sections(stable))
    }

    /// The prompt of Claude Code itself.
    #[must_use]
    pub fn preset() -> Self {
        Self::with_base(PromptBase::Preset)
    }

    /// The text of a file, which the CLI reads; a relative path counts from its working directory.
    #[must_use]
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self::with_base(PromptBase::File(path.into()))
    }

    /// Sections that differ from session to session, after the stable ones.
    ///
    /// The CLI caches what stands before them separately, so that sessions share it. A CLI that is
    /// too old for this (2.1.197) shows the boundary marker to the model. For a text, or
    /// [`sections`](Self::sections).
    #[must_use]
    pub fn dynamic<S: Into<String>>(mut self, sections: impl IntoIterator<Item = S>) -> Self {
        self.dynamic.extend(sections.into_iter().map(Into::into));
        self
    }

    /// A text behind the prompt of Claude Code or of the file.
    #[must_use]
    pub fn append(mut self, text: impl Into<String>) -> Self {
        self.append = Some(text.into());
        self
    }

    /// Moves what depends on the machine (directory, platform, git status) out of the preset into
    /// the first user message, so that sessions on several machines share one cached prompt.
    #[must_use]
    pub fn exclude_dynamic_sections(mut self, exclude: bool) -> Self {
        self.exclude_dynamic_sections = Some(exclude);
        self
    }

    /// Whether the CLI records the prompt with the conversation; it does unless told otherwise.
    ///
    /// A recorded prompt is kept when the session is resumed: another prompt on a later launch is
    /// ignored until the conversation is compacted. `false` makes each launch use its own.
    #[must_use]
    pub fn snapshot(mut self, snapshot: bool) -> Self {
        self.snapshot = Some(snapshot);
        self
    }

    fn with_base(base: PromptBase) -> Self {
        Self {
            base,
            dynamic: Vec::new(),
            append: None,
            exclude_dynamic_sections: None,
            snapshot: None,
        }
    }
}

/// An empty text, as both official SDKs have it.
impl Default for SystemPrompt {
    fn default() -> Self {
        Self::text("")
    }
}

impl From<&str> for SystemPrompt {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for SystemPrompt {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl fmt::Debug for SystemPrompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("SystemPrompt");
        match &self.base {
            PromptBase::Sections(stable) => out.field("section_bytes", &lengths(stable)),
            PromptBase::Preset => out.field("preset", &"claude_code"),
            PromptBase::File(path) => out.field("file", path),
        };
        out.field("dynamic_bytes", &lengths(&self.dynamic))
            .field("append_bytes", &self.append.as_ref().map(String::len))
            .field("exclude_dynamic_sections", &self.exclude_dynamic_sections)
            .field("snapshot", &self.snapshot)
            .finish()
    }
}

fn lengths(sections: &[String]) -> Vec<usize> {
    sections.iter().map(String::len).collect()
}
