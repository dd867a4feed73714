use inhouse_proto::control::PermissionBehavior;
use inhouse_proto::control::incoming::CanUseTool;

use super::Asked;
use super::permission::{Decision, PermissionHandler};
use super::rule::{Rule, RuleError};
use crate::user_code::Callback;

/// Rules about tool calls, and a handler for the calls that no rule settles.
///
/// ```
/// use inhouse::permission::{CanUseTool, Decision, Policy};
/// use inhouse::{Asked, Options};
///
/// let policy = Policy::new()
///     .allow("mcp__calc")
///     .allow("Read(src/**)")
///     .deny("Bash(rm *)")
///     .ask("Bash(git push *)")
///     .otherwise(async |asked: Asked<CanUseTool>| {
///         Ok(Decision::deny(format!("{} is not for this agent", asked.request.tool_name)))
///     });
/// let options = Options::new().permissions(policy);
/// # let args = inhouse_testkit::fake::launch(options).args().join(" ");
/// # assert!(args.contains(r#""allow":["mcp__calc","Read(src/**)"]"#), "{args}");
/// ```
///
/// The order of the rules does not matter: deny rules win over ask rules, and ask rules win over
/// allow rules, including the rules of settings files and of
/// [`allow_tools`](crate::Options::allow_tools).
///
/// # Who applies the rules
///
/// The CLI does, because only the CLI knows what a command line consists of, where a path leads and
/// which calls are never asked about. `Bash(rm *)` therefore also denies `cd /tmp && rm x`. inhouse
/// validates the rules: connecting fails with a [`Config`](crate::error::ErrorKind::Config) error that
/// lists the rules which would match nothing.
///
/// # Calls without a rule
///
/// A call that no rule settles and that the CLI asks about goes to the handler of
/// [`otherwise`](Self::otherwise), or is denied if there is none. A call that the CLI never asks
/// about, such as reading a file of the project, runs unless a rule denies it.
#[derive(Clone, Debug, Default)]
#[must_use = "a policy has no effect unless it is passed to `Options::permissions`"]
pub struct Policy {
    rules: Vec<(PermissionBehavior, Result<Rule, RuleError>)>,
    otherwise: Option<Callback<Asked<CanUseTool>, Decision>>,
}

impl Policy {
    /// Creates a policy without rules, which denies every call that the CLI asks about.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::permission::Policy;
    ///
    /// let options = Options::new().permissions(Policy::new());
    /// # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
    /// #     let reply = cli.can_use_tool("Bash", serde_json::json!({"command": "ls"})).await;
    /// #     assert_eq!(reply["behavior"], "deny");
    /// # }));
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs matching calls without asking.
    ///
    /// An invalid rule makes connecting fail. See [`Rule`] for the syntax.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::permission::Policy;
    ///
    /// let options = Options::new().permissions(Policy::new().allow("Read(src/**)"));
    /// # let args = inhouse_testkit::fake::launch(options).args().join(" ");
    /// # assert!(args.contains(r#""allow":["Read(src/**)"]"#), "{args}");
    /// ```
    pub fn allow<R>(self, rule: R) -> Self
    where
        R: TryInto<Rule, Error: Into<RuleError>>,
    {
        self.rule(PermissionBehavior::Allow, rule)
    }

    /// Denies matching calls, whatever hooks, modes and other rules say.
    ///
    /// A rule without content removes the tool, so that the model does not see it. An invalid rule
    /// makes connecting fail.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::permission::Policy;
    ///
    /// let options = Options::new().permissions(Policy::new().deny("Bash(rm *)"));
    /// # let args = inhouse_testkit::fake::launch(options).args().join(" ");
    /// # assert!(args.contains(r#""deny":["Bash(rm *)"]"#), "{args}");
    /// ```
    pub fn deny<R>(self, rule: R) -> Self
    where
        R: TryInto<Rule, Error: Into<RuleError>>,
    {
        self.rule(PermissionBehavior::Deny, rule)
    }

    /// Asks the handler about matching calls, even if an allow rule or the mode would run them.
    ///
    /// An invalid rule makes connecting fail.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::permission::Policy;
    ///
    /// let options = Options::new().permissions(Policy::new().ask("Bash(git push *)"));
    /// # let args = inhouse_testkit::fake::launch(options).args().join(" ");
    /// # assert!(args.contains(r#""ask":["Bash(git push *)"]"#), "{args}");
    /// ```
    pub fn ask<R>(self, rule: R) -> Self
    where
        R: TryInto<Rule, Error: Into<RuleError>>,
    {
        self.rule(PermissionBehavior::Ask, rule)
    }

    /// Sets the handler for calls that no rule settles; without a handler they are denied.
    ///
    /// If the handler is a policy itself, its rules are added to the rules of this one.
    ///
    /// ```
    /// use inhouse::permission::{CanUseTool, Decision, Policy};
    /// use inhouse::{Asked, Options};
    ///
    /// let policy = Policy::new().deny("WebFetch").otherwise(async |asked: Asked<CanUseTool>| {
    ///     Ok(Decision::deny(format!("{} is not for this agent", asked.request.tool_name)))
    /// });
    /// let options = Options::new().permissions(policy);
    /// # inhouse_testkit::run(inhouse_testkit::FakeCli::play_cli(options, async |cli| {
    /// #     let reply = cli.can_use_tool("Bash", serde_json::json!({"command": "ls"})).await;
    /// #     assert_eq!(reply["message"], "Bash is not for this agent");
    /// # }));
    /// ```
    pub fn otherwise(mut self, handler: impl PermissionHandler) -> Self {
        let handler = handler.into_policy();
        self.rules.extend(handler.rules);
        self.otherwise = handler.otherwise;
        self
    }

    pub(super) fn from_handler(handler: Callback<Asked<CanUseTool>, Decision>) -> Self {
        Self {
            rules: Vec::new(),
            otherwise: Some(handler),
        }
    }

    pub(crate) fn has_rules(&self) -> bool {
        !self.rules.is_empty()
    }

    /// Returns a description of each rule that is invalid or has no effect.
    pub(crate) fn problems(&self) -> impl Iterator<Item = String> {
        self.rules.iter().filter_map(|(behavior, rule)| {
            let error = match rule {
                Ok(rule) => rule.flaw_with(behavior)?,
                Err(error) => error.clone(),
            };
            Some(error.to_string())
        })
    }

    /// Returns the valid rules with this behavior, in the syntax of the CLI.
    pub(crate) fn rules_with(&self, behavior: &PermissionBehavior) -> Vec<String> {
        self.rules
            .iter()
            .filter(|(other, _)| other == behavior)
            .filter_map(|(_, rule)| rule.as_ref().ok())
            .map(Rule::to_string)
            .collect()
    }

    /// Returns the handler for calls that no rule settles; the default handler denies them.
    pub(super) fn handler(&self) -> Callback<Asked<CanUseTool>, Decision> {
        self.otherwise.clone().unwrap_or_else(|| {
            Callback::new(async |asked: Asked<CanUseTool>| {
                Ok(Decision::deny(format!(
                    "The policy of this session has no rule that allows {}, so the call was denied. \
                     Do without it.",
                    asked.request.tool_name
                )))
            })
        })
    }

    fn rule<R>(mut self, behavior: PermissionBehavior, rule: R) -> Self
    where
        R: TryInto<Rule, Error: Into<RuleError>>,
    {
        self.rules
            .push((behavior, rule.try_into().map_err(Into::into)));
        self
    }
}
