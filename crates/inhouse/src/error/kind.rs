/// The stage at which an [`Error`](super::Error) happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The options contradict each other or hold a bad value; nothing was started.
    Config,
    /// There is no CLI where it was looked for.
    CliNotFound,
    /// The CLI is there but could not be started.
    Spawn,
    /// The CLI was started but did not accept the session.
    Handshake,
    /// The CLI said something that the protocol does not allow.
    Protocol,
    /// The CLI refused a control request; the error's text has its words.
    Refused,
    /// A deadline passed.
    Timeout,
    /// The CLI ended by itself.
    Exited,
    /// The session was closed by the host.
    Closed,
    /// A turn ended with an error result.
    Failed,
    /// A session store failed.
    Store,
}
