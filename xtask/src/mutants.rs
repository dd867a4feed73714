//! `cargo xtask mutants`: runs the fast tests on mutants of the code and lists those that no test catches.

use std::fs;
use std::process::Command;

use anyhow::{Result, bail};
use serde::Deserialize;

use crate::command::{install, output};
use crate::coverage::{PACKAGES, fast_tests};
use crate::workspace::Workspace;

const VERSION: &str = "27.1.0";

/// The files that are mutated.
const FILES: [&str; 9] = [
    "crates/inhouse/src/ask/**",
    "crates/inhouse/src/driver/**",
    "crates/inhouse/src/hook/**",
    "crates/inhouse/src/mcp/**",
    "crates/inhouse/src/permission/**",
    "crates/inhouse/src/process/**",
    "crates/inhouse/src/stream/**",
    "crates/inhouse-proto/src/engine/**",
    "crates/inhouse-proto/src/mcp/**",
];

/// The required share of caught mutants, in percent.
const GOAL: usize = 90;

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
    let program = install(root, "cargo-mutants", VERSION, &[])?;
    let mutants = || {
        let mut command = Command::new(&program);
        command.arg("mutants").current_dir(root);
        command.args(FILES.map(|glob| format!("--file={glob}")));
        command
    };
    let directory = root.join("target/mutants");
    fs::create_dir_all(&directory)?;
    let mut test = mutants();
    let mut chosen = Vec::new();
    if let Some(count) = arguments.sample {
        println!("mutants: a sample of {count}, seed {}", arguments.seed);
        let mutants = output(mutants().args(["--list", "--json"]))?;
        chosen = sample(serde_json::from_str(&mutants)?, count, arguments.seed);
        let patterns = chosen
            .iter()
            .map(|name| format!("--re=^{}$", escaped(name)));
        test.args(patterns);
    }
    test.args(
        arguments
            .shard
            .iter()
            .map(|shard| format!("--shard={shard}")),
    );
    test.arg("--output").arg(&directory);
    // A mutant of the protocol may be caught by a test of the runtime.
    test.arg(format!("--test-package={}", PACKAGES.join(",")));
    test.args([
        "--all-features",
        "--minimum-test-timeout=60",
        "--cargo-arg=--lib",
    ]);
    // Not after `--`: the build would include examples and slow tests then.
    let tests = fast_tests(root)?;
    test.args(
        tests
            .iter()
            .map(|name| format!("--cargo-arg=--test={name}")),
    );
    test.env("CARGO_TARGET_DIR", directory.join("build"));
    test.env("CARGO_PROFILE_DEV_DEBUG", "0");
    // cargo-mutants exits with 2 for missed mutants and with 3 for timeouts.
    let status = test.status()?;
    if !matches!(status.code(), Some(0 | 2 | 3)) {
        bail!("cargo mutants: {status}");
    }
    // cargo-mutants 27.1 also tests mutants that delete a field, whatever `--re` says.
    let read = |name: &str| {
        let text = fs::read_to_string(directory.join("mutants.out").join(name)).unwrap_or_default();
        let names = text.lines().map(str::to_owned);
        names
            .filter(|name| chosen.is_empty() || chosen.contains(name))
            .collect::<Vec<_>>()
    };
    let [caught, missed, timeout, unviable] =
        ["caught.txt", "missed.txt", "timeout.txt", "unviable.txt"].map(read);
    println!("\n| caught | missed | timeout | does not compile |\n|--:|--:|--:|--:|");
    println!(
        "| {} | {} | {} | {} |\n",
        caught.len(),
        missed.len(),
        timeout.len(),
        unviable.len()
    );
    for (verdict, names) in [("missed", &missed), ("timeout", &timeout)] {
        for name in names {
            println!("- {verdict}: `{name}`");
        }
    }
    // A test that never ends fails in CI, too.
    let detected = caught.len() + timeout.len();
    Ok(detected * 100 >= (detected + missed.len()) * GOAL)
}

#[derive(Deserialize)]
struct Mutant {
    name: String,
}

/// Returns `count` names chosen at random, in the order of the list.
fn sample(mutants: Vec<Mutant>, count: usize, seed: u64) -> Vec<String> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut chosen: Vec<(usize, Mutant)> = mutants.into_iter().enumerate().collect();
    random.shuffle(&mut chosen);
    chosen.truncate(count);
    chosen.sort_by_key(|(at, _)| *at);
    chosen.into_iter().map(|(_, mutant)| mutant.name).collect()
}

/// Escapes the characters that have a meaning in a regular expression.
fn escaped(name: &str) -> String {
    let mut escaped = String::new();
    for letter in name.chars() {
        if r"\.+*?()|[]{}^$".contains(letter) {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sample_is_repeated_by_its_seed() {
        let names = || {
            (0..100)
                .map(|number| Mutant {
                    name: number.to_string(),
                })
                .collect()
        };
        assert_eq!(sample(names(), 5, 7), sample(names(), 5, 7));
        assert_ne!(sample(names(), 5, 7), sample(names(), 5, 8));
        assert_eq!(sample(names(), 500, 7).len(), 100);
    }

    #[test]
    fn names_are_escaped_for_regular_expressions() {
        let name = "a.rs:1:2: replace f -> Option<u8> with Some((0)) in <impl A for [B]>";
        let expected =
            r"a\.rs:1:2: replace f -> Option<u8> with Some\(\(0\)\) in <impl A for \[B\]>";
        assert_eq!(escaped(name), expected);
    }
}
