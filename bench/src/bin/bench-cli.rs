//! The load generator: a host starts it in place of the CLI, and it measures the host.

use std::process::ExitCode;

use inhouse_bench::clock::now_ns;
use inhouse_bench::environment;
use inhouse_bench::generator::{Failure, Scenario, Session};
use inhouse_bench::report::Report;
use rustix::thread::{CpuSet, sched_setaffinity};

fn main() -> ExitCode {
    let started = now_ns();
    match run(started) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // Hosts do not print the stderr of the CLI, so the reason replaces the report.
            if let Ok(path) = environment::path(environment::CLI_REPORT) {
                let _ = std::fs::write(path, format!("failed: {failure}"));
            }
            ExitCode::FAILURE
        }
    }
}

fn run(started: u64) -> Result<(), Failure> {
    if let Some(core) = environment::number(environment::CLI_CORE)? {
        let mut cores = CpuSet::new();
        cores.set(core);
        sched_setaffinity(None, &cores).map_err(|cause| Failure::of("pinning", cause))?;
    }
    let scenario: Scenario = environment::required(environment::SCENARIO)?.parse()?;
    let timing = environment::timing()?;
    let path = environment::path(environment::CLI_REPORT)?;

    let mut report = Report::default();
    report.count("cli_started_ns", started);
    let mut session = Session::accept(&mut report)?;
    scenario.run(&mut session, timing, &mut report)?;
    // Written before the turn ends, upon which the host exits.
    report.write(&path)?;
    session.finish()
}
