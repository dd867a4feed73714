use std::error::Error as StdError;
use std::fmt;

use inhouse_store::StoreError;

/// An error of a turn that ended without an [`Outcome`](crate::Outcome).
///
/// The CLI is dead. What was stored before the error stays, so the same work can be run again.
pub struct HostError {
    kind: HostErrorKind,
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// The kinds of [`HostError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HostErrorKind {
    /// The closure that makes the options failed.
    Options,
    /// The workspace could not be prepared or saved, for another reason than an unavailable store.
    Workspace,
    /// The session store, or the store of the workspace, is unavailable.
    Store,
    /// The session cannot be opened on this host, however often it is tried: what the store has of it cannot be read, its directory cannot be
    /// written, or the store has no leases.
    Session,
    /// Another owner has the session, and keeps renewing its lease, or another process of this machine works on it.
    Held,
    /// The engine could not store a question.
    Events,
    /// The CLI could not be started, or ended without a result.
    Agent,
}

impl HostError {
    /// Creates an error, for authors of engines and workspaces.
    pub fn new(kind: HostErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            source: None,
        }
    }

    /// Creates the error of a session store that failed.
    pub(super) fn store(error: StoreError) -> Self {
        let kind = match error.is_retryable() {
            true => HostErrorKind::Store,
            false => HostErrorKind::Session,
        };
        Self::new(kind, error.to_string()).with_source(error)
    }

    /// Adds the error that caused this one.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Returns the kind of this error.
    #[must_use]
    pub fn kind(&self) -> HostErrorKind {
        self.kind
    }

    /// Returns whether the attempt counts towards the limit of attempts.
    ///
    /// A store or an engine that is unavailable, and a session that another owner has, say nothing about the prompt, so these attempts do not
    /// count: repeat them after a pause that grows. All others do: a prompt that makes every host fail has to end somewhere.
    ///
    /// ```
    /// use inhouse_fleet::{HostError, HostErrorKind};
    ///
    /// assert!(HostError::new(HostErrorKind::Agent, "the CLI exited").counts());
    /// assert!(HostError::new(HostErrorKind::Session, "the transcript cannot be decrypted").counts());
    /// assert!(!HostError::new(HostErrorKind::Store, "no connection").counts());
    /// ```
    #[must_use]
    pub fn counts(&self) -> bool {
        !matches!(
            self.kind,
            HostErrorKind::Store | HostErrorKind::Held | HostErrorKind::Events
        )
    }
}

impl fmt::Display for HostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for HostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostError")
            .field("kind", &self.kind)
            .field("message", &self.message)
            .field("source", &self.source)
            .finish()
    }
}

impl StdError for HostError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_ref().map(|source| &**source as _)
    }
}

/// Returns whether a failure is one of a store that may answer later. Those of local files and of stored data come again.
pub(crate) fn is_unavailable(error: &(dyn StdError + 'static)) -> bool {
    let mut source = error.source();
    while let Some(error) = source {
        if let Some(error) = error.downcast_ref::<StoreError>() {
            return error.is_retryable();
        }
        source = error.source();
    }
    false
}
