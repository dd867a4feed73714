//! An append of a writer, and the numbers that order it.

use std::fmt;

use bytes::Bytes;

/// The number of an entry in its stream, from zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position(u64);

/// The number of an ownership of a session. Every new owner has a greater one than all owners before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Epoch(u64);

/// Entries to append to a stream, with the position of the first one.
///
/// ```
/// use inhouse_store::{Append, Epoch, Position};
///
/// let append = Append::new(Epoch::new(3), Position::new(7), ["{}", "{}"]);
/// assert_eq!(append.end(), Position::new(9));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Append {
    /// The epoch of the writer.
    pub epoch: Epoch,
    /// The position of the first entry.
    pub position: Position,
    /// The entries in order, each one opaque: a store returns exactly these bytes.
    pub entries: Vec<Bytes>,
    /// The summary of the session after these entries; `None` (the default) leaves the stored one as it is.
    pub summary: Option<Bytes>,
}

impl Append {
    /// Creates an append of `entries`, the first of them at `position`, without a summary.
    pub fn new<E: Into<Bytes>>(
        epoch: Epoch,
        position: Position,
        entries: impl IntoIterator<Item = E>,
    ) -> Self {
        Self {
            epoch,
            position,
            entries: entries.into_iter().map(Into::into).collect(),
            summary: None,
        }
    }

    /// Sets the summary of the session, which the store replaces together with this append.
    ///
    /// A summary is opaque to stores. It belongs to the main stream: stores ignore it in an append to a subpath. They also ignore it if
    /// they have all entries of the append already, so an old append that arrives late does not bring back an old summary.
    #[must_use]
    pub fn summary(mut self, summary: impl Into<Bytes>) -> Self {
        self.summary = Some(summary.into());
        self
    }

    /// Returns the position after the last entry.
    pub fn end(&self) -> Position {
        self.position.after(self.entries.len())
    }
}

impl Position {
    /// The position of the first entry.
    pub const START: Self = Self(0);

    /// Creates the position with this number.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// Returns the number of this position.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Returns the position `count` entries further.
    #[must_use]
    pub const fn after(self, count: usize) -> Self {
        Self(self.0.saturating_add(count as u64))
    }
}

impl Epoch {
    /// Creates the epoch with this number.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// Returns the number of this epoch.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
