use std::error::Error;
use std::fmt;

/// The reason why a trial has no figures.
#[derive(Debug)]
pub struct Failure(String);

impl Failure {
    /// Creates a failure with a reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }

    /// Creates a failure of `what` with its cause.
    pub fn of(what: &str, cause: impl fmt::Display) -> Self {
        Self(format!("{what}: {cause}"))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Failure {}
