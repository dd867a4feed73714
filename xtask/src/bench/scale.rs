//! Many sessions in one process.

use std::process::Command;

use super::figures::Costs;
use super::programs::Programs;

pub(crate) const NAME: &str = "scale";

pub(crate) fn measure(programs: &Programs, quick: bool) -> Result<Costs, String> {
    let (sessions, calls) = if quick { ("5", "10") } else { ("500", "200") };
    let mut costs = Costs::new();
    for kind in ["memory", "process"] {
        let output = Command::new(programs.path("bench-scale"))
            .args([kind, sessions, calls])
            .env("BENCH_CLI", programs.path("bench-cli"))
            .env("BENCH_SCENARIO", format!("endurance:{calls}"))
            .env("BENCH_WARM_UP", "0:0:0")
            .env("BENCH_MILLISECONDS", "0")
            .env("BENCH_CLI_REPORT", "/dev/null")
            .output()
            .map_err(|cause| format!("bench-scale: {cause}"))?;
        let cost = serde_json::from_slice(&output.stdout)
            .map_err(|_| format!("{kind}: {}", String::from_utf8_lossy(&output.stderr)))?;
        costs.insert(kind.to_owned(), cost);
    }
    Ok(costs)
}
