//! `cargo xtask page`: builds the page that `inhouse trace` shows, which is committed so that users need no Node.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::command::output;
use crate::pinned;
use crate::workspace::Workspace;

const SOURCES: &str = "trace-page";
/// The page that is part of the program.
const PAGE: &str = "crates/inhouse-cli/src/trace/page.html";
/// The files that define what is installed.
const PINS: [&str; 2] = ["package.json", "package-lock.json"];
/// The files that the build reads, below `SOURCES`.
const INPUTS: [&str; 5] = [
    "index.html",
    "package.json",
    "src",
    "tsconfig.json",
    "vite.config.ts",
];

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Write nothing; fail if the committed page differs from its sources
    #[arg(long)]
    check: bool,
}

/// Runs the unit tests, checks the types and builds the page; returns whether it is up to date.
pub(crate) fn run(workspace: &Workspace, arguments: &Arguments) -> Result<bool> {
    let root = workspace.root();
    if !arguments.check {
        fs::write(root.join(PAGE), build(root)?)?;
        println!("{PAGE} is up to date");
        return Ok(true);
    }
    let problem = check(root)?;
    let is_current = problem.is_none();
    println!("{}", problem.unwrap_or(format!("{PAGE} is up to date")));
    Ok(is_current)
}

/// Returns what is wrong with the committed page.
///
/// # Errors
/// Returns an error if a unit test fails or the page cannot be built.
pub(crate) fn check(root: &Path) -> Result<Option<String>> {
    let built = build(root)?;
    let committed = fs::read(root.join(PAGE)).unwrap_or_default();
    Ok((built != committed)
        .then(|| format!("{PAGE} differs from {SOURCES}: run `cargo xtask page` and commit it")))
}

/// Returns a directory with the packages that the page and its tests need, installed in a cache on first use.
pub(crate) fn packages(root: &Path) -> Result<PathBuf> {
    pinned::installed("trace-page", &root.join(SOURCES), &PINS, |directory| {
        let mut npm = Command::new("npm");
        npm.args(["ci", "--no-audit", "--no-fund"]);
        output(npm.current_dir(directory))?;
        // The package `node` gets its binary from another package when it is installed.
        output(Command::new(node(directory)).arg("--version")).map(drop)
    })
}

fn node(packages: &Path) -> PathBuf {
    packages.join("node_modules/node/bin/node")
}

/// Tests the sources and returns the page.
fn build(root: &Path) -> Result<Vec<u8>> {
    let sources = root.join(SOURCES);
    let packages = packages(root)?;
    let mut tests = Command::new(node(&packages));
    // `output` reports the standard error of a command that fails.
    tests.args([
        "--test",
        "--test-reporter=dot",
        "--test-reporter-destination=stderr",
    ]);
    tests.args(files_in(&sources.join("test"))?);
    output(&mut tests)?;
    // Node looks for packages in the directories above a file, so the build is below that of the packages.
    let copy = packages.join(format!("build-{}", std::process::id()));
    let result = build_copy(&sources, &packages, &copy);
    let _ = fs::remove_dir_all(&copy);
    result
}

fn build_copy(sources: &Path, packages: &Path, copy: &Path) -> Result<Vec<u8>> {
    for input in INPUTS {
        copy_all(&sources.join(input), &copy.join(input)).context(input)?;
    }
    let run = |script: &str, arguments: &[&str]| {
        let mut command = Command::new(node(packages));
        command.arg(packages.join("node_modules").join(script));
        output(command.args(arguments).current_dir(copy)).map(drop)
    };
    run("typescript/bin/tsc", &["--project", "."])?;
    run("vite/bin/vite.js", &["build", "--outDir", "dist"])?;
    fs::read(copy.join("dist/index.html")).context("the build has no index.html")
}

fn copy_all(from: &Path, to: &Path) -> Result<()> {
    if from.is_dir() {
        for entry in fs::read_dir(from)? {
            let name = entry?.file_name();
            copy_all(&from.join(&name), &to.join(&name))?;
        }
        return Ok(());
    }
    fs::create_dir_all(to.parent().context("a file has a directory")?)?;
    fs::copy(from, to)?;
    Ok(())
}

/// Returns the unit tests in the order of their names.
fn files_in(directory: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(directory)?;
    let mut files = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    files.retain(|file| file.to_string_lossy().ends_with(".test.ts"));
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_input_of_the_build_exists() {
        let workspace = Workspace::locate();
        let sources = workspace.root().join(SOURCES);
        for input in INPUTS {
            assert!(sources.join(input).exists(), "{input}");
        }
        assert!(!files_in(&sources.join("test")).unwrap().is_empty());
    }
}
