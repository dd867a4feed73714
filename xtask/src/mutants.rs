//! `cargo xtask mutants`: runs the fast tests on mutants of the code and lists those that no test catches.
//!
//! Each mutant is built and tested alone. The tests next to its folder run first, because they build quickly and
//! catch most mutants; only the mutants that they miss are tested with all fast tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::command::{install, output};
use crate::coverage::{PACKAGES, fast_tests};
use crate::workspace::Workspace;

const VERSION: &str = "27.1.0";

/// The required share of caught mutants, in percent.
const GOAL: usize = 90;

/// A folder whose files are mutated, and the tests that run first on its mutants.
struct Folder {
    path: &'static str,
    package: &'static str,
    tests: &'static [&'static str],
}

/// The folders that are mutated. A file belongs to the first folder that contains it.
const FOLDERS: [Folder; 9] = [
    folder("crates/inhouse/src/ask/", &["permissions"]),
    folder("crates/inhouse/src/driver/", &["behaviour"]),
    folder("crates/inhouse/src/hook/", &["hooks"]),
    folder("crates/inhouse/src/mcp/rmcp/", &["rmcp"]),
    folder("crates/inhouse/src/mcp/", &["mcp", "tools"]),
    folder("crates/inhouse/src/process/", &["process"]),
    folder("crates/inhouse/src/stream/", &["behaviour"]),
    proto_folder("crates/inhouse-proto/src/engine/", &["engine"]),
    proto_folder("crates/inhouse-proto/src/mcp/", &["engine"]),
];

/// The tests that the first stage leaves out: the slow ones, and those in `process` that need the built examples.
const SKIPPED: [&str; 5] = [
    "backlog_bounds_memory_for_short_lines_between_long_ones",
    "examples::",
    "many_requests_can_be_pending",
    "promise_11_long_line_is_delivered_unless_a_limit_is_set",
    "soak::",
];

const fn folder(path: &'static str, tests: &'static [&'static str]) -> Folder {
    Folder {
        path,
        package: "inhouse",
        tests,
    }
}

const fn proto_folder(path: &'static str, tests: &'static [&'static str]) -> Folder {
    Folder {
        path,
        package: "inhouse-proto",
        tests,
    }
}

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Tests only this many mutants, chosen at random
    #[arg(long)]
    sample: Option<usize>,
    /// The seed of the random choice
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Tests only one part of all mutants, such as 1/8 (the first is 0/8)
    #[arg(long, value_name = "I/N", conflicts_with = "sample")]
    shard: Option<String>,
}

/// Tests the mutants and prints the outcome; returns whether enough of them were caught.
pub(crate) fn run(workspace: &Workspace, arguments: &Arguments) -> Result<bool> {
    let root = workspace.root();
    // An interrupted run may leave a mutant in the tree; `git restore` must be enough to remove it.
    let changes = output(
        Command::new("git")
            .args(["status", "--porcelain", "crates"])
            .current_dir(root),
    )?;
    if !changes.is_empty() {
        bail!("commit or restore the changes in crates/ first:\n{changes}");
    }
    let tool = Tool {
        program: install(root, "cargo-mutants", VERSION, &[])?,
        root,
        directory: root.join("target/mutants"),
    };
    let all = tool.list()?;
    let mut chosen = all.clone();
    if let Some(count) = arguments.sample {
        println!("mutants: a sample of {count}, seed {}", arguments.seed);
        chosen = sample(chosen, count, arguments.seed);
    }
    if let Some(part) = &arguments.shard {
        chosen = shard(chosen, part)?;
    }
    let mut outcome = Outcome::default();
    for (index, folder) in FOLDERS.iter().enumerate() {
        let mutants: Vec<_> = chosen
            .iter()
            .filter(|mutant| {
                let first = FOLDERS
                    .iter()
                    .position(|folder| mutant.file.starts_with(folder.path));
                first == Some(index)
            })
            .collect();
        let tests: Vec<_> = folder.tests.iter().copied().map(str::to_owned).collect();
        outcome.add(tool.test(&all, &mutants, &[folder.package], &tests, &SKIPPED)?);
    }
    let missed = std::mem::take(&mut outcome.missed);
    let again: Vec<_> = chosen
        .iter()
        .filter(|mutant| missed.contains(&mutant.name))
        .collect();
    // A mutant of the protocol may be caught by a test of the runtime.
    outcome.add(tool.test(&all, &again, &PACKAGES, &fast_tests(root)?, &[])?);
    print!("{}", outcome.render());
    Ok(outcome.reaches_goal())
}

/// The installed cargo-mutants and its directories.
struct Tool<'a> {
    program: PathBuf,
    root: &'a Path,
    directory: PathBuf,
}

