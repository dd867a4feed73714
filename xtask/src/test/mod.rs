//! `cargo xtask test`: builds all tests once, runs them ring by ring and prints a summary.

mod build;
mod durable;
mod execute;
mod foreign;
mod real_cli;
mod ring;

pub(crate) use ring::Ring;

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::ValueEnum as _;

use crate::page;
use crate::workspace::Workspace;
use build::{Build, Executable};
use durable::Program;
use execute::{Counts, Environment, Threads};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A ring to run, may be repeated; all rings by default
    #[arg(long = "ring", value_name = "RING")]
    rings: Vec<Ring>,
    /// Arguments for libtest: a filter, --nocapture, …
    #[arg(last = true)]
    libtest: Vec<String>,
}

struct Report {
    ring: Ring,
    counts: Counts,
    time: Duration,
}

/// Runs the rings; returns whether all tests passed.
pub(crate) fn run(workspace: &Workspace, arguments: &Arguments) -> Result<bool> {
    let root = workspace.root();
    // Rings run from the inside outwards, in whatever order they are given.
    let chosen = |ring: &&Ring| arguments.rings.is_empty() || arguments.rings.contains(ring);
    let rings: Vec<Ring> = Ring::value_variants()
        .iter()
        .filter(chosen)
        .copied()
        .collect();
    let libtest = &arguments.libtest;
    let build = Build::run(root, &rings)?;
    let mut reports = Vec::new();
    for ring in rings {
        println!("\n== ring {ring}: {}", ring.description());
        let begin = Instant::now();
        let counts = match ring {
            Ring::Doc => execute::doctests(root, libtest)?,
            Ring::Real => with_programs(build.tests_of(ring), libtest, || {
                real_cli::provide(root, build.binary("real-cli"))
            })?,
            Ring::Soak => match real_cli::provide(root, build.binary("real-cli")) {
                Ok(cli) => {
                    // Moments and leases of a scenario need the machine for themselves.
                    let libtest = execute::with_limited_threads(libtest, Threads::One);
                    with_servers_of_soak(&build, &libtest, cli, |_| {})?
                }
                Err(reason) => not_run(&names(build.tests_of(ring), libtest)?, &reason),
            },
            Ring::Durable => {
                let libtest = execute::with_limited_threads(libtest, Threads::Two);
                let programs = durable::provide(root);
                let tests: Vec<_> = build.tests_of(ring).collect();
                with_servers(&tests, &libtest, programs, Environment::new(), |_| {})?
            }
            Ring::Foreign => foreign_ring(root, &build, libtest)?,
            Ring::Pure | Ring::Behaviour | Ring::Process => {
                run_all(build.tests_of(ring), libtest, &Environment::new(), |_| {})?
            }
        };
        reports.push(Report {
            ring,
            counts,
            time: begin.elapsed(),
        });
    }
    let problems = problems(&reports, !libtest.is_empty());
    print!("\n{}", summary(&reports, &problems));
    Ok(problems.is_empty())
}

/// Runs the soak tests alone with `environment`; returns the number of tests that failed.
///
/// # Errors
/// Returns an error if the tests do not build or the real CLI is missing.
pub(crate) fn soak(
    workspace: &Workspace,
    libtest: &[String],
    environment: Environment,
    on_line: impl FnMut(&str),
) -> Result<usize> {
    let build = Build::run(workspace.root(), &[Ring::Soak])?;
    let mut all = real_cli::provide(workspace.root(), build.binary("real-cli"))?;
    all.extend(environment);
    Ok(with_servers_of_soak(&build, libtest, all, on_line)?.failed)
}

fn run_all<'a>(
    tests: impl Iterator<Item = &'a Executable>,
    libtest: &[String],
    environment: &Environment,
    mut on_line: impl FnMut(&str),
) -> Result<Counts> {
    let mut counts = Counts::default();
    for test in tests {
        counts += execute::executable(test, libtest, environment, &mut on_line)?;
    }
    Ok(counts)
}

/// Runs the ring `foreign`. Without a browser, only the tests that need it are not run; nor are those of the fleet page without PostgreSQL.
fn foreign_ring(root: &Path, build: &Build, libtest: &[String]) -> Result<Counts> {
    let (browser, clients): (Vec<_>, Vec<_>) = build
        .tests_of(Ring::Foreign)
        .partition(|test| test.package == "inhouse-cli");
    let mut counts = with_programs(clients.into_iter(), libtest, || foreign::provide(root))?;
    counts += match foreign::provide_browser(root) {
        Ok(environment) => {
            let libtest = execute::with_limited_threads(libtest, Threads::One);
            let programs = vec![durable::postgres()];
            with_servers(&browser, &libtest, programs, environment, |_| {})?
        }
        Err(reason) => not_run(&names(browser.into_iter(), libtest)?, &reason),
    };
    // A filter is for tests in executables.
    if libtest.is_empty() {
        counts += committed_pages(root);
    }
    Ok(counts)
}

/// Counts the check that the committed pages are those that their sources make as one test.
fn committed_pages(root: &Path) -> Counts {
    const NAME: &str = "page::committed_pages_are_current";
    println!("\n-- {NAME}");
    if let Err(reason) = page::packages(root) {
        return not_run(&[NAME.to_owned()], &reason);
    }
    let mut counts = Counts::default();
    match page::check(root) {
        Ok(None) => counts.passed = 1,
        Ok(Some(problem)) => counts.failures.push(format!("{NAME}: {problem}")),
        Err(error) => counts.failures.push(format!("{NAME}: {error:#}")),
    }
    counts.failed = counts.failures.len();
    counts
}

