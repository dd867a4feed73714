//! The report of one process about one run: names and numbers.

use std::collections::BTreeMap;
use std::path::Path;

use crate::generator::Failure;

/// Figures by name.
#[derive(Debug, Default)]
pub struct Report(BTreeMap<&'static str, f64>);

impl Report {
    /// Adds a figure.
    pub fn set(&mut self, name: &'static str, value: f64) {
        self.0.insert(name, value);
    }

    /// Adds a count, a time in nanoseconds or a size.
    pub fn count(&mut self, name: &'static str, value: u64) {
        self.set(name, value as f64);
    }

    /// Writes it as one JSON object.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), Failure> {
        let text = serde_json::to_string(&self.0).expect("a map of numbers is JSON");
        std::fs::write(path, text).map_err(|cause| Failure::of(&path.display().to_string(), cause))
    }
}
