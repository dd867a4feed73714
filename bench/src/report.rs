//! The report of a host or of the generator about one trial.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use crate::generator::Failure;
use crate::proc::{Memory, process_cpu};

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

    /// Sets the processor time and the highest memory of this process, from its start until now.
    ///
    /// # Errors
    /// Returns an error if there is no `/proc`.
    pub fn add_process(&mut self) -> Result<(), Failure> {
        self.set("cpu_ms", process_cpu().as_secs_f64() * 1e3);
        self.count("peak_kib", Memory::of("self")?.peak);
        Ok(())
    }

    /// Writes the report to a file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), Failure> {
        std::fs::write(path, self.to_string())
            .map_err(|cause| Failure::of(&path.display().to_string(), cause))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = serde_json::to_string(&self.0).expect("a map of numbers is JSON");
        f.write_str(&text)
    }
}
