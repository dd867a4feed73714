use inhouse_macros::Open;

/// How the CLI decides about tool calls that no rule settles.
///
/// Rules and hooks come first; the mode decides what is left over.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum PermissionMode {
    /// Ask about everything that may have side effects.
    Default,
    /// Edit files below the working directory without asking; ask about the rest.
    AcceptEdits,
    /// Allow everything. The process must have been started with
    /// `--allow-dangerously-skip-permissions`.
    BypassPermissions,
    /// Look and plan, change nothing.
    Plan,
    /// Deny what would have been asked.
    DontAsk,
    /// Let a model judge what would have been asked.
    Auto,
    /// A value that this version does not know.
    Unknown(String),
}
