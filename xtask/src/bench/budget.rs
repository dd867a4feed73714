//! The budget of each operation in instructions and allocations, which do not depend on the load of the machine.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use super::in_process::OPERATIONS;
use super::metric::show;
use super::programs::Programs;
use super::valgrind::{self, Cost};
use crate::command::version_of;
use crate::workspace::Workspace;

const PATH: &str = "bench/budget.json";

/// The tolerance in percent; hash seeds and alignment change the counts by less.
const TOLERANCE: f64 = 3.0;

#[derive(Deserialize, Serialize)]
struct Budget {
    /// The compiler of the counted programs: another one generates other instructions.
    rustc: String,
    tolerance_percent: f64,
    operations: BTreeMap<String, Allowance>,
}

#[derive(Deserialize, Serialize)]
struct Allowance {
    instructions: f64,
    allocations: f64,
}

/// Counts every operation and compares; returns whether all are within their budget.
pub(crate) fn check(workspace: &Workspace, programs: &Programs) -> Result<bool> {
    let budget: Budget = serde_json::from_str(&workspace.read(PATH)?).context(PATH)?;
    let rustc = version_of("rustc")?;
    if rustc != budget.rustc {
        println!("counted with {}, now with {rustc}", budget.rustc);
    }
    let mut within = true;
    for (operation, allowance) in &budget.operations {
        let cost = count(programs, operation)?;
        for (what, allowed, now) in [
            ("instructions", allowance.instructions, cost.instructions),
            ("allocations", allowance.allocations, cost.allocations),
        ] {
            let verdict = Verdict::of(allowed, now, budget.tolerance_percent);
            within &= verdict != Verdict::Over;
            println!(
                "{operation:<10} {what:<14} {:>10} of {:>10}  {}",
                show(what, now),
                show(what, allowed),
                verdict.words()
            );
        }
    }
    Ok(within)
}

/// Counts every operation and writes the counts as the new budget.
pub(crate) fn update(workspace: &Workspace, programs: &Programs) -> Result<()> {
    let mut operations = BTreeMap::new();
    for operation in OPERATIONS {
        let cost = count(programs, operation)?;
        let allowance = Allowance {
            instructions: cost.instructions.round(),
            allocations: cost.allocations.round(),
        };
        operations.insert(operation.to_owned(), allowance);
    }
    let budget = Budget {
        rustc: version_of("rustc")?,
        tolerance_percent: TOLERANCE,
        operations,
    };
    let text = serde_json::to_string_pretty(&budget)? + "\n";
    print!("{text}");
    workspace.write(PATH, &text)
}

#[derive(Debug, PartialEq)]
enum Verdict {
    Within,
    /// Below the budget by more than the tolerance: the budget can be lowered.
    Under,
    Over,
}

impl Verdict {
    fn of(allowed: f64, now: f64, tolerance_percent: f64) -> Self {
        // A fraction of an allocation is a buffer that grows from time to time.
        let tolerance = (allowed * tolerance_percent / 100.0).max(0.5);
        if now > allowed + tolerance {
            Self::Over
        } else if now < allowed - tolerance {
            Self::Under
        } else {
            Self::Within
        }
    }

    fn words(&self) -> &'static str {
        match self {
            Self::Within => "",
            Self::Under => "less; cargo xtask bench --update-budget lowers the budget",
            Self::Over => "OVER the budget",
        }
    }
}

fn count(programs: &Programs, operation: &str) -> Result<Cost> {
    if !valgrind::is_installed() {
        bail!("valgrind is needed to count instructions");
    }
    valgrind::cost(&programs.path("bench-in-process"), operation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_within_the_tolerance_pass() {
        assert_eq!(Verdict::of(1_000.0, 1_030.0, 3.0), Verdict::Within);
        assert_eq!(Verdict::of(1_000.0, 1_031.0, 3.0), Verdict::Over);
        assert_eq!(Verdict::of(1_000.0, 969.0, 3.0), Verdict::Under);
        assert_eq!(Verdict::of(15.0, 15.4, 3.0), Verdict::Within);
        assert_eq!(Verdict::of(15.0, 16.0, 3.0), Verdict::Over);
    }
}
