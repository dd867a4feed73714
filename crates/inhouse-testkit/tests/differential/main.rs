//! The same scenarios on the CLI in memory and on the real one.
//!
//! The lines of both sides and the requests to the model are compared. Every difference is listed with its reason in `src/scenario/differences.md`, which the
//! documentation of `scenario` shows; an unlisted one fails the test, and so does a listed one that does not occur. What is not compared is
//! listed in `src/scenario/not_compared.md`.

mod cases;
mod compare;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use futures_util::StreamExt as _;
use futures_util::stream;

use crate::cases::{CASES, Case, Cli};
use crate::compare::{Difference, Listed, differences};

/// Real CLIs that run at the same time.
const AT_ONCE: usize = 4;

/// The scenarios that a failure shows for each difference.
const SHOWN: usize = 9;

const DIFFERENCES: &str = include_str!("../../src/scenario/differences.md");

#[tokio::test]
async fn fake_and_real_cli_send_the_same_lines() {
    assert!(CASES.len() >= 40, "there are {} scenarios", CASES.len());
    let outcomes: Vec<_> = stream::iter(CASES)
        .map(both)
        .buffer_unordered(AT_ONCE)
        .collect()
        .await;
    let mut listed = Listed::parse(DIFFERENCES);
    let mut unlisted: BTreeMap<String, Vec<(&str, Difference)>> = BTreeMap::new();
    let mut report = String::new();
    for (name, outcome) in outcomes {
        match outcome {
            Ok(found) => {
                for difference in found.into_iter().filter(|found| !listed.has(found)) {
                    let key = difference.key();
                    unlisted.entry(key).or_default().push((name, difference));
                }
            }
            Err(error) => {
                let _ = writeln!(report, "{name} failed: {error}");
            }
        }
    }
    for (key, found) in &unlisted {
        let _ = writeln!(report, "{key} in {} scenarios", found.len());
        for (name, difference) in found.iter().take(SHOWN) {
            let _ = writeln!(report, "    {name}: {difference}");
        }
    }
    for row in listed.unused() {
        let _ = writeln!(report, "listed, but does not occur: {row}");
    }
    assert!(report.is_empty(), "\n{report}");
}

async fn both(case: &Case) -> (&'static str, Result<Vec<Difference>, String>) {
    let compared = async {
        let fake = (case.run)(Cli::Fake).await;
        let fake = fake.map_err(|error| format!("with the fake CLI: {error}"))?;
        let real = (case.run)(Cli::Real).await;
        let real = real.map_err(|error| format!("with the real CLI: {error}"))?;
        Ok(differences(&fake, &real))
    };
    (case.name, compared.await)
}
