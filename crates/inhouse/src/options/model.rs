use super::{Effort, Options, ThinkingDisplay};

#[derive(Clone, Debug, Default)]
pub(crate) struct ModelOptions {
    pub(crate) model: Option<String>,
    pub(crate) fallbacks: Vec<String>,
    pub(crate) thinking: Option<Thinking>,
    pub(crate) effort: Option<Effort>,
    pub(crate) betas: Vec<String>,
}

/// Options for model and thinking.
impl Options {
    /// Sets the main model: an alias such as `opus`, or a full model name.
    ///
    /// Default: the model of the settings, else the default of the CLI.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().model("opus"));
    /// assert!(cli.has_arg("--model=opus"));
    /// ```
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.model.model = Some(model.into());
        self
    }

    /// Adds a model to use when the main model is overloaded or not available.
    ///
    /// Fallbacks are tried in the order in which they are added. Connecting fails with a `Config`
    /// error if a fallback is the main model. Default: none.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().fallback_model("sonnet").fallback_model("haiku"));
    /// assert!(cli.has_arg("--fallback-model=sonnet,haiku"));
    /// ```
    pub fn fallback_model(mut self, model: impl Into<String>) -> Self {
        self.model.fallbacks.push(model.into());
        self
    }

    /// Sets whether and how much the model thinks before it answers.
    ///
    /// Default: the CLI decides by model and settings.
    ///
    /// ```
    /// use inhouse::options::{Options, Thinking};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().thinking(Thinking::budget(2048)));
    /// assert!(cli.has_arg("--max-thinking-tokens=2048"));
    /// ```
    pub fn thinking(mut self, thinking: Thinking) -> Self {
        self.model.thinking = Some(thinking);
        self
    }

    /// Sets how much effort the model puts into a turn.
    ///
    /// Default: the CLI decides by model and settings.
    ///
    /// ```
    /// use inhouse::options::{Effort, Options};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().effort(Effort::High));
    /// assert!(cli.has_arg("--effort=high"));
    /// ```
    pub fn effort(mut self, effort: Effort) -> Self {
        self.model.effort = Some(effort);
        self
    }

    /// Adds a beta header, such as `context-1m-2025-08-07`.
    ///
    /// The CLI warns on stderr about a beta that it does not support, and ignores it. Default: none.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().beta("context-1m-2025-08-07"));
    /// assert!(cli.has_arg("--betas=context-1m-2025-08-07"));
    /// ```
    pub fn beta(mut self, beta: impl Into<String>) -> Self {
        self.model.betas.push(beta.into());
        self
    }
}

/// How much the model thinks before it answers, and what the host sees of it.
///
/// ```
/// use inhouse::options::{Options, Thinking, ThinkingDisplay};
/// use inhouse_testkit::fake::launch;
///
/// let thinking = Thinking::adaptive().display(ThinkingDisplay::Summarized);
/// let cli = launch(Options::new().thinking(thinking));
/// assert!(cli.has_arg("--thinking=adaptive"));
/// assert!(cli.has_arg("--thinking-display=summarized"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "set it with `Options::thinking`"]
pub struct Thinking {
    pub(crate) mode: ThinkingMode,
    pub(crate) display: Option<ThinkingDisplay>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ThinkingMode {
    Adaptive,
    Budget(u32),
    Disabled,
}

impl Thinking {
    /// Lets the model decide how much it thinks.
    ///
    /// ```
    /// use inhouse::options::{Options, Thinking};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().thinking(Thinking::adaptive()));
    /// assert!(cli.has_arg("--thinking=adaptive"));
    /// ```
    pub fn adaptive() -> Self {
        Self::with_mode(ThinkingMode::Adaptive)
    }

    /// Limits the thinking of each answer to this many tokens.
    ///
    /// For models that do not support adaptive thinking. A budget of 0 is a `Config` error; use
    /// [`disabled`](Self::disabled).
    ///
    /// ```
    /// use inhouse::options::{Options, Thinking};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().thinking(Thinking::budget(4096)));
    /// assert!(cli.has_arg("--max-thinking-tokens=4096"));
    /// ```
    pub fn budget(tokens: u32) -> Self {
        Self::with_mode(ThinkingMode::Budget(tokens))
    }

    /// Turns off thinking in every answer.
    ///
    /// ```
    /// use inhouse::options::{Options, Thinking};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().thinking(Thinking::disabled()));
    /// assert!(cli.has_arg("--thinking=disabled"));
    /// ```
    pub fn disabled() -> Self {
        Self::with_mode(ThinkingMode::Disabled)
    }

    /// Sets how much of the thinking the thinking blocks contain.
    ///
    /// [`ThinkingDisplay::Highlights`] needs a newer CLI than 2.1.197. Default: the CLI decides.
    ///
    /// ```
    /// use inhouse::options::{Options, Thinking, ThinkingDisplay};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().thinking(Thinking::adaptive().display(ThinkingDisplay::Omitted)));
    /// assert!(cli.has_arg("--thinking-display=omitted"));
    /// ```
    pub fn display(mut self, display: ThinkingDisplay) -> Self {
        self.display = Some(display);
        self
    }

    fn with_mode(mode: ThinkingMode) -> Self {
        Self {
            mode,
            display: None,
        }
    }
}
