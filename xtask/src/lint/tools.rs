//! The checks that cargo and its subcommands make.

use std::process::Command;

use anyhow::Result;

use super::{Files, Findings};
use crate::command::{cargo, output, run};

/// The version that `.ci/run` installs.
const DENY_VERSION: &str = "0.20.2";

pub(super) fn rustfmt(files: &Files) -> Result<Findings> {
    let arguments = ["fmt", "--all", "--check", "--", "--files-with-diff"];
    failure(&mut cargo(&files.root, arguments))
}

pub(super) fn clippy(files: &Files) -> Result<Findings> {
    let mut clippy = cargo(&files.root, ["clippy", "--quiet", "--workspace"]);
    clippy.args(["--all-targets", "--all-features", "--", "-D", "warnings"]);
    failure(&mut clippy)
}

pub(super) fn rustdoc(files: &Files) -> Result<Findings> {
    let mut doc = cargo(&files.root, ["doc", "--quiet", "--workspace"]);
    doc.args(["--no-deps", "--all-features"]);
    failure(doc.env("RUSTDOCFLAGS", "-D warnings"))
}

pub(super) fn no_default_features(files: &Files) -> Result<Findings> {
    let mut check = cargo(&files.root, ["check", "--quiet", "--package=inhouse"]);
    failure(check.arg("--no-default-features"))
}

/// Checks licences, sources and duplicates by `deny.toml`.
///
/// Advisories are left to the weekly workflow on GitHub: their database has to be fetched from there. Without
/// cargo-deny the check is skipped, except in CI.
pub(super) fn deny(files: &Files) -> Result<Findings> {
    if output(&mut cargo(&files.root, ["deny", "--version"])).is_err() {
        let hint = format!(
            "cargo-deny is missing: cargo install --debug --locked cargo-deny@{DENY_VERSION}"
        );
        let must_run = std::env::var("CI").is_ok_and(|ci| ci == "true");
        if !must_run {
            println!("skipped: {hint}");
        }
        return Ok(must_run.then_some(hint).into_iter().collect());
    }
    let mut all = cargo(&files.root, ["deny", "--all-features", "--log-level=error"]);
    let mut findings = failure(all.args(["check", "bans", "licenses", "sources"]))?;
    // What a user of `inhouse` compiles by default has every crate once, whatever `skip` lists for the rest.
    let default = [
        "tree",
        "--package=inhouse",
        "--edges=normal,build",
        "--duplicates",
        "--depth=0",
    ];
    let duplicates = output(&mut cargo(&files.root, default))?;
    findings.extend(
        duplicates
            .lines()
            .filter(|line| !line.is_empty())
            .map(|line| format!("{line}: twice in the default tree of inhouse")),
    );
    Ok(findings)
}

fn failure(command: &mut Command) -> Result<Findings> {
    Ok(run(command)
        .err()
        .map(|error| format!("{error:#}"))
        .into_iter()
        .collect())
}
