//! A check of the recording that a measured host has made.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use serde_json::Value;

use crate::generator::Failure;

/// Checks that a recording has all operations which the generator reports: a request and an answer of each.
///
/// A recording that stops because it is too slow costs nothing from then on, so the figures of such a trial are not those of a
/// recorded session.
///
/// # Errors
/// Returns an error if the recording has stopped, or has too few lines.
pub fn check(recording: &Path, generator_report: &Path) -> Result<(), Failure> {
    let operations = operations(generator_report)?;
    let failure = |cause: std::io::Error| Failure::of("the recording", cause);
    let mut file = BufReader::new(File::open(recording).map_err(failure)?);
    let mut lines = 0;
    let mut line = Vec::new();
    while file.read_until(b'\n', &mut line).map_err(failure)? > 0 {
        match member(&line) {
            b"host" | b"cli" => lines += 1,
            b"stopped" => {
                let line = String::from_utf8_lossy(&line);
                return Err(Failure::of("the recording has stopped", line.trim_end()));
            }
            _ => {}
        }
        line.clear();
    }
    match lines < 2 * operations {
        true => Err(Failure::new(format!(
            "the recording has {lines} lines of {operations} operations"
        ))),
        false => Ok(()),
    }
}

/// Returns how many operations the generator reports, with those of the warm-up.
fn operations(report: &Path) -> Result<u64, Failure> {
    let failure = |cause: &dyn std::fmt::Display| Failure::of("the report of the generator", cause);
    let text = std::fs::read(report).map_err(|cause| failure(&cause))?;
    let report: Value = serde_json::from_slice(&text).map_err(|cause| failure(&cause))?;
    let count = |name: &str| report[name].as_f64().unwrap_or_default() as u64;
    Ok(count("warm_up_operations") + count("operations"))
}

/// Returns the name of the member behind the time: `host` of `{"t":12,"host":…}`.
fn member(line: &[u8]) -> &[u8] {
    line.split(|byte| *byte == b'"').nth(3).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn check_lines(lines: &[&str]) -> Result<(), Failure> {
        let directory = tempfile::tempdir().unwrap();
        let [recording, report] = ["recording", "report"].map(|name| directory.path().join(name));
        fs::write(&recording, lines.join("\n")).unwrap();
        fs::write(&report, r#"{"operations":1.0,"warm_up_operations":1.0}"#).unwrap();
        check(&recording, &report)
    }

    #[test]
    fn incomplete_recording_is_a_failure() {
        const HEADER: &str = r#"{"inhouse_recording":1,"started":"2026-11-17T09:30:00Z"}"#;
        const CLI: &str = r#"{"t":1,"cli":{"host":"stopped"}}"#;
        const HOST: &str = r#"{"t":2,"host":{}}"#;
        const EXIT: &str = r#"{"t":3,"exit":{"code":0}}"#;
        check_lines(&[HEADER, CLI, HOST, CLI, HOST, EXIT]).unwrap();
        let error = check_lines(&[HEADER, CLI, HOST, CLI, EXIT]).unwrap_err();
        assert!(error.to_string().contains("3 lines of 2 operations"));
        let stopped = r#"{"t":3,"stopped":"too slow"}"#;
        let error = check_lines(&[HEADER, CLI, HOST, CLI, HOST, stopped]).unwrap_err();
        assert!(error.to_string().contains("too slow"), "{error}");
    }
}
