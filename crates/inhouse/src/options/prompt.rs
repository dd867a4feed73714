use std::fmt;
use std::path::PathBuf;

use super::Options;
use super::redacted::Redacted;

#[derive(Clone, Debug, Default)]
pub(crate) struct PromptOptions {
    pub(crate) system: SystemPrompt,
    pub(crate) plan_mode_instructions: Option<Redacted<String>>,
    pub(crate) verbatim: bool,
}

/// Options for the system prompt and other prompts.
impl Options {
    /// Sets the system prompt.
    ///
    /// **Default: empty**, as in both official SDKs: the model gets no instructions of Claude Code.
    /// Use [`SystemPrompt::preset`] for an agent that works like Claude Code.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().system_prompt("Answer in one sentence."));
    /// assert_eq!(cli.initialize()["systemPrompt"][0], "Answer in one sentence.");
    /// ```
    pub fn system_prompt(mut self, prompt: impl Into<SystemPrompt>) -> Self {
        self.prompt.system = prompt.into();
        self
    }

    /// Replaces the instructions that the CLI gives to the model in plan mode.
    ///
    /// Default: the instructions of the CLI.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().plan_mode_instructions("Plan in three steps."));
    /// assert_eq!(cli.initialize()["planModeInstructions"], "Plan in three steps.");
    /// ```
    pub fn plan_mode_instructions(mut self, text: impl Into<String>) -> Self {
        self.prompt.plan_mode_instructions = Some(Redacted(text.into()));
        self
    }

    /// Sets whether prompts reach the model unchanged.
    ///
    /// The CLI then does not expand slash commands, file references and other syntax that it
    /// recognizes in prompts. Needs CLI 2.1.248; older versions ignore it. Default: `false`.
    ///
    /// ```
    /// use inhouse::Options;
    /// # use inhouse_testkit::{FakeCli, run};
    ///
    /// let options = Options::new().verbatim_prompts(true);
    /// # run(FakeCli::play(options, async |client| {
    /// client.send("/help is no command here").await?.text().await?;
    /// # Ok(()) }, async |cli| {
    /// # assert_eq!(cli.expect_prompt().await.line()["client_composed"], true);
    /// # cli.turn("Understood.").await;
    /// # }));
    /// ```
    pub fn verbatim_prompts(mut self, verbatim: bool) -> Self {
        self.prompt.verbatim = verbatim;
        self
    }
}

