/// The stage at which an [`Error`](super::Error) happened.
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
