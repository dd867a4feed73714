//! `cargo xtask lint`: every static check of the workspace.
//!
//! Each check is a function that returns what it found. All of them run, so that one round shows everything.

mod commands;
mod deny_toml;
mod dependencies;
mod duplicates;
mod file_size;
mod finding;
mod inherited_lints;
mod leftovers;
mod licences;
mod machine_traces;
mod purity;
mod rust_source;
mod spdx;
mod test_habits;
mod wire_tags;

pub(crate) use rust_source::RustSource;

use std::time::Instant;

use crate::workspace::Workspace;
use dependencies::Dependencies;
use finding::Outcome;

/// Runs all checks, the quick ones first; whether nothing was found.
pub(crate) fn run(workspace: &Workspace) -> Result<bool, String> {
    let files = workspace.text_files()?;
    let dependencies = Dependencies::load(workspace)?;
    let root = workspace.root();
    let checks: [(&str, Check<'_>); 15] = [
        ("file size", Box::new(|| file_size::check(&files))),
        (
            "purity of inhouse-proto",
            Box::new(|| purity::check(&files, &dependencies.metadata)),
        ),
        (
            "no wire tags in inhouse",
            Box::new(|| wire_tags::check(&files).into()),
        ),
        (
            "habits of tests",
            Box::new(|| test_habits::check(&files).into()),
        ),
        (
            "nothing left over",
            Box::new(|| leftovers::check(&files).into()),
        ),
        (
            "no traces of machines",
            Box::new(|| machine_traces::check(&files).into()),
        ),
        (
            "inherited lints",
            Box::new(|| inherited_lints::check(&files).into()),
        ),
        ("licences", Box::new(|| licences::check(&dependencies))),
        ("sources", Box::new(|| dependencies.check_sources().into())),
        (
            "duplicates",
            Box::new(|| duplicates::check(&dependencies).into()),
        ),
        ("cargo deny", Box::new(|| commands::deny(root))),
        ("rustfmt", Box::new(|| commands::rustfmt(root))),
        ("clippy", Box::new(|| commands::clippy(root))),
        ("rustdoc", Box::new(|| commands::rustdoc(root))),
        (
            "no default features",
            Box::new(|| commands::no_default_features(root)),
        ),
    ];
    let count = checks.len();
    let failed: Vec<&str> = checks
        .into_iter()
        .filter(|(name, check)| !passes(name, check))
        .map(|(name, _)| name)
        .collect();
    if failed.is_empty() {
        println!("lint: {count} checks passed");
    } else {
        println!(
            "lint: {} of {count} checks failed: {}",
            failed.len(),
            failed.join(", ")
        );
    }
    Ok(failed.is_empty())
}

type Check<'a> = Box<dyn Fn() -> Outcome + 'a>;

fn passes(name: &str, check: &Check<'_>) -> bool {
    let begin = Instant::now();
    let Outcome { findings, note } = check();
    let verdict = if findings.is_empty() { "ok" } else { "FAILED" };
    let note = note.map(|note| format!(" ({note})")).unwrap_or_default();
    println!(
        "{name:.<28} {verdict:<6} {:>6.1} s{note}",
        begin.elapsed().as_secs_f32()
    );
    for finding in &findings {
        println!("    {finding}");
    }
    findings.is_empty()
}
