//! `inhouse-proto` does no I/O: it depends on no runtime and uses no files, processes, threads or clocks.

use anyhow::Result;

use super::{Files, Findings};
use crate::command::{cargo, output};
use crate::source::{Source, Token};

/// Crates that run tasks, call the operating system, or read clocks and randomness.
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

/// Modules of std, and functions that read a clock. `std::{` would hide the modules from this check.
const IMPURE_PATHS: &[[&str; 2]] = &[
    ["std", "env"],
    ["std", "fs"],
    ["std", "net"],
    ["std", "os"],
    ["std", "process"],
    ["std", "thread"],
    ["std", "{"],
    ["Instant", "now"],
    ["SystemTime", "now"],
];

pub(super) fn check(files: &Files) -> Result<Findings> {
    let mut tree = cargo(
        &files.root,
        ["tree", "--package=inhouse-proto", "--all-features"],
    );
    tree.args(["--edges=normal,build", "--prefix=none", "--format={p}"]);
    let tree = output(&mut tree)?;
    let names = tree.lines().filter_map(|line| line.split(' ').next());
    let impure = names.filter(|name| IMPURE_CRATES.contains(name));
    let mut findings: Findings = impure
        .map(|name| format!("inhouse-proto: depends on {name}"))
        .collect();
    for (file, source) in files.rust() {
        if file.path.starts_with("crates/inhouse-proto/") && !file.is_test() {
            let paths = impure_paths(source).into_iter();
            findings.extend(paths.map(|(line, used)| format!("{}:{line}: uses {used}", file.path)));
        }
    }
    Ok(findings)
}

fn impure_paths(source: &Source) -> Vec<(usize, String)> {
    let first_test_line = source.first_test_line();
    let code: Vec<&Token> = source
        .code()
        .take_while(|token| token.line < first_test_line)
        .collect();
    let mut found = Vec::new();
    for window in code.windows(4) {
        let [parent, first, second, child] = [0, 1, 2, 3].map(|at| window[at].text.as_str());
        if (first, second) == (":", ":") && IMPURE_PATHS.contains(&[parent, child]) {
            found.push((window[3].line, format!("{parent}::{child}")));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let found = impure_paths(&Source::parse(text).unwrap()).into_iter();
        found.map(|(line, used)| format!("{line} {used}")).collect()
    }

    #[test]
    fn modules_and_clocks_are_found() {
        assert_eq!(found("use std::fs;"), ["1 std::fs"]);
        assert_eq!(found("use std::{\n    fmt, net::IpAddr};"), ["1 std::{"]);
        assert_eq!(
            found("let now =\nstd::time::Instant::now();"),
            ["2 Instant::now"]
        );
    }

    #[test]
    fn prose_tests_and_other_names_are_allowed() {
        for text in [
            "// std::fs\nlet a = \"std::net\";",
            "use std::time::Instant;\nstruct A { fs: B, net: C }",
            "fn a() {}\n#[cfg(test)]\nmod tests {\n    use std::fs;\n}",
        ] {
            assert_eq!(found(text).len(), 0, "{text}");
        }
    }
}
