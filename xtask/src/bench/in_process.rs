//! One operation from line to line, without any process.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use super::figures::{Costs, median};
use super::programs::Programs;
use super::valgrind;

pub(crate) const NAME: &str = "in-process";

/// What `bench-in-process` can repeat: a small call for each way of writing a tool, and a message read.
pub(crate) const OPERATIONS: [&str; 4] = ["closure", "macro", "rmcp", "message"];

const RUNS: usize = 15;

pub(crate) fn measure(programs: &Programs, quick: bool) -> Result<Costs, String> {
    let (runs, count) = if quick { (1, "1000") } else { (RUNS, "100000") };
    let program = programs.path("bench-in-process");
    let counted = !quick && valgrind::is_installed();
    if !counted && !quick {
        eprintln!("valgrind is not installed: instructions and allocations are not counted");
    }
    // In turns, so that what the machine does meanwhile hits all of them.
    let mut times = OPERATIONS.map(|operation| (operation, Vec::new()));
    for _ in 0..runs {
        for (operation, times) in &mut times {
            times.push(time(&program, operation, count)?);
        }
    }
    let mut costs = Costs::new();
    for (operation, times) in times {
        // What else the machine does only ever adds to it.
        let best = times.iter().copied().fold(f64::INFINITY, f64::min);
        let mut cost = BTreeMap::from([
            ("each_us".to_owned(), median(times)),
            ("best_us".to_owned(), median(vec![best])),
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

/// How many microseconds one operation takes.
fn time(program: &Path, operation: &str, count: &str) -> Result<f64, String> {
    let output = Command::new("taskset")
        .args(["-c", "0"])
        .arg(program)
        .args([operation, count])
        .output()
        .map_err(|cause| format!("{}: {cause}", program.display()))?;
    let time = String::from_utf8_lossy(&output.stdout).trim().parse();
    time.map_err(|_| format!("{operation}: {}", String::from_utf8_lossy(&output.stderr)))
}
