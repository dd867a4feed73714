/// How the model thinks before it answers.
///
/// ```
/// use inhouse::options::{Options, Thinking, ThinkingDisplay};
///
/// let options = Options::new()
///     .thinking(Thinking::adaptive().display(ThinkingDisplay::Summarized));
/// # let _ = options;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// The model decides how much it thinks.
    #[must_use]
    pub fn adaptive() -> Self {
        Self::with_mode(ThinkingMode::Adaptive)
    }

    /// At most this many tokens of thinking in each answer.
    ///
    /// For models that do not think adaptively.
    #[must_use]
    pub fn budget(tokens: u32) -> Self {
        Self::with_mode(ThinkingMode::Budget(tokens))
    }

    /// No thinking.
    #[must_use]
    pub fn disabled() -> Self {
        Self::with_mode(ThinkingMode::Disabled)
    }

    /// Whether thinking blocks come with text.
    #[must_use]
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

/// What is shown of the model's thinking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ThinkingDisplay {
    /// Thinking blocks hold a summary.
    Summarized,
    /// Thinking blocks hold no text.
    Omitted,
}

impl ThinkingDisplay {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Summarized => "summarized",
            Self::Omitted => "omitted",
        }
    }
}
