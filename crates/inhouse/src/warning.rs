use std::fmt;

use inhouse_proto::control::PermissionMode;

/// Something about the options of a session that is probably not meant.
///
/// It keeps nothing from working, unlike a [`Config`](crate::error::ErrorKind::Config) error. Found
/// in [`Client::warnings`](crate::Client::warnings), and reported as an event of `tracing`.
/// `Display` says what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// There is a permission handler, and rules in
    /// [`allow_tools`](crate::Options::allow_tools) because of which it is not asked about these
    /// tools.
    RulesBypassHandler(
        /// The rules that allow all calls of a tool.
        Vec<String>,
    ),
    /// There is a permission handler, and a mode in which it is not asked.
    ModeBypassesHandler(
        /// The mode.
        PermissionMode,
    ),
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RulesBypassHandler(rules) => write!(
                f,
                "the permission handler is not asked about `{}`: `allow_tools` allows all calls; \
                 put what is meant into a `Policy` with `Policy::allow`, narrow the rules, or see \
                 every call in a `PreToolUse` hook",
                rules.join("`, `")
            ),
            Self::ModeBypassesHandler(PermissionMode::DontAsk) => f.write_str(
                "the permission handler is not asked: the mode `dontAsk` denies what would be \
                 asked; use `PermissionMode::Default`",
            ),
            Self::ModeBypassesHandler(mode) => write!(
                f,
                "the permission handler is hardly ever asked: the mode `{mode}` allows nearly \
                 everything; use `PermissionMode::Default`, or see every call in a `PreToolUse` hook"
            ),
        }
    }
}
