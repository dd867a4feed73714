//! No file tells on whose machine it was made: no home directories, no package mirrors.

use super::finding::Finding;
use crate::workspace::TextFile;

/// Where people live. Written in pieces, so that this very file passes.
const HOMES: &[&str] = &[
    concat!("/", "home/"),
    concat!("/", "root/"),
    concat!("/", "Users/"),
];

/// Whose home an example may name: nobody's.
const NOBODY: &str = "me/";

/// What only a configuration of package registries says.
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

pub(crate) fn check(files: &[TextFile]) -> Vec<Finding> {
    files
        .iter()
        .flat_map(|file| traces(&file.path, &file.text))
        .collect()
}

fn traces(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let homes = HOMES.iter().filter(|home| begins_path(line, home));
        let registries = REGISTRIES
            .iter()
            .filter(|registry| line.contains(*registry));
        findings.extend(
            homes.map(|home| Finding::at_line(path, number, format!("a path below {home}"))),
        );
        findings.extend(registries.map(|registry| {
            Finding::at_line(path, number, format!("names a registry: {registry}"))
        }));
    }
    findings
}

/// Whether `home` stands in `line` as the beginning of a path, not in the middle of one.
fn begins_path(line: &str, home: &str) -> bool {
    line.match_indices(home).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let begins =
            before.is_none_or(|before| !before.is_alphanumeric() && !"_-.~}>".contains(before));
        begins && !line[at + home.len()..].starts_with(NOBODY)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn homes_are_found_where_a_path_begins() {
        assert_eq!(
            traces("a", concat!("cwd = \"/", "home/somebody/x\"")).len(),
            1
        );
        assert_eq!(traces("a", concat!("/", "Users/somebody")).len(), 1);
        assert_eq!(traces("a", concat!("file:///", "root/x")).len(), 1);
        assert_eq!(
            traces(
                "a",
                concat!("https://site.org/", "home/page, ${prefix}/", "root/x")
            )
            .len(),
            0
        );
    }

    #[test]
    fn an_example_may_live_in_nobodys_home() {
        assert_eq!(traces("a", concat!("/", "home/me/project")).len(), 0);
        assert_eq!(traces("a", concat!("/", "home/melissa/project")).len(), 1);
    }

    #[test]
    fn mirrors_are_found() {
        assert_eq!(
            traces("a", concat!("[source]\nreplace", "-with = \"mirror\"")).len(),
            1
        );
        assert_eq!(
            traces(
                "a",
                "source = \"registry+https://github.com/rust-lang/crates.io-index\""
            )
            .len(),
            0
        );
    }
}
