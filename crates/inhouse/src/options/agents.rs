use std::collections::BTreeMap;

use super::redacted::Redacted;
use super::{AgentDefinition, Options};

#[derive(Clone, Debug, Default)]
pub(crate) struct AgentOptions {
    pub(crate) definitions: BTreeMap<String, Redacted<AgentDefinition>>,
    pub(crate) main: Option<String>,
    pub(crate) skills: Option<Skills>,
}

/// Options for subagents and skills.
impl Options {
    /// Adds subagents by name, for this session.
    ///
    /// An agent replaces an earlier one of the same name. Agents of settings and plugins stay
    /// available. Default: none.
    ///
    /// ```
    /// use inhouse::options::{AgentDefinition, Options};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let reviewer = AgentDefinition::new("Reviews changes", "You review.").tools(["Read"]);
    /// let cli = launch(Options::new().agents([("reviewer", reviewer)]));
    /// assert_eq!(cli.initialize()["agents"]["reviewer"]["prompt"], "You review.");
    /// ```
    pub fn agents<S: Into<String>>(
        mut self,
        agents: impl IntoIterator<Item = (S, AgentDefinition)>,
    ) -> Self {
        let agents = agents.into_iter();
        self.agents
            .definitions
            .extend(agents.map(|(name, agent)| (name.into(), Redacted(agent))));
        self
    }

    /// Runs the main conversation with the prompt, tools and model of this agent.
    ///
    /// The agent is one of [`agents`](Self::agents), or of the settings or plugins. Default: none.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().agent("reviewer"));
    /// assert!(cli.has_arg("--agent=reviewer"));
    /// ```
    pub fn agent(mut self, name: impl Into<String>) -> Self {
        self.agents.main = Some(name.into());
        self
    }

    /// Sets which skills the main conversation sees and may use without a permission request.
    ///
    /// Skills come from the files of the [setting sources](Self::setting_sources) and from plugins.
    /// Default: the CLI shows all skills, and requests permission for those that allow tools
    /// (`allowed-tools`). A selected skill may use these tools without a further request.
    ///
    /// ```
    /// use inhouse::options::{Options, Skills};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().skills(Skills::only(["pdf"])));
    /// assert!(cli.has_arg("--allowedTools=Skill(pdf)"));
    /// assert_eq!(cli.initialize()["skills"][0], "pdf");
    /// ```
    pub fn skills(mut self, skills: Skills) -> Self {
        self.agents.skills = Some(skills);
        self
    }
}

/// A selection of skills.
///
/// ```
/// use inhouse::options::{Options, Skills};
/// use inhouse_testkit::fake::launch;
///
/// let cli = launch(Options::new().skills(Skills::all()));
/// assert!(cli.has_arg("--allowedTools=Skill"));
/// assert!(cli.initialize()["skills"].is_null());
///
/// let cli = launch(Options::new().skills(Skills::none()));
/// assert_eq!(cli.initialize()["skills"], serde_json::json!([]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "set it with `Options::skills`"]
pub struct Skills {
    /// The names of the skills; `None` selects all.
    pub(crate) names: Option<Vec<String>>,
}

impl Skills {
    /// Selects every available skill.
    ///
    /// ```
    /// use inhouse::options::{Options, Skills};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().skills(Skills::all()));
    /// assert!(cli.has_arg("--allowedTools=Skill"));
    /// ```
    pub fn all() -> Self {
        Self { names: None }
    }

    /// Selects skills by name; a skill of a plugin is `plugin:skill`.
    ///
    /// ```
    /// use inhouse::options::{Options, Skills};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().skills(Skills::only(["pdf", "office:slides"])));
    /// assert_eq!(cli.initialize()["skills"][1], "office:slides");
    /// ```
    pub fn only<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        let names = names.into_iter().map(Into::into).collect();
        Self { names: Some(names) }
    }

    /// Selects none of the skills.
    ///
    /// ```
    /// use inhouse::options::{Options, Skills};
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().skills(Skills::none()));
    /// assert_eq!(cli.initialize()["skills"], serde_json::json!([]));
    /// ```
    pub fn none() -> Self {
        Self::only::<String>([])
    }
}