impl Tool<'_> {
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("mutants").current_dir(self.root);
        command.args(FOLDERS.map(|folder| format!("--file={}**", folder.path)));
        // Not compiled on Unix.
        command.arg("--exclude=crates/inhouse/src/process/windows.rs");
        command
    }

    fn list(&self) -> Result<Vec<Mutant>> {
        let list = output(self.command().args(["--list", "--json"]))?;
        Ok(serde_json::from_str(&list)?)
    }

    /// Tests `mutants` with the unit tests and the test targets `tests` of `packages`. Tests whose names contain
    /// one of `skipped` do not run.
    fn test(
        &self,
        all: &[Mutant],
        mutants: &[&Mutant],
        packages: &[&str],
        tests: &[String],
        skipped: &[&str],
    ) -> Result<Outcome> {
        if mutants.is_empty() {
            return Ok(Outcome::default());
        }
        println!("\n{} mutants: {}", mutants.len(), tests.join(" "));
        // With `--iterate`, mutants that an earlier run caught are skipped. `--re` cannot select mutants as
        // precisely: cargo-mutants 27.1 tests those that delete a field of a struct whatever `--re` says.
        let results = self.directory.join("mutants.out");
        let _ = fs::remove_dir_all(&results);
        fs::create_dir_all(&results)?;
        let others = all
            .iter()
            .filter(|mutant| !mutants.iter().any(|chosen| chosen.name == mutant.name));
        let others: Vec<_> = others.map(|mutant| mutant.name.as_str()).collect();
        fs::write(results.join("caught.txt"), others.join("\n"))?;
        let mut command = self.command();
        command.arg("--output").arg(&self.directory);
        command.arg(format!("--test-package={}", packages.join(",")));
        // In place: a copy of the tree would be built from scratch each time.
        command.args([
            "--iterate",
            "--in-place",
            "--all-features",
            "--minimum-test-timeout=60",
            "--cargo-arg=--lib",
        ]);
        // Not after `--`: the build would include examples and slow tests then.
        command.args(
            tests
                .iter()
                .map(|name| format!("--cargo-arg=--test={name}")),
        );
        command.args(["--", "--"]);
        command.args(skipped.iter().map(|name| format!("--skip={name}")));
        command.env("CARGO_TARGET_DIR", self.directory.join("build"));
        command.env("CARGO_PROFILE_DEV_DEBUG", "0");
        // cargo-mutants exits with 2 for missed mutants and with 3 for timeouts.
        let status = command.status()?;
        if !matches!(status.code(), Some(0 | 2 | 3)) {
            bail!("cargo mutants: {status}");
        }
        let read = |name: &str| {
            let text = fs::read_to_string(results.join(name)).unwrap_or_default();
            text.lines().map(str::to_owned).collect()
        };
        Ok(Outcome {
            caught: read("caught.txt"),
            missed: read("missed.txt"),
            timeout: read("timeout.txt"),
            unviable: read("unviable.txt"),
        })
    }
}

/// The names of the mutants with each verdict.
#[derive(Default)]
struct Outcome {
    caught: Vec<String>,
    missed: Vec<String>,
    timeout: Vec<String>,
    unviable: Vec<String>,
}

impl Outcome {
    fn add(&mut self, other: Self) {
        self.caught.extend(other.caught);
        self.missed.extend(other.missed);
        self.timeout.extend(other.timeout);
        self.unviable.extend(other.unviable);
    }

