use super::Options;

#[derive(Clone, Debug, Default)]
pub(crate) struct LimitOptions {
    pub(crate) max_turns: Option<u32>,
    pub(crate) max_budget_usd: Option<f64>,
    pub(crate) task_budget: Option<u64>,
}

/// Options for limits on turns, cost and tokens.
impl Options {
    /// Ends the run after this many turns of the model, with the result `error_max_turns`.
    ///
    /// A limit of 0 is a `Config` error. Default: no limit.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().max_turns(3));
    /// assert!(cli.has_arg("--max-turns=3"));
    /// ```
    pub fn max_turns(mut self, turns: u32) -> Self {
        self.limits.max_turns = Some(turns);
        self
    }

    /// Ends the run once it has cost this much, with the result `error_max_budget_usd`.
    ///
    /// The CLI checks the cost between requests to the model, so the last request may exceed the
    /// budget. Default: no limit.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().max_budget_usd(0.5));
    /// assert!(cli.has_arg("--max-budget-usd=0.5"));
    /// ```
    pub fn max_budget_usd(mut self, dollars: f64) -> Self {
        self.limits.max_budget_usd = Some(dollars);
        self
    }

    /// Informs the model how many tokens the whole task may use, so that it paces its work.
    ///
    /// Default: none.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().task_budget(100_000));
    /// assert!(cli.has_arg("--task-budget=100000"));
    /// ```
    pub fn task_budget(mut self, tokens: u64) -> Self {
        self.limits.task_budget = Some(tokens);
        self
    }
}
