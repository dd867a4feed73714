use inhouse_macros::Open;

/// The permission mode: how the CLI decides on tool calls that no rule covers.
///
/// Rules and hooks are evaluated first. The mode applies to the calls that they leave undecided.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum PermissionMode {
    /// Asks for permission before every call that may have side effects.
    Default,
    /// Edits files in the working directories without asking, and asks about everything else.
    AcceptEdits,
    /// Allows every call. The CLI must have been started with `--allow-dangerously-skip-permissions`.
    BypassPermissions,
    /// Reads and plans, but changes nothing.
    Plan,
    /// Denies every call that the CLI would otherwise ask about.
    DontAsk,
    /// Lets a model decide on the calls that the CLI would otherwise ask about.
    Auto,
    /// A value that this version of the crate does not know, as the CLI wrote it.
    Unknown(String),
}
