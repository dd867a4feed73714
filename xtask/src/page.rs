//! `cargo xtask page`: builds the pages that `inhouse trace` and `inhouse fleet` show, which are committed so that users need no Node.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::command::output;
use crate::pinned;
use crate::workspace::Workspace;

struct Page {
    /// The directory of its sources.
    sources: &'static str,
    /// The file that is part of the program.
    target: &'static str,
}

const PAGES: [Page; 2] = [
    Page {
        sources: TOOLS,
        target: "crates/inhouse-cli/src/trace/page.html",
    },
    Page {
        sources: "fleet-page",
        target: "crates/inhouse-cli/src/fleet/page.html",
    },
];

/// The directory with the pinned packages, the configuration of the build, and the parts that the pages share.
const TOOLS: &str = "trace-page";
/// The files that define what is installed.
const PINS: [&str; 2] = ["package.json", "package-lock.json"];
/// The files that the build reads, below the workspace.
const INPUTS: [&str; 8] = [
    "fleet-page/index.html",
    "fleet-page/src",
    "fleet-page/tsconfig.json",
    "trace-page/index.html",
    "trace-page/package.json",
    "trace-page/src",
    "trace-page/tsconfig.json",
    "trace-page/vite.config.ts",
];

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Write nothing; fail if a committed page differs from its sources
    #[arg(long)]
    check: bool,
}

/// Runs the unit tests, checks the types and builds the pages; returns whether they are up to date.
pub(crate) fn run(workspace: &Workspace, arguments: &Arguments) -> Result<bool> {
    let root = workspace.root();
    let problem = if arguments.check {
        check(root)?
    } else {
        for (page, built) in build(root)? {
            fs::write(root.join(page.target), built)?;
        }
        None
    };
    let is_current = problem.is_none();
    println!("{}", problem.unwrap_or("the pages are up to date".into()));
    Ok(is_current)
}

/// Returns what is wrong with the committed pages.
///
/// # Errors
/// Returns an error if a unit test fails or a page cannot be built.
pub(crate) fn check(root: &Path) -> Result<Option<String>> {
    let differing: Vec<_> = build(root)?
        .into_iter()
        .filter(|(page, built)| fs::read(root.join(page.target)).unwrap_or_default() != *built)
        .map(|(page, _)| format!("{} differs from {}", page.target, page.sources))
        .collect();
    let problem = differing.join(", ");
    Ok((!problem.is_empty())
        .then(|| format!("{problem}: run `cargo xtask page` and commit the result")))
}

/// Returns a directory with the packages that the pages and their tests need, installed in a cache on first use.
pub(crate) fn packages(root: &Path) -> Result<PathBuf> {
    pinned::installed(TOOLS, &root.join(TOOLS), &PINS, |directory| {
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

/// Tests the sources and returns the pages.
fn build(root: &Path) -> Result<Vec<(&'static Page, Vec<u8>)>> {
    let packages = packages(root)?;
    let mut tests = Command::new(node(&packages));
    // `output` reports the standard error of a command that fails.
    tests.args([
        "--test",
        "--test-reporter=dot",
        "--test-reporter-destination=stderr",
    ]);
    for page in &PAGES {
        tests.args(files_in(&root.join(page.sources).join("test"))?);
    }
    output(&mut tests)?;
    // Node looks for packages in the directories above a file, so the build is below that of the packages.
    let copy = packages.join(format!("build-{}", std::process::id()));
    let result = build_copy(root, &packages, &copy);
    let _ = fs::remove_dir_all(&copy);
    result
}

fn build_copy(root: &Path, packages: &Path, copy: &Path) -> Result<Vec<(&'static Page, Vec<u8>)>> {
    for input in INPUTS {
        copy_all(&root.join(input), &copy.join(input)).context(input)?;
    }
    let build_page = |page: &'static Page| {
        let sources = copy.join(page.sources);
        let run = |script: &str, arguments: &[&str]| {
            let mut command = Command::new(node(packages));
            command.arg(packages.join("node_modules").join(script));
            output(command.args(arguments).current_dir(&sources)).map(drop)
        };
        run("typescript/bin/tsc", &["--project", "."])?;
        let configuration = copy.join(TOOLS).join("vite.config.ts");
        let configuration = configuration.to_string_lossy();
        let arguments = ["build", "--outDir", "dist", "--config", &configuration];
        run("vite/bin/vite.js", &arguments)?;
        let built = fs::read(sources.join("dist/index.html"));
        Ok((page, built.context("the build has no index.html")?))
    };
    PAGES.iter().map(build_page).collect()
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
        let root = workspace.root();
        for input in INPUTS {
            assert!(root.join(input).exists(), "{input}");
        }
        for page in &PAGES {
            let tests = root.join(page.sources).join("test");
            assert!(!files_in(&tests).unwrap().is_empty(), "{}", page.sources);
        }
    }
}
