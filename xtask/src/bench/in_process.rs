//! The costs inside one process: single operations without a CLI process, and many sessions at once.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::figures::{Costs, median, rounded};
use super::programs::Programs;
use super::valgrind;
use crate::command::output;

pub(crate) const NAME: &str = "in-process";
pub(crate) const SCALE: &str = "scale";

/// The operations of `bench-in-process`: a small call for each way to write a tool, and a message.
pub(crate) const OPERATIONS: [&str; 4] = ["closure", "macro", "rmcp", "message"];

const RUNS: usize = 15;

/// Measures each operation from line to line.
pub(crate) fn operations(programs: &Programs, quick: bool) -> Result<Costs> {
    let (runs, count) = if quick { (1, "1000") } else { (RUNS, "100000") };
    let program = programs.path("bench-in-process");
    let counted = !quick && valgrind::is_installed();
    if !counted && !quick {
        eprintln!("valgrind is not installed: instructions and allocations are not counted");
    }
    // Operations take turns, so that other work on the machine affects all of them.
    let mut times = OPERATIONS.map(|operation| (operation, Vec::new()));
    for _ in 0..runs {
        for (operation, times) in &mut times {
            times.push(microseconds(&program, operation, count)?);
        }
    }
    let mut costs = Costs::new();
    for (operation, times) in times {
        // Other work on the machine only ever adds to a time.
        let best = times.iter().copied().fold(f64::INFINITY, f64::min);
        let mut cost = BTreeMap::from([
            ("each_us".to_owned(), median(times)),
            ("best_us".to_owned(), rounded(best)),
        ]);
        if counted {
            let counts = valgrind::cost(&program, operation)?;
            cost.insert("instructions".to_owned(), counts.instructions.round());
            cost.insert("allocations".to_owned(), counts.allocations.round());
        }
        costs.insert(operation.to_owned(), cost);
    }
    Ok(costs)
}

fn microseconds(program: &Path, operation: &str, count: &str) -> Result<f64> {
    let mut taskset = Command::new("taskset");
    let text = output(
        taskset
            .args(["-c", "0"])
            .arg(program)
            .args([operation, count]),
    )?;
    text.trim()
        .parse()
        .with_context(|| format!("{operation}: not a time: {text}"))
}

/// Measures many sessions in one process, with the CLI in memory and as processes.
pub(crate) fn sessions(programs: &Programs, quick: bool) -> Result<Costs> {
    let (sessions, calls) = if quick { ("5", "10") } else { ("500", "200") };
    let mut costs = Costs::new();
    for kind in ["memory", "process"] {
        let mut command = Command::new(programs.path("bench-scale"));
        command
            .args([kind, sessions, calls])
            .env("BENCH_CLI", programs.path("bench-cli"))
            .env("BENCH_SCENARIO", format!("endurance:{calls}"))
            .env("BENCH_WARM_UP", "0:0:0")
            .env("BENCH_MILLISECONDS", "0")
            .env("BENCH_CLI_REPORT", "/dev/null");
        costs.insert(
            kind.to_owned(),
            serde_json::from_str(&output(&mut command)?)?,
        );
    }
    Ok(costs)
}
