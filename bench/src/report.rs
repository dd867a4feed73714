//! The report of a host or of the generator about one trial.

use std::collections::BTreeMap;
use std::path::Path;

use crate::generator::Failure;

/// Named figures, written as one JSON object.
#[derive(Debug, Default)]
pub struct Report(BTreeMap<&'static str, f64>);

impl Report {
    /// Sets a figure; its name ends in its unit.
    pub fn set(&mut self, name: &'static str, value: f64) {
        self.0.insert(name, value);
    }

    /// Sets a count, a time in nanoseconds or a size.
    pub fn count(&mut self, name: &'static str, value: u64) {
        self.set(name, value as f64);
    }

    /// Writes the report to a file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), Failure> {
        let text = serde_json::to_string(&self.0).expect("a map of numbers is JSON");
        std::fs::write(path, text).map_err(|cause| Failure::of(&path.display().to_string(), cause))
    }
}
