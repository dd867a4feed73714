use super::{Effort, Options, Thinking};

#[derive(Clone, Debug, Default)]
pub(crate) struct ModelOptions {
    pub(crate) model: Option<String>,
    pub(crate) fallbacks: Vec<String>,
    pub(crate) thinking: Option<Thinking>,
    pub(crate) effort: Option<Effort>,
    pub(crate) betas: Vec<String>,
}

/// Model and thinking.
impl Options {
    /// The main model: an alias such as `opus`, or a full name.
    ///
    /// Unset, the CLI decides by its settings and its own default.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let options = Options::new().model("opus");
    /// assert!(launch(options).has_arg("--model=opus"));
    /// ```
    #[must_use]
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.model.model = Some(model.into());
        self
    }

    /// A model to fall back to when the main one is overloaded or not available.
    ///
    /// Each call adds one more, tried in this order. None of them may be the main model.
    #[must_use]
    pub fn fallback_model(mut self, model: impl Into<String>) -> Self {
        self.model.fallbacks.push(model.into());
        self
    }

    /// How the model thinks before it answers.
    #[must_use]
    pub fn thinking(mut self, thinking: Thinking) -> Self {
        self.model.thinking = Some(thinking);
        self
    }

    /// How much work the model puts into a turn.
    #[must_use]
    pub fn effort(mut self, effort: Effort) -> Self {
        self.model.effort = Some(effort);
        self
    }

    /// Adds a beta header, such as `context-1m-2025-08-07`.
    ///
    /// The CLI warns on stderr about a beta that it does not support, and goes on without it.
    #[must_use]
    pub fn beta(mut self, beta: impl Into<String>) -> Self {
        self.model.betas.push(beta.into());
        self
    }
}
