//! `cargo xtask soak`: repeats the soak tests and prints a table of their results.

use std::fmt::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::test;
use crate::workspace::Workspace;

/// The command line of `cargo xtask soak`.
#[derive(Debug, PartialEq)]
pub(crate) struct Plan {
    runs: u32,
    /// Random unless given.
    seed: Option<u64>,
    filter: Option<String>,
}

impl Plan {
    pub(crate) fn parse(arguments: &[String]) -> Result<Self, String> {
        let (mut runs, mut seed, mut filter) = (None, None, None);
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--runs" => runs = Some(number("--runs", words.next())?),
                "--seed" => seed = Some(number("--seed", words.next())?),
                option if option.starts_with('-') => {
                    return Err(format!("`{option}` is not an option of soak"));
                }
                name if filter.is_none() => filter = Some(name.to_owned()),
                name => return Err(format!("`{name}` is a second filter")),
            }
        }
        match runs {
            Some(runs) if runs > 0 => Ok(Self { runs, seed, filter }),
            _ => Err("soak needs `--runs <n>` with at least one run".to_owned()),
        }
    }
}

/// Runs the soak tests of the plan one after another; returns whether every run succeeded.
pub(crate) fn run(workspace: &Workspace, plan: &Plan) -> Result<bool, String> {
    let seed = plan.seed.unwrap_or_else(random_seed);
    println!("soak: {} runs, seed {seed}", plan.runs);
    let mut arguments = vec!["--nocapture".to_owned(), "--test-threads=1".to_owned()];
    arguments.extend(plan.filter.clone());
    let environment = [
        ("INHOUSE_SOAK_RUNS", plan.runs.to_string().into()),
        ("INHOUSE_SOAK_SEED", seed.to_string().into()),
    ];
    let mut rows = Vec::new();
    let failed = test::soak(workspace, &arguments, &environment, |line| {
        rows.extend(Row::parse(line));
    })?;
    print!("\nSeed {seed}.\n\n{}", table(&rows));
    if rows.is_empty() {
        return Err("no soak test has reported anything".to_owned());
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
        let _infallible = writeln!(
            text,
            "| `{}` | {} | {} | {} |",
            row.name, row.runs, row.failures, row.detail
        );
    }
    text
}

fn random_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| u64::from(now.subsec_nanos()))
}

fn number<T: std::str::FromStr>(option: &str, word: Option<&String>) -> Result<T, String> {
    word.and_then(|word| word.parse().ok())
        .ok_or_else(|| format!("{option} needs a number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Plan, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Plan::parse(&words)
    }

    #[test]
    fn plan_has_runs_and_optional_seed_and_filter() {
        let plan = parse("--runs 50 --seed 7 killed_host").unwrap();
        assert_eq!((plan.runs, plan.seed), (50, Some(7)));
        assert_eq!(plan.filter.as_deref(), Some("killed_host"));
        assert_eq!(parse("--runs 1").unwrap().seed, None);
    }

    #[test]
    fn malformed_command_lines_are_refused() {
        for line in [
            "",
            "--runs",
            "--runs none",
            "--runs 0",
            "--runs 1 --seed",
            "--runs 1 a b",
            "--runs 1 --x",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn report_lines_become_rows_of_the_table() {
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
