use std::future::Future;

use inhouse_proto::control::PermissionBehavior;

use super::{Decision, PermissionHandler, PermissionRequest, Rule, RuleError};
use crate::callback::Callback;
use crate::error::HandlerError;

/// Rules about tool calls, and who decides about the rest.
///
/// ```
/// use inhouse::Options;
/// use inhouse::permission::{Decision, PermissionRequest, Policy};
///
/// let policy = Policy::new()
///     .allow("mcp__calc")
///     .allow("Read(src/**)")
///     .deny("Bash(rm *)")
///     .ask("Bash(git push *)")
///     .otherwise(async |request: PermissionRequest| {
///         Ok(Decision::deny(format!("{} is not for this agent", request.tool_name)))
///     });
/// let options = Options::new().permissions(policy);
/// # let _ = options;
/// ```
///
/// The order of the rules does not matter: a denial wins over a question, and a question over an
/// approval, also over those of settings files and of
/// [`allow_tools`](crate::Options::allow_tools).
///
/// # Who follows them
/// The CLI does. Only it knows what a command line consists of, where a path leads and what is
/// never asked about, and a denial holds for all of that: `Bash(rm *)` also denies
/// `cd /tmp && rm x`. inhouse checks how the rules are written, and connecting fails with a
/// [`Config`](crate::error::ErrorKind::Config) error that names those which would match nothing.
///
/// # What is left over
/// What no rule settles and the CLI would ask a person about, goes to the handler in
/// [`otherwise`](Self::otherwise). Without one it is denied. What the CLI never asks about, such
/// as reading a file of the project, needs a rule to be denied or asked about.
#[derive(Clone, Debug, Default)]
#[must_use = "a policy has an effect in `Options::permissions`"]
pub struct Policy {
    rules: Vec<(PermissionBehavior, Result<Rule, RuleError>)>,
    otherwise: Option<Callback<PermissionRequest, Decision>>,
}

impl Policy {
    /// No rules, and a denial of all that is asked.
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs these calls without asking.
    pub fn allow<R>(self, rule: R) -> Self
    where
        R: TryInto<Rule, Error: Into<RuleError>>,
    {
        self.rule(PermissionBehavior::Allow, rule)
    }

    /// Refuses these calls, whatever else is said; a rule without content takes the whole tool away.
    pub fn deny<R>(self, rule: R) -> Self
    where
        R: TryInto<Rule, Error: Into<RuleError>>,
    {
        self.rule(PermissionBehavior::Deny, rule)
    }

    /// Asks about these calls, although they would not need it.
    pub fn ask<R>(self, rule: R) -> Self
    where
        R: TryInto<Rule, Error: Into<RuleError>>,
    {
        self.rule(PermissionBehavior::Ask, rule)
    }

    /// Who decides about what no rule settles; of another policy, the rules hold as well.
    pub fn otherwise(mut self, handler: impl PermissionHandler) -> Self {
        let handler = handler.into_policy();
        self.rules.extend(handler.rules);
        self.otherwise = handler.otherwise;
        self
    }

    /// A policy without rules.
    pub(super) fn asking<H, F>(handler: H) -> Self
    where
        H: FnOnce(PermissionRequest) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<Decision, HandlerError>> + Send + 'static,
    {
        Self {
            rules: Vec::new(),
            otherwise: Some(Callback::new(handler)),
        }
    }

    pub(crate) fn has_rules(&self) -> bool {
        !self.rules.is_empty()
    }

    /// What is wrong with the rules.
    pub(crate) fn problems(&self) -> impl Iterator<Item = String> {
        self.rules.iter().filter_map(|(behavior, rule)| match rule {
            Ok(rule) => rule.flaw_as(behavior),
            Err(error) => Some(error.to_string()),
        })
    }

    /// The rules that say this, as the CLI reads them.
    pub(crate) fn rules_that(&self, behavior: &PermissionBehavior) -> Vec<String> {
        let rules = self.rules.iter().filter(|(says, _)| says == behavior);
        let rules = rules.filter_map(|(_, rule)| rule.as_ref().ok());
        rules.map(ToString::to_string).collect()
    }

    /// Who decides about what no rule settles.
    pub(crate) fn decider(&self) -> Callback<PermissionRequest, Decision> {
        self.otherwise.clone().unwrap_or_else(|| {
            Callback::new(async |request: PermissionRequest| {
                Ok(Decision::deny(format!(
                    "The policy of this session has no rule that allows {}, so the call was denied. \
                     Do without it.",
                    request.tool_name
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
