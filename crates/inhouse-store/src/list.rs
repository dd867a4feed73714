//! Lists of sessions, by page.

use std::fmt;
use std::time::SystemTime;

use bytes::Bytes;

use crate::{FilePath, Position, SessionKey};

/// Which part of a list to return.
///
/// ```
/// use inhouse_store::{Page, PageToken};
///
/// let second = Page::first().limit(20).after(PageToken::new("token of the first page"));
/// assert_eq!(second.limit, 20);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page {
    /// The greatest number of sessions to return; 100 by default. A store may return fewer, and treats 0 as 1.
    pub limit: usize,
    /// The token of the page before; `None`, the default, begins with the newest session.
    pub after: Option<PageToken>,
}

/// A place in a list, opaque to callers.
///
/// A token may be stored or sent to a client as text. A store rejects any other text with
/// [`Invalid`](crate::StoreErrorKind::Invalid).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PageToken(String);

/// A page of a list of sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionPage {
    /// The sessions, newest first.
    pub sessions: Vec<SessionInfo>,
    /// The token of the next page; `None` on the last one.
    pub next: Option<PageToken>,
}

/// A session in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionInfo {
    /// The key of the session.
    pub key: SessionKey,
    /// The time of the last append to the main stream, by the clock of the store.
    pub modified: SystemTime,
    /// The position after the last entry of the main stream.
    pub end: Position,
    /// The last summary that came with an append; `None` if there was none.
    pub summary: Option<Bytes>,
}

/// A file of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileInfo {
    /// The path, relative to the directory of the session.
    pub path: FilePath,
    /// The length in bytes.
    pub size: u64,
}

impl Default for Page {
    fn default() -> Self {
        Self {
            limit: 100,
            after: None,
        }
    }
}

impl Page {
    /// Creates the first page, with at most 100 sessions.
    pub fn first() -> Self {
        Self::default()
    }

    /// Sets the greatest number of sessions; 100 by default.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// Begins after the page that returned `token`.
    #[must_use]
    pub fn after(mut self, token: PageToken) -> Self {
        self.after = Some(token);
        self
    }
}

impl PageToken {
    /// Creates a token from text: from what a store made, or from what [`as_str`](Self::as_str) returned.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the token as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PageToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl SessionPage {
    /// Creates a page, for authors of stores.
    pub fn new(sessions: Vec<SessionInfo>, next: Option<PageToken>) -> Self {
        Self { sessions, next }
    }
}

impl SessionInfo {
    /// Creates the description of a session without a summary, for authors of stores.
    pub fn new(key: SessionKey, modified: SystemTime, end: Position) -> Self {
        Self {
            key,
            modified,
            end,
            summary: None,
        }
    }

    /// Sets the summary; `None` by default.
    #[must_use]
    pub fn summary(mut self, summary: Option<Bytes>) -> Self {
        self.summary = summary;
        self
    }
}

impl FileInfo {
    /// Creates the description of a file, for authors of stores.
    pub fn new(path: FilePath, size: u64) -> Self {
        Self { path, size }
    }
}
