use std::fmt;

use inhouse_proto::control::PermissionMode;

/// A warning about options that probably do not do what was intended.
///
/// The session works nevertheless, unlike after a [`Config`](crate::error::ErrorKind::Config) error.
/// Warnings are returned by [`Client::warnings`](crate::Client::warnings) and logged with `tracing`.
/// `Display` says what to do.
///
/// ```
/// use inhouse::permission::{Decision, CanUseTool};
/// use inhouse::{Asked, Options, Warning};
/// # use inhouse_testkit::{FakeCli, run};
///
/// let options = Options::new()
///     .allow_tools(["Bash"])
///     .permissions(async |_: Asked<CanUseTool>| Ok(Decision::deny("no")));
/// # run(FakeCli::play(options, async |client| {
/// // Every call of `Bash` is allowed before the handler is called.
/// let rules = vec!["Bash".to_owned()];
/// assert_eq!(client.warnings(), [Warning::RulesBypassHandler(rules)]);
/// # Ok(()) }, async |_| {}));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// Rules in [`allow_tools`](crate::Options::allow_tools) keep the permission handler from being
    /// called for these tools.
    RulesBypassHandler(
        /// The rules that allow all calls of a tool.
        Vec<String>,
    ),
    /// The permission mode keeps the permission handler from being called.
    ModeBypassesHandler(
        /// The permission mode of the session.
        PermissionMode,
    ),
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RulesBypassHandler(rules) => write!(
                f,
                "the permission handler is not called for `{}`: `allow_tools` allows all calls; use \
                 a `Policy` with `Policy::allow`, narrow the rules, or observe every call in a \
                 `PreToolUse` hook",
                rules.join("`, `")
            ),
            Self::ModeBypassesHandler(PermissionMode::DontAsk) => f.write_str(
                "the permission handler is not called: the mode `dontAsk` denies every call that \
                 needs permission; use `PermissionMode::Default`",
            ),
            Self::ModeBypassesHandler(mode) => write!(
                f,
                "the permission handler is rarely called: the mode `{mode}` allows nearly every \
                 call; use `PermissionMode::Default`, or observe every call in a `PreToolUse` hook"
            ),
        }
    }
}
