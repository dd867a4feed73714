//! Errors of stores.

use std::error::Error;
use std::fmt;

use crate::{Epoch, Position, SessionKey};

/// The result of a call to a store.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// An error of a store, whose kind says what the caller does next.
pub struct StoreError {
    kind: StoreErrorKind,
    message: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// The kinds of [`StoreError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StoreErrorKind {
    /// The store cannot be reached or failed. Whether the call took effect is unknown: repeat it.
    Unavailable,
    /// Another owner has taken over the session, or it was erased. Stop writing, and stop whatever produces entries.
    Fenced,
    /// Another owner holds the lease. Try again when the lease has ended.
    Held,
    /// An append begins behind the end of its stream. Append the entries in between first.
    Gap,
    /// A position is taken by an entry of an earlier owner. Read the end of the stream and number the entries from there.
    Conflict,
    /// There is no such call in the journal. Record the intent first.
    NotFound,
    /// A key, a path, a page token or another argument is not valid. Repeating the call does not help.
    Invalid,
    /// A newer version of this crate has changed the layout of the store. Update this program.
    TooNew,
    /// Stored data cannot be read back. Restore it from a copy.
    Corrupt,
    /// Stored data is encrypted with a key that this program does not have. Add that key.
    UnknownKey,
}

impl StoreError {
    /// Creates an error. `message` says what happened, without the content of entries.
    pub fn new(kind: StoreErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            source: None,
        }
    }

    /// Adds the error that caused this one.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Creates the error of a write under an epoch that is not the current one of the session.
    pub fn fenced(session: &SessionKey, epoch: Epoch) -> Self {
        let message = format!("epoch {epoch} is not the current one of session {session}");
        Self::new(StoreErrorKind::Fenced, message)
    }

    /// Creates the error of an append at `position` to a stream that ends at `end`.
    pub fn gap(position: Position, end: Position) -> Self {
        let message = format!("append at position {position}, but the stream ends at {end}");
        Self::new(StoreErrorKind::Gap, message)
    }

    /// Creates the error of an append at a position that an earlier owner has written.
    pub fn conflict(position: Position) -> Self {
        let message = format!("an earlier owner has written an entry at or after {position}");
        Self::new(StoreErrorKind::Conflict, message)
    }

    /// Returns the kind of this error.
    pub fn kind(&self) -> StoreErrorKind {
        self.kind
    }

    /// Returns whether repeating the same call can succeed without further action.
    pub fn is_retryable(&self) -> bool {
        matches!(
            self.kind,
            StoreErrorKind::Unavailable | StoreErrorKind::Held
        )
    }

    /// Returns whether the caller has lost the session and must stop.
    pub fn is_fenced(&self) -> bool {
        self.kind == StoreErrorKind::Fenced
    }
}

impl StoreErrorKind {
    fn advice(self) -> &'static str {
        match self {
            Self::Unavailable => "the store is unavailable; repeat the call",
            Self::Fenced => "another owner has the session; stop writing",
            Self::Held => "another owner holds the lease; try again later",
            Self::Gap => "entries are missing; append them first",
            Self::Conflict => "the position is taken; read the end of the stream",
            Self::NotFound => "not in the journal; record the intent first",
            Self::Invalid => "invalid argument",
            Self::TooNew => "the store was written by a newer version; update this program",
            Self::Corrupt => "stored data cannot be read",
            Self::UnknownKey => "stored data is encrypted with another key; add that key",
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.advice(), self.message)?;
        match &self.source {
            Some(source) => write!(f, ": {source}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.kind)
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_ref().map(|source| &**source as _)
    }
}
