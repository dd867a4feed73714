use std::error::Error;
use std::fmt::{self, Write as _};
use std::io;

use super::Run;
use crate::model::script::State;
use crate::real::RealCliUnavailable;

/// Why a scenario failed, with the conversation up to then.
///
/// `Debug` shows the same text as `Display`, so that `unwrap` and a test that returns the error are readable.
pub struct ScenarioError {
    text: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// The problems of a run.
#[derive(Default)]
pub(super) struct Problems {
    found: Vec<String>,
    /// Whether the options are invalid.
    is_unstarted: bool,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl Problems {
    pub(super) fn add(&mut self, problem: impl Into<String>) {
        self.found.push(problem.into());
    }

    pub(super) fn agent(&mut self, outcome: Result<(), String>) {
        self.found.extend(outcome.err());
    }

    pub(super) fn host(&mut self, outcome: inhouse::Result<()>) {
        let Err(error) = outcome else { return };
        // An agent that stopped is the cause of the host's error, unless the host did not even start it.
        let problem = format!("the host returned an error: {error}");
        match error.kind() {
            inhouse::ErrorKind::Config => {
                self.found = vec![problem];
                self.is_unstarted = true;
            }
            _ => self.found.push(problem),
        }
        self.source = Some(error.into());
    }

    pub(super) fn script(&mut self, script: &State) {
        // A session that did not start has used no answer.
        if !self.is_unstarted {
            self.found.extend(script.problems());
        }
    }

    pub(super) fn or(self, run: Run) -> Result<Run, ScenarioError> {
        if self.found.is_empty() {
            return Ok(run);
        }
        let mut text = self.found.join("\n");
        let _ = write!(text, "\nthe conversation:\n{run}");
        Err(ScenarioError {
            text,
            source: self.source,
        })
    }
}

impl From<io::Error> for ScenarioError {
    fn from(error: io::Error) -> Self {
        Self {
            text: format!("the scenario could not be prepared: {error}"),
            source: Some(error.into()),
        }
    }
}

impl From<RealCliUnavailable> for ScenarioError {
    fn from(error: RealCliUnavailable) -> Self {
        Self {
            text: error.to_string(),
            source: Some(error.into()),
        }
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Error for ScenarioError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source
            .as_deref()
            .map(|source| source as &(dyn Error + 'static))
    }
}
