//! The load generator: plays the CLI for the host that started it, and measures that host.

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
            // Hosts keep what the CLI says on stderr to themselves, so it is left where it is looked for.
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
    scenario.play(&mut session, timing, &mut report)?;
    // Before the host learns that all is over, and may end.
    report.write(&path)?;
    session.finish()
}
