//! What a check finds, and how a check is put together.

use std::fmt;

/// One thing that is wrong.
#[derive(Debug, PartialEq)]
pub(crate) struct Finding {
    place: String,
    what: String,
}

/// What a check has to say when it has run.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) findings: Vec<Finding>,
    /// Said beside the verdict: a figure, or what could not be looked at.
    pub(crate) note: Option<String>,
}

impl Finding {
    pub(crate) fn new(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            what: what.into(),
        }
    }

    pub(crate) fn at_line(path: &str, line: usize, what: impl Into<String>) -> Self {
        Self::new(format!("{path}:{line}"), what)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

impl Outcome {
    pub(crate) fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }
}

impl From<Vec<Finding>> for Outcome {
    fn from(findings: Vec<Finding>) -> Self {
        Self {
            findings,
            note: None,
        }
    }
}
