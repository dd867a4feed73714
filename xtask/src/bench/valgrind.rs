//! Instructions and allocations, counted by valgrind: they do not depend on the load of the machine.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// The cost of one operation.
pub(crate) struct Cost {
    pub(crate) instructions: f64,
    pub(crate) allocations: f64,
}

/// The numbers of operations in two runs. The difference of the counts has no start and no end of the program.
const COUNTS: [u32; 2] = [500, 2_500];

pub(crate) fn is_installed() -> bool {
    let version = Command::new("valgrind").arg("--version").output();
    version.is_ok_and(|output| output.status.success())
}

/// Counts one operation of `bench-in-process`.
pub(crate) fn cost(program: &Path, operation: &str) -> Result<Cost> {
    let per_operation = |count: fn(&Path, &str, u32) -> Result<u64>| {
        let [few, many] = COUNTS.map(|runs| count(program, operation, runs));
        anyhow::Ok((many? - few?) as f64 / f64::from(COUNTS[1] - COUNTS[0]))
    };
    Ok(Cost {
        instructions: per_operation(instructions)?,
        allocations: per_operation(allocations)?,
    })
}

fn instructions(program: &Path, operation: &str, count: u32) -> Result<u64> {
    let tool = ["--tool=callgrind", "--callgrind-out-file=/dev/null"];
    let text = run(&tool, program, operation, count)?;
    number_after(&text, "Collected :")
}

fn allocations(program: &Path, operation: &str, count: u32) -> Result<u64> {
    let tool = ["--tool=memcheck", "--leak-check=no"];
    let text = run(&tool, program, operation, count)?;
    number_after(&text, "total heap usage:")
}

fn run(tool: &[&str], program: &Path, operation: &str, count: u32) -> Result<String> {
    let output = Command::new("valgrind")
        .args(tool)
        .arg(program)
        .args([operation, &count.to_string()])
        .output()
        .context("valgrind")?;
    // Valgrind writes its counts to stderr.
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        bail!("valgrind: {}\n{text}", output.status);
    }
    Ok(text)
}

fn number_after(text: &str, label: &str) -> Result<u64> {
    let rest = text.split_once(label).map(|(_, rest)| rest.trim_start());
    let digits = rest.and_then(|rest| rest.split_whitespace().next());
    let digits = digits.map(|digits| digits.replace(',', ""));
    digits
        .and_then(|digits| digits.parse().ok())
        .with_context(|| format!("valgrind printed no `{label}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_with_and_without_commas() {
        let text =
            "==1== Collected : 11424908\n==1==   total heap usage: 9,136 allocs, 9,069 frees";
        assert_eq!(number_after(text, "Collected :").unwrap(), 11_424_908);
        assert_eq!(number_after(text, "total heap usage:").unwrap(), 9_136);
        assert!(number_after("", "Collected :").is_err());
    }
}