/// The system prompt of a session.
///
/// | value | prompt of the model |
/// |---|---|
/// | not set, or `""` | **none**: only the line with which the CLI introduces every agent |
/// | [`SystemPrompt::preset`] | the prompt of Claude Code |
/// | a string | the string |
/// | [`SystemPrompt::sections`] | the sections; the stable ones are cached across sessions |
/// | [`SystemPrompt::file`] | the text of a file |
///
/// The text is sent in the `initialize` request and never on the command line, whatever its size.
///
/// ```
/// use inhouse::options::{Options, SystemPrompt};
/// use inhouse_testkit::fake::launch;
///
/// let prompt = SystemPrompt::preset().append("Prefer Rust.");
/// let cli = launch(Options::new().system_prompt(prompt));
/// assert_eq!(cli.initialize()["appendSystemPrompt"], "Prefer Rust.");
/// ```
#[derive(Clone)]
#[must_use = "set it with `Options::system_prompt`"]
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
    /// Uses this text as the whole system prompt.
    ///
    /// ```
    /// use inhouse::options::{Options, SystemPrompt};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let prompt = SystemPrompt::text("You sort invoices.");
    /// let cli = launch(Options::new().system_prompt(prompt));
    /// assert_eq!(cli.initialize()["systemPrompt"][0], "You sort invoices.");
    /// ```
    pub fn text(text: impl Into<String>) -> Self {
        Self::sections([text])
    }

    /// Uses these sections as the system prompt.
    ///
    /// Sections that differ between sessions are added with [`dynamic`](Self::dynamic).
    ///
    /// ```
    /// use inhouse::options::{Options, SystemPrompt};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let prompt = SystemPrompt::sections(["You sort invoices.", "Answer in French."]);
    /// let cli = launch(Options::new().system_prompt(prompt));
    /// assert_eq!(cli.initialize()["systemPrompt"][1], "Answer in French.");
    /// ```
    pub fn sections<S: Into<String>>(stable: impl IntoIterator<Item = S>) -> Self {
        let stable = stable.into_iter().map(Into::into).collect();
        Self::with_base(PromptBase::Sections(stable))
    }

    /// Uses the system prompt of Claude Code.
    ///
    /// ```
    /// use inhouse::options::{Options, SystemPrompt};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let prompt = SystemPrompt::preset();
    /// let cli = launch(Options::new().system_prompt(prompt));
    /// // The CLI uses its own prompt.
    /// assert!(cli.initialize()["systemPrompt"].is_null());
    /// ```
    pub fn preset() -> Self {
        Self::with_base(PromptBase::Preset)
    }

    /// Uses the text of a file, which the CLI reads.
    ///
    /// A relative path is resolved against the CLI's working directory.
    ///
    /// ```
    /// use inhouse::options::{Options, SystemPrompt};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let prompt = SystemPrompt::file("/srv/prompts/invoices.md");
    /// let cli = launch(Options::new().system_prompt(prompt));
    /// assert!(cli.has_arg("--system-prompt-file=/srv/prompts/invoices.md"));
    /// ```
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self::with_base(PromptBase::File(path.into()))
    }

    /// Adds sections that differ between sessions, after the stable sections.
    ///
    /// The CLI caches the stable sections separately, so that sessions share them. Only for
    /// [`text`](Self::text) and [`sections`](Self::sections); a `Config` error otherwise. CLI 2.1.197
    /// does not support it and shows the boundary marker to the model.
    ///
    /// ```
    /// use inhouse::options::{Options, SystemPrompt};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let prompt = SystemPrompt::text("You sort invoices.").dynamic(["The user is Ada."]);
    /// let cli = launch(Options::new().system_prompt(prompt));
    /// let sections = cli.initialize()["systemPrompt"].as_array().unwrap();
    /// assert_eq!(sections.first().unwrap(), "You sort invoices.");
    /// assert_eq!(sections.last().unwrap(), "The user is Ada.");
    /// ```
    pub fn dynamic<S: Into<String>>(mut self, sections: impl IntoIterator<Item = S>) -> Self {
        self.dynamic.extend(sections.into_iter().map(Into::into));
        self
    }

    /// Appends a text to the preset or to the file.
    ///
    /// A `Config` error for [`text`](Self::text) and [`sections`](Self::sections).
    ///
    /// ```
    /// use inhouse::options::{Options, SystemPrompt};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let prompt = SystemPrompt::preset().append("Never push to main.");
    /// let cli = launch(Options::new().system_prompt(prompt));
    /// assert_eq!(cli.initialize()["appendSystemPrompt"], "Never push to main.");
    /// ```
    pub fn append(mut self, text: impl Into<String>) -> Self {
        self.append = Some(text.into());
        self
    }

    /// Sets whether the parts of the preset that depend on the machine (directory, platform, git
    /// status) move to the first user message.
    ///
    /// Sessions on several machines then share one cached prompt. Default: `false`.
    ///
    /// ```
    /// use inhouse::options::{Options, SystemPrompt};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let prompt = SystemPrompt::preset().exclude_dynamic_sections(true);
    /// let cli = launch(Options::new().system_prompt(prompt));
    /// assert_eq!(cli.initialize()["excludeDynamicSections"], true);
    /// ```
    pub fn exclude_dynamic_sections(mut self, exclude: bool) -> Self {
        self.exclude_dynamic_sections = Some(exclude);
        self
    }

    /// Sets whether the CLI records the prompt with the conversation.
    ///
    /// A resumed session uses the recorded prompt: another prompt is ignored until the conversation
    /// is compacted. With `false`, each launch uses its own prompt. Default: `true`.
    ///
    /// ```
    /// use inhouse::options::{Options, SystemPrompt};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let prompt = SystemPrompt::text("You sort invoices.").snapshot(false);
    /// let cli = launch(Options::new().system_prompt(prompt));
    /// assert_eq!(cli.initialize()["systemPromptSnapshot"], false);
    /// ```
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

/// Creates an empty prompt, as in both official SDKs.
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

/// Shows the lengths of texts instead of the texts.
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