/// Runs tests that need programs from a package registry.
///
/// Without the programs the tests are skipped, and each is named; with `CI=true` they count as failed.
fn with_programs<'a>(
    tests: impl Iterator<Item = &'a Executable>,
    libtest: &[String],
    provide: impl FnOnce() -> Result<Environment>,
) -> Result<Counts> {
    let reason = match provide() {
        Ok(environment) => {
            let libtest = execute::with_limited_threads(libtest, Threads::One);
            return run_all(tests, &libtest, &environment, |_| {});
        }
        Err(reason) => reason,
    };
    Ok(not_run(&names(tests, libtest)?, &reason))
}

/// Runs the ring `soak`. Without a server, only the tests that need it are not run.
fn with_servers_of_soak(
    build: &Build,
    libtest: &[String],
    environment: Environment,
    on_line: impl FnMut(&str),
) -> Result<Counts> {
    let programs = durable::provide_servers();
    let tests: Vec<_> = build.tests_of(Ring::Soak).collect();
    with_servers(&tests, libtest, programs, environment, on_line)
}

/// Runs tests some of which need a program. The tests of a missing program are not run, all others are.
fn with_servers(
    tests: &[&Executable],
    libtest: &[String],
    programs: Vec<Program>,
    mut environment: Environment,
    on_line: impl FnMut(&str),
) -> Result<Counts> {
    let mut names = names(tests.iter().copied(), libtest)?;
    let mut counts = Counts::default();
    let mut libtest = libtest.to_vec();
    for program in programs {
        match program.environment {
            Ok(variables) => environment.extend(variables),
            Err(reason) => {
                // Behind the name of the executable, or of another program that the tests need.
                let module = format!("::{}", program.tests);
                let missing: Vec<_> = names
                    .extract_if(.., |name| name.contains(&module))
                    .collect();
                counts += not_run(&missing, &reason);
                libtest.extend(["--skip".to_owned(), program.tests.to_owned()]);
            }
        }
    }
    counts += run_all(tests.iter().copied(), &libtest, &environment, on_line)?;
    Ok(counts)
}

/// Returns the names of tests, each behind that of its executable.
fn names<'a>(
    tests: impl Iterator<Item = &'a Executable>,
    libtest: &[String],
) -> Result<Vec<String>> {
    let names = tests.map(|test| execute::list(test, libtest));
    Ok(names.collect::<Result<Vec<_>>>()?.concat())
}

/// Prints the names of tests whose program is missing, and counts them as skipped, with `CI=true` as failed.
fn not_run(names: &[String], reason: &anyhow::Error) -> Counts {
    println!(
        "{} tests not run: {reason:#}\n  {}",
        names.len(),
        names.join("\n  ")
    );
    let mut counts = Counts::default();
    if std::env::var("CI").is_ok_and(|ci| ci == "true") {
        counts.failed = names.len();
    } else {
        counts.skipped = names.len();
    }
    counts
}

/// Returns why the run failed: tests that failed and, without a filter, rings that ran nothing.
fn problems(reports: &[Report], is_filtered: bool) -> Vec<String> {
    let mut problems = Vec::new();
    for Report { ring, counts, .. } in reports {
        let failures = counts.failures.iter();
        problems.extend(failures.map(|failure| format!("ring {ring}: {failure}")));
        if counts.failed > 0 && counts.failures.is_empty() {
            problems.push(format!("ring {ring}: {} tests failed", counts.failed));
        }
        if counts.total() == 0 && !is_filtered {
            problems.push(format!("ring {ring}: no test ran"));
        }
    }
    if problems.is_empty() && reports.iter().all(|report| report.counts.total() == 0) {
        problems.push("no test matched".to_owned());
    }
    problems
}

fn summary(reports: &[Report], problems: &[String]) -> String {
    let mut text = "ring        passed  failed skipped  seconds\n".to_owned();
    let mut sum = Counts::default();
    for Report { ring, counts, time } in reports {
        let _ = writeln!(
            text,
            "{ring:<10} {:>7} {:>7} {:>7} {:>8.1}",
            counts.passed,
            counts.failed,
            counts.skipped,
            time.as_secs_f32()
        );
        sum += counts.clone();
    }
    for problem in problems {
        let _ = writeln!(text, "{problem}");
    }
    let _ = writeln!(
        text,
        "{} passed, {} failed, {} skipped",
        sum.passed, sum.failed, sum.skipped
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(ring: Ring, passed: usize, failed: usize, skipped: usize) -> Report {
        let mut counts = Counts::default();
        (counts.passed, counts.failed, counts.skipped) = (passed, failed, skipped);
        counts.failures = (0..failed).map(|number| format!("test {number}")).collect();
        Report {
            ring,
            counts,
            time: Duration::from_millis(1500),
        }
    }

    #[test]
    fn failures_and_empty_rings_are_problems() {
        let reports = [
            report(Ring::Pure, 3, 1, 0),
            report(Ring::Process, 0, 0, 0),
            report(Ring::Real, 0, 0, 5),
        ];
        assert_eq!(
            problems(&reports, false),
            ["ring pure: test 0", "ring process: no test ran"]
        );
    }

    #[test]
    fn filter_may_leave_some_rings_empty_but_not_all() {
        let reports = [report(Ring::Pure, 3, 0, 0), report(Ring::Process, 0, 0, 0)];
        assert_eq!(problems(&reports, true).len(), 0);
        assert_eq!(problems(&reports[1..], true), ["no test matched"]);
    }

    #[test]
    fn summary_ends_with_the_sum() {
        let reports = [report(Ring::Pure, 3, 0, 0), report(Ring::Real, 0, 0, 5)];
        assert_eq!(
            summary(&reports, &[]),
            "ring        passed  failed skipped  seconds\n\
             pure             3       0       0      1.5\n\
             real             0       0       5      1.5\n\
             3 passed, 0 failed, 5 skipped\n"
        );
    }
}
