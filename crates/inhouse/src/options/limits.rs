use super::Options;

#[derive(Clone, Debug, Default)]
pub(crate) struct LimitOptions {
    pub(crate) max_turns: Option<u32>,
    pub(crate) max_budget_usd: Option<f64>,
    pub(crate) task_budget: Option<u64>,
}

/// Limits on what a run may use up.
impl Options {
    /// Ends the run after this many turns of the model, with the result `error_max_turns`.
    #[must_use]
    pub fn max_turns(mut self, turns: u32) -> Self {
        self.limits.max_turns = Some(turns);
        self
    }

    /// Ends the run when it has cost this much, with the result `error_max_budget_usd`.
    ///
    /// It is checked between requests, so the last one may go past it.
    #[must_use]
    pub fn max_budget_usd(mut self, dollars: f64) -> Self {
        self.limits.max_budget_usd = Some(dollars);
        self
    }

    /// Tells the model how many tokens the whole task may take, so that it paces itself.
    #[must_use]
    pub fn task_budget(mut self, tokens: u64) -> Self {
        self.limits.task_budget = Some(tokens);
        self
    }
}
