//! `cargo xtask soak`: repeats the soak tests and prints a table of their results.

use std::fmt::Write as _;

use anyhow::{Result, bail};

use crate::test;
use crate::workspace::Workspace;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The number of runs of each test
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Repeats the random choices of a run; random by default
    #[arg(long)]
    seed: Option<u64>,
    /// Leaves out the tests whose names contain this
    #[arg(long, value_name = "TEXT")]
    skip: Vec<String>,
    /// Runs only the tests whose names contain one of these
    filters: Vec<String>,
}

impl Arguments {
    /// Returns the arguments for libtest.
    fn libtest(&self) -> Vec<String> {
        let mut libtest = vec!["--nocapture".to_owned(), "--test-threads=1".to_owned()];
        for text in &self.skip {
            libtest.extend(["--skip".to_owned(), text.clone()]);
        }
        libtest.extend(self.filters.clone());
        libtest
    }
}

/// Runs the soak tests one after another; returns whether every run succeeded.
pub(crate) fn run(workspace: &Workspace, arguments: &Arguments) -> Result<bool> {
    let runs = arguments.runs;
    let seed = arguments
        .seed
        .unwrap_or_else(|| fastrand::u64(..1_000_000_000));
    println!("soak: {runs} runs, seed {seed}");
    let environment = vec![
        ("INHOUSE_SOAK_RUNS", runs.to_string().into()),
        ("INHOUSE_SOAK_SEED", seed.to_string().into()),
    ];
    let mut rows = Vec::new();
    let failed = test::soak(workspace, &arguments.libtest(), environment, |line| {
        rows.extend(Row::parse(line));
    })?;
    print!("\nSeed {seed}.\n\n{}", table(&rows));
    if rows.is_empty() {
        bail!("no soak test has reported anything");
    }
    Ok(failed == 0 && rows.iter().all(|row| row.failures == 0))
}

/// The result of one soak test.
#[derive(Debug, PartialEq)]
struct Row {
    name: String,
    runs: u32,
    failures: u32,
    detail: String,
}

impl Row {
    /// Parses `soak: <name> runs=<n> failures=<n> <detail>`; returns `None` for any other line.
    fn parse(line: &str) -> Option<Self> {
        let mut words = line.strip_prefix("soak: ")?.splitn(4, ' ');
        Some(Self {
            name: words.next()?.to_owned(),
            runs: words.next()?.strip_prefix("runs=")?.parse().ok()?,
            failures: words.next()?.strip_prefix("failures=")?.parse().ok()?,
            detail: words.next().unwrap_or_default().trim().to_owned(),
        })
    }
}

fn table(rows: &[Row]) -> String {
    let mut text = "| soak test | runs | failures | detail |\n|---|--:|--:|---|\n".to_owned();
    for row in rows {
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} |",
            row.name, row.runs, row.failures, row.detail
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use clap::Args as _;
    use clap::FromArgMatches as _;

    use super::*;

    #[test]
    fn filters_and_skipped_texts_go_to_libtest() {
        let command = Arguments::augment_args(clap::Command::new("soak"));
        let given = "soak --runs 20 --skip restate:: --skip silent killed cancelled";
        let matches = command.get_matches_from(given.split(' '));
        let arguments = Arguments::from_arg_matches(&matches).unwrap();
        assert_eq!(
            arguments.libtest().join(" "),
            "--nocapture --test-threads=1 --skip restate:: --skip silent killed cancelled"
        );
    }

    #[test]
    fn report_lines_become_rows() {
        let row = Row::parse("soak: killed_host runs=50 failures=1 1 further request").unwrap();
        assert_eq!(
            table(&[row]),
            "| soak test | runs | failures | detail |\n|---|--:|--:|---|\n\
             | `killed_host` | 50 | 1 | 1 further request |\n"
        );
    }

    #[test]
    fn other_lines_are_not_rows() {
        for line in [
            "test result: ok",
            "soak: 50 runs, seed 1",
            "a soak: b runs=1 failures=0",
        ] {
            assert_eq!(Row::parse(line), None, "{line}");
        }
    }
}