    fn render(&self) -> String {
        let mut text = format!(
            "\n| caught | missed | timeout | does not compile |\n|--:|--:|--:|--:|\n| {} | {} | {} | {} |\n\n",
            self.caught.len(),
            self.missed.len(),
            self.timeout.len(),
            self.unviable.len()
        );
        for (verdict, names) in [("missed", &self.missed), ("timeout", &self.timeout)] {
            text.extend(names.iter().map(|name| format!("- {verdict}: `{name}`\n")));
        }
        text
    }

    /// Returns whether enough of the mutants that compile were caught.
    fn reaches_goal(&self) -> bool {
        // A test that never ends fails in CI, too.
        let detected = self.caught.len() + self.timeout.len();
        detected * 100 >= (detected + self.missed.len()) * GOAL
    }
}

#[derive(Clone, Deserialize)]
struct Mutant {
    name: String,
    file: String,
}

/// Returns `count` mutants chosen at random, in the order of the list.
fn sample(mutants: Vec<Mutant>, count: usize, seed: u64) -> Vec<Mutant> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut chosen: Vec<(usize, Mutant)> = mutants.into_iter().enumerate().collect();
    random.shuffle(&mut chosen);
    chosen.truncate(count);
    chosen.sort_by_key(|(at, _)| *at);
    chosen.into_iter().map(|(_, mutant)| mutant).collect()
}

/// Returns every nth mutant, starting with the one at `index`, for a `part` such as `index/n`.
fn shard(mutants: Vec<Mutant>, part: &str) -> Result<Vec<Mutant>> {
    let numbers = part.split_once('/').and_then(|(index, count)| {
        let (index, count) = (index.parse::<usize>().ok()?, count.parse::<usize>().ok()?);
        (index < count).then_some((index, count))
    });
    let (index, count) = numbers.with_context(|| format!("not a shard: {part}"))?;
    Ok(mutants.into_iter().skip(index).step_by(count).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutants() -> Vec<Mutant> {
        let mutant = |number: u32| Mutant {
            name: number.to_string(),
            file: String::new(),
        };
        (0..100).map(mutant).collect()
    }

    fn names(mutants: Vec<Mutant>) -> Vec<String> {
        mutants.into_iter().map(|mutant| mutant.name).collect()
    }

    #[test]
    fn sample_is_repeated_by_its_seed() {
        let sample = |count, seed| names(sample(mutants(), count, seed));
        assert_eq!(sample(5, 7), sample(5, 7));
        assert_ne!(sample(5, 7), sample(5, 8));
        assert_eq!(sample(500, 7).len(), 100);
    }

    #[test]
    fn shards_contain_each_mutant_once() {
        let shards = ["0/3", "1/3", "2/3"].map(|part| names(shard(mutants(), part).unwrap()));
        let mut all = shards.concat();
        all.sort_by_key(|name| name.parse::<u32>().unwrap());
        assert_eq!(all, names(mutants()));
        for part in ["3/3", "0/0", "1", "a/b", "-1/3"] {
            assert!(shard(mutants(), part).is_err(), "{part}");
        }
    }

    #[test]
    fn timeouts_count_as_caught_and_unviable_mutants_do_not_count() {
        let names = |count| vec!["mutant".to_owned(); count];
        let outcome = |missed| Outcome {
            caught: names(5),
            missed: names(missed),
            timeout: names(4),
            unviable: names(50),
        };
        assert!(outcome(1).reaches_goal());
        assert!(!outcome(2).reaches_goal());
        assert!(outcome(2).render().contains("| 5 | 2 | 4 | 50 |"));
    }

    #[test]
    fn folders_and_their_tests_exist() {
        let root = Workspace::locate();
        let root = root.root();
        for folder in &FOLDERS {
            assert!(root.join(folder.path).is_dir(), "{}", folder.path);
            for test in folder.tests {
                let path = format!("crates/{}/tests/{test}/main.rs", folder.package);
                assert!(root.join(&path).is_file(), "{path}");
            }
        }
    }
}
