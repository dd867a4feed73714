//! `inhouse-proto` does no I/O: no runtime below it, no files, no processes, no threads and no clock in it.

use super::finding::{Finding, Outcome};
use super::rust_source::{RustSource, Token};
use crate::metadata::Metadata;
use crate::workspace::TextFile;

const PURE: &str = "inhouse-proto";

/// Crates that run tasks, talk to the operating system, or read clocks and randomness.
const IMPURE_CRATES: &[&str] = &[
    "async-io",
    "async-std",
    "chrono",
    "crossbeam-channel",
    "futures-executor",
    "getrandom",
    "hyper",
    "libc",
    "mio",
    "nix",
    "parking_lot",
    "polling",
    "rand",
    "rustix",
    "smol",
    "socket2",
    "tempfile",
    "time",
    "tokio",
    "tokio-util",
    "windows-sys",
];

/// Modules of std, and functions that read a clock.
const IMPURE_PATHS: &[[&str; 2]] = &[
    ["std", "env"],
    ["std", "fs"],
    ["std", "net"],
    ["std", "os"],
    ["std", "process"],
    ["std", "thread"],
    ["Instant", "now"],
    ["SystemTime", "now"],
];

pub(crate) fn check(files: &[TextFile], metadata: &Metadata) -> Outcome {
    let Some(package) = metadata.member(PURE) else {
        return vec![Finding::new(PURE, "is not in the workspace")].into();
    };
    let tree: Vec<&str> = metadata
        .shipped_with([package])
        .iter()
        .map(|package| package.name.as_str())
        .collect();
    let mut findings = impure_crates(&tree);
    let prefix = format!("crates/{PURE}/");
    for file in files
        .iter()
        .filter(|file| file.path.starts_with(&prefix) && file.is_rust() && !file.is_test())
    {
        findings.extend(impure_paths(&file.path, &RustSource::parse(&file.text)));
    }
    Outcome::from(findings).note(format!("{} crates in its tree", tree.len() - 1))
}

fn impure_crates(tree: &[&str]) -> Vec<Finding> {
    let impure = tree.iter().filter(|name| IMPURE_CRATES.contains(name));
    impure
        .map(|name| Finding::new(PURE, format!("depends on {name}")))
        .collect()
}

fn impure_paths(path: &str, source: &RustSource) -> Vec<Finding> {
    let first_test_line = source.first_test_line();
    let tokens: Vec<Token<'_>> = source
        .tokens()
        .into_iter()
        .take_while(|token| token.line < first_test_line)
        .collect();
    steps(&tokens)
        .into_iter()
        .filter(|(parent, child)| IMPURE_PATHS.contains(&[parent, child.text]))
        .map(|(parent, child)| {
            Finding::at_line(path, child.line, format!("uses {parent}::{}", child.text))
        })
        .collect()
}

/// Every `parent::child` of the code, also where the children stand in braces: `parent::{child, child::grandchild}`.
fn steps<'a>(tokens: &[Token<'a>]) -> Vec<(&'a str, Token<'a>)> {
    let mut steps = Vec::new();
    let mut parents: Vec<Option<&str>> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let path_before =
            |at: usize| (at >= 2 && tokens[at - 1].text == "::").then(|| tokens[at - 2].text);
        match token.text {
            "{" => parents.push(path_before(at)),
            "}" => drop(parents.pop()),
            "::" | "," => {}
            _ => {
                let begins_item = at > 0 && matches!(tokens[at - 1].text, "{" | ",");
                let parent = if begins_item {
                    parents.last().copied().flatten()
                } else {
                    path_before(at)
                };
                steps.extend(parent.map(|parent| (parent, *token)));
            }
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        impure_paths("a.rs", &RustSource::parse(text))
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn runtimes_are_found_in_the_tree() {
        assert_eq!(impure_crates(&["bytes", "memchr", "serde_json"]), []);
        assert_eq!(impure_crates(&["bytes", "tokio", "mio"]).len(), 2);
    }

    #[test]
    fn paths_are_found_however_they_are_imported() {
        assert_eq!(found("use std::fs;"), ["a.rs:1: uses std::fs"]);
        assert_eq!(
            found("use std::{\n    fmt,\n    net::IpAddr,\n};"),
            ["a.rs:3: uses std::net"]
        );
        assert_eq!(
            found("let now = std::time::Instant::now();"),
            ["a.rs:1: uses Instant::now"]
        );
        assert_eq!(
            found("use ::std::{collections::{HashMap, VecDeque}, thread};"),
            ["a.rs:1: uses std::thread"]
        );
    }

    #[test]
    fn words_in_texts_and_tests_are_not_code() {
        assert_eq!(found("// std::fs\nlet a = \"std::net\";").len(), 0);
        assert_eq!(
            found("use std::{fmt, time::Instant};\nstruct A { fs: B, net: C }").len(),
            0
        );
        assert_eq!(
            found("fn a() {}\n#[cfg(test)]\nmod tests {\n    use std::fs;\n}").len(),
            0
        );
    }
}
