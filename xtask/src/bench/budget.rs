//! What an operation may cost, in instructions and allocations: a regression shows on the noisiest machine.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::in_process::OPERATIONS;
use super::metric::show;
use super::programs::Programs;
use super::valgrind::{self, Cost};
use crate::workspace::Workspace;

const PATH: &str = "bench/budget.json";

/// How much more than its budget an operation may cost, in percent: hash seeds and alignment move it by less.
const TOLERANCE: f64 = 3.0;

#[derive(Deserialize, Serialize)]
struct Budget {
    /// With which compiler it was counted: another one makes other instructions.
    rustc: String,
    tolerance_percent: f64,
    operations: BTreeMap<String, Allowance>,
}

#[derive(Deserialize, Serialize)]
struct Allowance {
    instructions: f64,
    allocations: f64,
}

/// Counts, compares and tells; whether everything is within its budget.
pub(crate) fn check(workspace: &Workspace, programs: &Programs) -> Result<bool, String> {
    let budget: Budget =
        serde_json::from_str(&workspace.read(PATH)?).map_err(|cause| format!("{PATH}: {cause}"))?;
    let rustc = compiler()?;
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

/// Counts, and takes the counts for the budget.
pub(crate) fn update(workspace: &Workspace, programs: &Programs) -> Result<(), String> {
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
        rustc: compiler()?,
        tolerance_percent: TOLERANCE,
        operations,
    };
    let mut text = serde_json::to_string_pretty(&budget).expect("a budget is JSON");
    text.push('\n');
    print!("{text}");
    std::fs::write(workspace.root().join(PATH), text).map_err(|cause| format!("{PATH}: {cause}"))
}

#[derive(Debug, PartialEq)]
enum Verdict {
    Within,
    /// So much better that the budget should follow.
    Under,
    Over,
}

impl Verdict {
    fn of(allowed: f64, now: f64, tolerance_percent: f64) -> Self {
        // A fraction of an allocation is a buffer that grows now and then.
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
            Self::Under => "less: cargo xtask bench --update-budget keeps it",
            Self::Over => "MORE than the budget allows",
        }
    }
}

fn count(programs: &Programs, operation: &str) -> Result<Cost, String> {
    if !valgrind::is_installed() {
        return Err("valgrind is needed to count instructions".to_owned());
    }
    valgrind::cost(&programs.path("bench-in-process"), operation)
}

fn compiler() -> Result<String, String> {
    let output = std::process::Command::new("rustc")
        .arg("--version")
        .output()
        .map_err(|cause| format!("rustc: {cause}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_has_a_tolerance() {
        assert_eq!(Verdict::of(1_000.0, 1_030.0, 3.0), Verdict::Within);
        assert_eq!(Verdict::of(1_000.0, 1_031.0, 3.0), Verdict::Over);
        assert_eq!(Verdict::of(1_000.0, 969.0, 3.0), Verdict::Under);
        assert_eq!(Verdict::of(15.0, 15.4, 3.0), Verdict::Within);
        assert_eq!(Verdict::of(15.0, 16.0, 3.0), Verdict::Over);
    }
}
