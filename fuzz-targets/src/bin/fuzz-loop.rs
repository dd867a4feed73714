//! Feeds the fuzz targets on a stable toolchain; `cargo xtask fuzz` starts it.
//!
//! - `fuzz-loop run <target> <seconds> <seed> <directory>` mutates seeds, writes the inputs of findings to the directory,
//!   and prints `fuzz: <target> executions=<n> seconds=<n> findings=<n>`.
//! - `fuzz-loop input <target> <file>` checks one input.
//! - `fuzz-loop seeds <target> <directory>` writes the seeds, for libFuzzer.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line tool prints"
)]

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use inhouse_fuzz_targets::{Limits, Target, fuzz, record_places, reproduce, target};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("fuzz-loop: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[&str]) -> Result<bool, Box<dyn Error>> {
    record_places();
    let [command, name, rest @ ..] = arguments else {
        return Err("expected a command and a target".into());
    };
    let target = target(name).ok_or_else(|| format!("there is no target `{name}`"))?;
    match (*command, rest) {
        ("run", [seconds, seed, directory]) => {
            let limits = Limits {
                time: Duration::from_secs(seconds.parse()?),
                seed: seed.parse()?,
            };
            run_loop(target, limits, Path::new(directory))
        }
        ("input", [file]) => match reproduce(target, &fs::read(file)?) {
            Ok(()) => {
                println!("{name}: the input passes");
                Ok(true)
            }
            Err(reason) => {
                println!("{name}: {reason}");
                Ok(false)
            }
        },
        ("seeds", [directory]) => {
            fs::create_dir_all(directory)?;
            for (number, seed) in (target.seeds)().iter().enumerate() {
                fs::write(Path::new(directory).join(format!("seed-{number}")), seed)?;
            }
            Ok(true)
        }
        _ => Err(format!("unknown arguments: {}", arguments.join(" ")).into()),
    }
}

fn run_loop(target: Target, limits: Limits, directory: &Path) -> Result<bool, Box<dyn Error>> {
    let report = fuzz(target, limits);
    for (number, finding) in report.findings.iter().enumerate() {
        fs::create_dir_all(directory)?;
        let file = directory.join(format!("{}-{}-{number}", target.name, limits.seed));
        fs::write(&file, &finding.input)?;
        println!(
            "{}: {}\n  input: {}",
            target.name,
            finding.reason,
            file.display()
        );
    }
    println!(
        "fuzz: {} executions={} seconds={} findings={}",
        target.name,
        report.executions,
        report.time.as_secs(),
        report.findings.len()
    );
    Ok(report.findings.is_empty())
}
