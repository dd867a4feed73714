/// The stage at which an [`Error`](super::Error) happened.
///
/// | kind | usual cause | what to do |
/// |---|---|---|
/// | [`Config`](Self::Config) | options that contradict each other | correct them: the text lists all problems |
/// | [`CliNotFound`](Self::CliNotFound) | Claude Code is not installed | install it, or set [`cli_path`](crate::Options::cli_path) |
/// | [`Spawn`](Self::Spawn) | no right to run the program, too many processes | see the source of the error |
/// | [`Handshake`](Self::Handshake), [`Protocol`](Self::Protocol) | another program, or a CLI that is too old | update the CLI; `inhouse doctor` checks it |
/// | [`Refused`](Self::Refused) | a request that the CLI does not support now | read the text, which is that of the CLI |
/// | [`Timeout`](Self::Timeout) | a busy machine, a store that does not answer | try again, or set a longer timeout |
/// | [`Exited`](Self::Exited) | the CLI crashed or was killed | see [`stderr_tail`](super::Error::stderr_tail), then resume the session |
/// | [`Closed`](Self::Closed) | the session was closed in another task | connect again |
/// | [`Failed`](Self::Failed) | the limit of turns or cost, an error of the API | see [`result`](super::Error::result) |
/// | [`SessionNotFound`](Self::SessionNotFound) | a wrong id, another project or machine | list the [sessions](crate::sessions) |
/// | [`Held`](Self::Held) | another host runs the session | try again when its lease has ended |
/// | [`Store`](Self::Store) | the store or the disk failed | [recover](crate::sessions::recover) what is not stored |
/// | [`Fenced`](Self::Fenced) | the lease of the session was lost | connect again; the store has what counts |
///
/// ```
/// use inhouse::ErrorKind;
///
/// /// Whether the same call may succeed later, without a change.
/// fn is_temporary(kind: ErrorKind) -> bool {
///     matches!(kind, ErrorKind::Timeout | ErrorKind::Exited | ErrorKind::Held)
/// }
/// assert!(is_temporary(ErrorKind::Held));
/// assert!(!is_temporary(ErrorKind::Config));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The options contradict each other or hold a bad value; nothing was started.
    Config,
    /// No CLI was found; the message lists where it was searched.
    CliNotFound,
    /// The CLI was found but could not be started.
    Spawn,
    /// The CLI was started but did not accept `initialize`.
    Handshake,
    /// The CLI sent a message that violates the protocol.
    Protocol,
    /// The CLI refused a control request; the message quotes its reason.
    Refused,
    /// A deadline passed before the operation completed.
    Timeout,
    /// The CLI exited before the operation completed.
    Exited,
    /// The host closed the session before the operation completed.
    Closed,
    /// A turn ended with an error result; see [`Error::result`](super::Error::result).
    Failed,
    /// No session has the given id, or no subagent of the session has it.
    SessionNotFound,
    /// Another process or host works on the session; the message says for how long if that is known. Nothing was started.
    Held,
    /// A session store failed, or the files of a session could not be read or written. If entries of a transcript are not stored,
    /// the message names the directory with them.
    Store,
    /// Another host has taken over the session, so this one was ended.
    Fenced,
}
