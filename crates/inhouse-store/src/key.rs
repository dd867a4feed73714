//! Keys of sessions, their streams and their files.
//!
//! Every part is checked when a key is made, so no store and no file system sees an unsafe one.

use std::fmt;

use crate::{Result, StoreError, StoreErrorKind};

const MAX_SEGMENT: usize = 255;
const MAX_PATH: usize = 1024;

/// The key of a project: the name of its directory in the CLI's configuration directory.
///
/// ```
/// use inhouse_store::ProjectKey;
///
/// let project = ProjectKey::new("-srv-agent").unwrap();
/// assert_eq!(project.session("s1").unwrap().project(), &project);
/// assert!(ProjectKey::new("../other").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProjectKey(String);

/// The key of a session: its project and its id.
///
/// ```
/// use inhouse_store::SessionKey;
///
/// let session = SessionKey::new("-srv-agent", "7f6c2a4e-3c1f-4f0a-9d57-0a4b8f1c2d3e").unwrap();
/// assert_eq!(session.main().subpath(), None);
/// assert_eq!(session.stream("subagents/agent-1").unwrap().subpath(), Some("subagents/agent-1"));
/// assert!(session.stream("../other").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionKey {
    project: ProjectKey,
    session: String,
}

/// The key of a stream of entries: the main transcript of a session, or one below it, such as that of a subagent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamKey {
    session: SessionKey,
    subpath: Option<String>,
}

/// The path of a file, relative to the directory of its session, with `/` on every platform.
///
/// ```
/// use inhouse_store::FilePath;
///
/// assert_eq!(FilePath::new("tool-results/1.txt").unwrap().as_str(), "tool-results/1.txt");
/// assert!(FilePath::new("/etc/passwd").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FilePath(String);

impl ProjectKey {
    /// Creates the key of a project.
    ///
    /// # Errors
    /// [`Invalid`](StoreErrorKind::Invalid) unless the name is safe as the name of a directory: 1 to 255 bytes, no `/`, `\`, `:` or control
    /// character, no space at either end, no dot at the end.
    pub fn new(project: impl Into<String>) -> Result<Self> {
        checked_segment("project key", project.into()).map(Self)
    }

    /// Returns the key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the key of a session in this project.
    ///
    /// # Errors
    /// [`Invalid`](StoreErrorKind::Invalid) if the id is not safe, by the same rules as the key of a project.
    pub fn session(&self, session: impl Into<String>) -> Result<SessionKey> {
        Ok(SessionKey {
            project: self.clone(),
            session: checked_segment("session id", session.into())?,
        })
    }
}

impl SessionKey {
    /// Creates the key of a session.
    ///
    /// # Errors
    /// [`Invalid`](StoreErrorKind::Invalid) if one of the parts is not safe as the name of a directory, see [`ProjectKey::new`].
    pub fn new(project: impl Into<String>, session: impl Into<String>) -> Result<Self> {
        ProjectKey::new(project)?.session(session)
    }

    /// Returns the key of the project.
    pub fn project(&self) -> &ProjectKey {
        &self.project
    }

    /// Returns the id of the session.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// Returns the key of the main stream.
    pub fn main(&self) -> StreamKey {
        StreamKey {
            session: self.clone(),
            subpath: None,
        }
    }

    /// Returns the key of a stream below this session, such as `subagents/agent-1`.
    ///
    /// # Errors
    /// [`Invalid`](StoreErrorKind::Invalid) if the subpath is empty, absolute, longer than 1024 bytes, or has a part that is not safe as
    /// the name of a directory.
    pub fn stream(&self, subpath: impl Into<String>) -> Result<StreamKey> {
        Ok(StreamKey {
            session: self.clone(),
            subpath: Some(checked_path("subpath", subpath.into())?),
        })
    }
}

impl StreamKey {
    /// Returns the key of the session.
    pub fn session(&self) -> &SessionKey {
        &self.session
    }

    /// Returns the subpath; `None` for the main stream.
    pub fn subpath(&self) -> Option<&str> {
        self.subpath.as_deref()
    }

    /// Returns whether this is the main stream of its session.
    pub fn is_main(&self) -> bool {
        self.subpath.is_none()
    }
}

impl FilePath {
    /// Creates a path from text.
    ///
    /// # Errors
    /// [`Invalid`](StoreErrorKind::Invalid) if the path is empty, absolute, longer than 1024 bytes, or has a part that is not safe as
    /// the name of a file (see [`ProjectKey::new`]).
    pub fn new(path: impl Into<String>) -> Result<Self> {
        checked_path("file path", path.into()).map(Self)
    }

    /// Returns the path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.project, self.session)
    }
}

impl fmt::Display for StreamKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.subpath {
            Some(subpath) => write!(f, "{}/{subpath}", self.session),
            None => self.session.fmt(f),
        }
    }
}

impl fmt::Display for FilePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn checked_segment(what: &str, text: String) -> Result<String> {
    match problem(&text) {
        None => Ok(text),
        Some(problem) => Err(invalid(what, &text, problem)),
    }
}

fn checked_path(what: &str, text: String) -> Result<String> {
    if text.len() > MAX_PATH {
        return Err(invalid(what, &text, "has more than 1024 bytes"));
    }
    match text.split('/').find_map(problem) {
        None => Ok(text),
        Some(problem) => Err(invalid(what, &text, problem)),
    }
}

/// Returns why a segment cannot be the name of a file or directory on every platform.
fn problem(segment: &str) -> Option<&'static str> {
    let forbidden = |c: char| matches!(c, '/' | '\\' | ':') || c.is_control();
    if segment.is_empty() {
        Some("is empty, absolute or has an empty part")
    } else if segment.len() > MAX_SEGMENT {
        Some("has a part of more than 255 bytes")
    } else if segment.contains(forbidden) {
        Some("has a separator, a colon or a control character")
    } else if segment.ends_with('.') || segment.trim() != segment {
        Some("has a part that ends with a dot, or begins or ends with a space")
    } else {
        None
    }
}

fn invalid(what: &str, text: &str, problem: &str) -> StoreError {
    let shown: String = text.chars().take(100).collect();
    let message = format!("{what} {shown:?} {problem}");
    StoreError::new(StoreErrorKind::Invalid, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsafe_segments_are_rejected() {
        for unsafe_part in [
            "", ".", "..", "a/b", "/", "a\\b", "C:", "a\0b", "a\nb", "a.", " a", "a ",
        ] {
            assert!(ProjectKey::new(unsafe_part).is_err(), "{unsafe_part:?}");
            assert!(
                SessionKey::new("p", unsafe_part).is_err(),
                "{unsafe_part:?}"
            );
        }
        assert!(ProjectKey::new("x".repeat(256)).is_err());
        for safe in ["-srv-agent", "a.b", ".claude", "é", "a b"] {
            assert_eq!(ProjectKey::new(safe).unwrap().as_str(), safe);
        }
    }

    #[test]
    fn unsafe_paths_are_rejected() {
        let session = SessionKey::new("p", "s").unwrap();
        for path in [
            "", "/a", "a/", "a//b", "../a", "a/../b", "a/./b", "C:/a", "a/\0",
        ] {
            assert!(session.stream(path).is_err(), "{path:?}");
            assert!(FilePath::new(path).is_err(), "{path:?}");
        }
        assert!(FilePath::new("a/".repeat(600) + "b").is_err());
        assert!(session.stream("subagents/agent-1").is_ok());
        assert!(FilePath::new("tool-results/a.txt").is_ok());
    }
}
