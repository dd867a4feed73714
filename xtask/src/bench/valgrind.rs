//! Costs that do not depend on what else a machine does: instructions and allocations, counted by valgrind.

use std::path::Path;
use std::process::Command;

/// Of one operation.
pub(crate) struct Cost {
    pub(crate) instructions: f64,
    pub(crate) allocations: f64,
}

/// Two runs, so that what comes before and after the operations falls out of the difference.
const COUNTS: [u32; 2] = [500, 2_500];

pub(crate) fn is_installed() -> bool {
    let version = Command::new("valgrind").arg("--version").output();
    version.is_ok_and(|output| output.status.success())
}

/// Counts one operation of `bench-in-process`.
pub(crate) fn cost(program: &Path, operation: &str) -> Result<Cost, String> {
    let per_operation = |count: fn(&Path, &str, u32) -> Result<u64, String>| {
        let [few, many] = COUNTS.map(|runs| count(program, operation, runs));
        Ok::<f64, String>((many? - few?) as f64 / f64::from(COUNTS[1] - COUNTS[0]))
    };
    Ok(Cost {
        instructions: per_operation(instructions)?,
        allocations: per_operation(allocations)?,
    })
}

fn instructions(program: &Path, operation: &str, count: u32) -> Result<u64, String> {
    let tool = ["--tool=callgrind", "--callgrind-out-file=/dev/null"];
    let said = run(&tool, program, operation, count)?;
    number_behind(&said, "Collected :")
}

fn allocations(program: &Path, operation: &str, count: u32) -> Result<u64, String> {
    let tool = ["--tool=memcheck", "--leak-check=no"];
    let said = run(&tool, program, operation, count)?;
    number_behind(&said, "total heap usage:")
}

fn run(tool: &[&str], program: &Path, operation: &str, count: u32) -> Result<String, String> {
    let output = Command::new("valgrind")
        .args(tool)
        .arg(program)
        .args([operation, &count.to_string()])
        .output()
        .map_err(|cause| format!("valgrind: {cause}"))?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() {
        Ok(said)
    } else {
        Err(format!("valgrind ended with {}:\n{said}", output.status))
    }
}

fn number_behind(said: &str, label: &str) -> Result<u64, String> {
    let rest = said.split_once(label).map(|(_, rest)| rest.trim_start());
    let digits = rest.and_then(|rest| rest.split_whitespace().next());
    let digits = digits.map(|digits| digits.replace(',', ""));
    digits
        .and_then(|digits| digits.parse().ok())
        .ok_or_else(|| format!("valgrind says nothing of `{label}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_with_and_without_commas() {
        let said =
            "==1== Collected : 11424908\n==1==   total heap usage: 9,136 allocs, 9,069 frees";
        assert_eq!(number_behind(said, "Collected :"), Ok(11_424_908));
        assert_eq!(number_behind(said, "total heap usage:"), Ok(9_136));
        assert!(number_behind("", "Collected :").is_err());
    }
}
