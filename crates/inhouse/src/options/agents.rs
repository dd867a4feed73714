use std::collections::BTreeMap;

use super::hidden::Hidden;
use super::{AgentDefinition, Options};

#[derive(Clone, Debug, Default)]
pub(crate) struct AgentOptions {
    pub(crate) definitions: BTreeMap<String, Hidden<AgentDefinition>>,
    pub(crate) main: Option<String>,
    pub(crate) skills: Option<Skills>,
}

/// Subagents and skills.
impl Options {
    /// Adds subagents, by name; one of the same name is replaced.
    ///
    /// They live as long as the session, next to those from settings and plugins.
    #[must_use]
    pub fn agents<S: Into<String>>(
        mut self,
        agents: impl IntoIterator<Item = (S, AgentDefinition)>,
    ) -> Self {
        let agents = agents.into_iter();
        self.agents
            .definitions
            .extend(agents.map(|(name, agent)| (name.into(), Hidden(agent))));
        self
    }

    /// Runs the main conversation as this agent: its prompt, tools and model.
    ///
    /// One of [`agents`](Self::agents), or one that settings or plugins define.
    #[must_use]
    pub fn agent(mut self, name: impl Into<String>) -> Self {
        self.agents.main = Some(name.into());
        self
    }

    /// Which skills the main conversation sees and may use without asking.
    ///
    /// Unset, the CLI shows all and asks. Skills come from the files of the
    /// [setting sources](Self::setting_sources) and from plugins.
    #[must_use]
    pub fn skills(mut self, skills: Skills) -> Self {
        self.agents.skills = Some(skills);
        self
    }
}

/// A choice of skills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skills(pub(crate) SkillChoice);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SkillChoice {
    All,
    Only(Vec<String>),
}

impl Skills {
    /// Every skill there is.
    #[must_use]
    pub fn all() -> Self {
        Self(SkillChoice::All)
    }

    /// These, by name; those of a plugin as `plugin:skill`.
    #[must_use]
    pub fn only<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        Self(SkillChoice::Only(
            names.into_iter().map(Into::into).collect(),
        ))
    }

    /// None.
    #[must_use]
    pub fn none() -> Self {
        Self(SkillChoice::Only(Vec::new()))
    }
}
