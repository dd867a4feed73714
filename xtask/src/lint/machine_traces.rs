//! No file has a home directory or a package mirror of the machine it was made on.

use anyhow::Result;

use super::{Files, Findings};

/// Home directories. The parts are concatenated so that this file passes its own check.
const HOMES: &[&str] = &[
    concat!("/", "home/"),
    concat!("/", "root/"),
    concat!("/", "Users/"),
];

/// The user that examples may use.
const EXAMPLE_USER: &str = "me/";

/// Names that occur in the configuration of package registries only.
const REGISTRIES: &[&str] = &[
    concat!("sparse", "+http"),
    concat!("replace", "-with"),
    concat!("registry.", "npmjs"),
    concat!("index.", "crates.io"),
    concat!("static.", "crates.io"),
    concat!("npm_config", "_registry"),
    concat!("_auth", "Token"),
    concat!("arti", "factory"),
];

pub(super) fn check(files: &Files) -> Result<Findings> {
    let mut findings = Findings::new();
    for file in &files.text {
        for (line, number) in file.text.lines().zip(1..) {
            let homes = HOMES.iter().filter(|home| begins_path(line, home));
            let registries = REGISTRIES.iter().filter(|name| line.contains(*name));
            let traces = homes.chain(registries);
            findings.extend(traces.map(|trace| format!("{}:{number}: has `{trace}`", file.path)));
        }
    }
    Ok(findings)
}

/// Returns whether `home` is in `line` as the beginning of a path, not in the middle of one.
fn begins_path(line: &str, home: &str) -> bool {
    line.match_indices(home).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        before.is_none_or(|before| !before.is_alphanumeric() && !"_-.~}>".contains(before))
            && !line[at + home.len()..].starts_with(EXAMPLE_USER)
    })
}

#[cfg(test)]
mod tests {
    use super::super::files;
    use super::*;

    #[test]
    fn homes_and_mirrors_are_found() {
        for (text, expected) in [
            (concat!("cwd = \"/", "home/ann/x\""), 1),
            (concat!("/", "Users/ann"), 1),
            (concat!("file:///", "root/x"), 1),
            (
                concat!("https://site.org/", "home/page, ${prefix}/", "root/x"),
                0,
            ),
            (concat!("/", "home/me/project"), 0),
            (concat!("/", "home/melissa/project"), 1),
            (concat!("[source]\nreplace", "-with = \"mirror\""), 1),
            (
                "source = \"registry+https://github.com/rust-lang/crates.io-index\"",
                0,
            ),
        ] {
            let findings = check(&files(&[("a", text)])).unwrap();
            assert_eq!(findings.len(), expected, "{text}");
        }
    }
}
