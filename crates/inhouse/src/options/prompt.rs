use super::hidden::Hidden;
use super::{Options, SystemPrompt};

#[derive(Clone, Debug, Default)]
pub(crate) struct PromptOptions {
    pub(crate) system: SystemPrompt,
    pub(crate) plan_mode_instructions: Option<Hidden<String>>,
    pub(crate) verbatim: bool,
}

/// Prompts.
impl Options {
    /// The system prompt.
    ///
    /// **Unset, it is empty**: the model is told nothing of Claude Code, as in both official SDKs.
    /// Use [`SystemPrompt::preset`] for an agent that codes as Claude Code does.
    #[must_use]
    pub fn system_prompt(mut self, prompt: impl Into<SystemPrompt>) -> Self {
        self.prompt.system = prompt.into();
        self
    }

    /// Replaces what the CLI tells the model about working in plan mode.
    #[must_use]
    pub fn plan_mode_instructions(mut self, text: impl Into<String>) -> Self {
        self.prompt.plan_mode_instructions = Some(Hidden(text.into()));
        self
    }

    /// Hands every prompt to the model as it is, without looking for commands, files and other
    /// things that the CLI understands in what a person types.
    ///
    /// Needs CLI 2.1.248; an older one ignores it.
    #[must_use]
    pub fn verbatim_prompts(mut self, verbatim: bool) -> Self {
        self.prompt.verbatim = verbatim;
        self
    }
}
