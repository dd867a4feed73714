use std::error::Error;
use std::fmt;

/// Why a run gives no figures.
#[derive(Debug)]
pub struct Failure(String);

impl Failure {
    /// With its reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }

    /// Of something named.
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
