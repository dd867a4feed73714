//! `cargo xtask lint`: every static check of the workspace.
//!
//! Each check returns its findings. All of them run, so that one run shows everything.

mod book;
mod file_size;
mod machine_traces;
mod manifests;
mod nameable;
mod purity;
mod test_habits;
mod tools;
mod wire_tags;
mod words;

pub(crate) use words::count as count_words;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, bail};

use crate::source::Source;
use crate::workspace::{TextFile, Workspace};

/// The files that checks read.
struct Files {
    root: PathBuf,
    /// Every text file, Rust files included.
    text: Vec<TextFile>,
    /// The index in `text` and the tokens of every Rust file.
    rust: Vec<(usize, Source)>,
}

/// Each finding begins with its place, such as `path:line: `.
type Findings = Vec<String>;

type Check = fn(&Files) -> Result<Findings>;

/// The checks, quick ones first.
const CHECKS: [(&str, Check); 14] = [
    ("file-size", file_size::check),
    ("purity", purity::check),
    ("wire-tags", wire_tags::check),
    ("nameable", nameable::check),
    ("test-habits", test_habits::check),
    ("words", words::check),
    ("machine-traces", machine_traces::check),
    ("manifests", manifests::check),
    ("book", book::check),
    ("deny", tools::deny),
    ("rustfmt", tools::rustfmt),
    ("clippy", tools::clippy),
    ("rustdoc", tools::rustdoc),
    ("no-default-features", tools::no_default_features),
];

/// Runs the checks with these names, or all; returns whether they found nothing.
pub(crate) fn run(workspace: &Workspace, names: &[String]) -> Result<bool> {
    let known = CHECKS.map(|(name, _)| name);
    if let Some(unknown) = names.iter().find(|name| !known.contains(&name.as_str())) {
        bail!(
            "there is no check `{unknown}`; the checks are {}",
            known.join(", ")
        );
    }
    let files = Files::read(workspace)?;
    let mut failed = Vec::new();
    for (name, check) in CHECKS {
        if !names.is_empty() && !names.iter().any(|chosen| chosen == name) {
            continue;
        }
        let begin = Instant::now();
        let findings = check(&files)?;
        let verdict = if findings.is_empty() { "ok" } else { "FAILED" };
        println!(
            "{name:.<22} {verdict:<6} {:>6.1} s",
            begin.elapsed().as_secs_f32()
        );
        for finding in &findings {
            println!("    {finding}");
        }
        if !findings.is_empty() {
            failed.push(format!("{name} ({})", findings.len()));
        }
    }
    if !failed.is_empty() {
        println!("lint: failed: {}", failed.join(", "));
    }
    Ok(failed.is_empty())
}

impl Files {
    fn read(workspace: &Workspace) -> Result<Self> {
        let text = workspace.text_files()?;
        let rust = text.iter().enumerate().filter(|(_, file)| file.is_rust());
        let rust = rust.map(|(at, file)| Ok((at, file.parse()?)));
        let rust = rust.collect::<Result<_>>()?;
        Ok(Self {
            root: workspace.root().to_owned(),
            text,
            rust,
        })
    }

    fn rust(&self) -> impl Iterator<Item = (&TextFile, &Source)> {
        self.rust
            .iter()
            .map(|(at, source)| (&self.text[*at], source))
    }
}

#[cfg(test)]
fn files(texts: &[(&str, &str)]) -> Files {
    let text: Vec<TextFile> = texts
        .iter()
        .map(|(path, text)| TextFile {
            path: (*path).to_owned(),
            text: (*text).to_owned(),
        })
        .collect();
    let rust = text.iter().enumerate().filter(|(_, file)| file.is_rust());
    let rust = rust.map(|(at, file)| (at, file.parse().unwrap())).collect();
    Files {
        root: PathBuf::new(),
        text,
        rust,
    }
}
