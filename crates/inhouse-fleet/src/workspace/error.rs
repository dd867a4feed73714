use std::error::Error;
use std::fmt;

use inhouse_store::StoreError;

/// An error of a workspace.
#[derive(Debug)]
pub struct WorkspaceError {
    message: String,
    is_fenced: bool,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl WorkspaceError {
    /// Creates an error. `message` says what happened, and what to do.
    ///
    /// ```
    /// use inhouse_fleet::WorkspaceError;
    ///
    /// let error = WorkspaceError::new("the volume is not mounted").with_source(std::io::Error::other("no device"));
    /// assert_eq!(error.to_string(), "the volume is not mounted");
    /// ```
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            is_fenced: false,
            source: None,
        }
    }

    /// Adds the error that caused this one.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Returns whether another host owns the session, so that nothing was saved.
    #[must_use]
    pub fn is_fenced(&self) -> bool {
        self.is_fenced
    }
}

impl From<StoreError> for WorkspaceError {
    fn from(error: StoreError) -> Self {
        Self {
            is_fenced: error.is_fenced(),
            ..Self::new("the store of the workspace failed").with_source(error)
        }
    }
}

impl fmt::Display for WorkspaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for WorkspaceError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_ref().map(|source| &**source as _)
    }
}
