//! `cargo xtask test`: builds all tests once, runs them ring by ring, and says what passed, failed and was skipped.

mod build;
mod execute;
mod foreign;
mod plan;
mod real_cli;
mod ring;
mod summary;
mod tally;

pub(crate) use plan::Plan;
pub(crate) use ring::Ring;

use std::ffi::OsString;
use std::time::Instant;

use crate::workspace::Workspace;
use build::Build;
use real_cli::RealCli;
use summary::RingReport;
use tally::Tally;

/// Runs the rings of the plan; whether all is well.
pub(crate) fn run(workspace: &Workspace, plan: &Plan) -> Result<bool, String> {
    let build = Build::run(workspace.root(), &plan.rings)?;
    let mut reports = Vec::new();
    for ring in &plan.rings {
        println!("\n== ring {ring}: {}", ring.description());
        let begin = Instant::now();
        let tally = match ring {
            Ring::Doc => execute::doctests(workspace.root(), &plan.arguments)?,
            Ring::Real | Ring::Soak => with_programs(&build, *ring, plan, || {
                let cli = RealCli::provide(workspace.root(), build.binary("real-cli"))?;
                Ok(cli.environment().to_vec())
            })?,
            Ring::Foreign => with_programs(&build, *ring, plan, || {
                let programs = foreign::provide(workspace.root())?;
                Ok(vec![("INHOUSE_FOREIGN", programs.into())])
            })?,
            ring => plain(&build, *ring, plan)?,
        };
        reports.push(RingReport {
            ring: *ring,
            tally,
            time: begin.elapsed(),
        });
    }
    let problems = summary::problems(&reports, plan);
    print!("\n{}", summary::render(&reports, &problems));
    Ok(problems.is_empty())
}

/// Runs the soak tests, and nothing else, with `environment`; returns how many failed.
///
/// # Errors
/// If they do not build, or there is no real CLI.
pub(crate) fn soak(
    workspace: &Workspace,
    arguments: &[String],
    environment: &[(&str, OsString)],
    mut on_line: impl FnMut(&str),
) -> Result<usize, String> {
    let build = Build::run(workspace.root(), &[Ring::Soak])?;
    let cli = RealCli::provide(workspace.root(), build.binary("real-cli"))?;
    let environment = [&cli.environment(), environment].concat();
    let mut tally = Tally::default();
    for test in build.tests_of(Ring::Soak) {
        tally += execute::executable_with(test, arguments, &environment, &mut on_line)?;
    }
    Ok(tally.failed)
}

fn plain(build: &Build, ring: Ring, plan: &Plan) -> Result<Tally, String> {
    let mut tally = Tally::default();
    for test in build.tests_of(ring) {
        tally += execute::executable(test, &plan.arguments, &[])?;
    }
    Ok(tally)
}

/// Runs a ring that needs programs from a package registry, which tests find by their environment.
///
/// The programs may be missing on a developer's machine; on CI a ring that does not run has failed.
fn with_programs(
    build: &Build,
    ring: Ring,
    plan: &Plan,
    provide: impl FnOnce() -> Result<Vec<(&'static str, OsString)>, String>,
) -> Result<Tally, String> {
    let tests: Vec<_> = build.tests_of(ring).collect();
    if tests.is_empty() {
        return Ok(Tally::default());
    }
    let mut tally = Tally::default();
    match provide() {
        Ok(environment) => {
            let arguments = execute::bounded(&plan.arguments);
            for test in tests {
                tally += execute::executable(test, &arguments, &environment)?;
            }
        }
        Err(reason) => {
            let names = tests
                .into_iter()
                .map(|test| execute::list(test, &plan.arguments));
            let names: Vec<String> = names.collect::<Result<Vec<_>, _>>()?.concat();
            let must_run = std::env::var("CI").is_ok_and(|ci| ci == "true");
            println!("{}", summary::not_run(ring, &reason, &names, must_run));
            let count = if must_run {
                &mut tally.failed
            } else {
                &mut tally.skipped
            };
            *count += names.len();
        }
    }
    Ok(tally)
}
