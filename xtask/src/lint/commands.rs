//! The checks that other tools make.

use std::path::Path;
use std::process::{Command, Stdio};

use super::finding::{Finding, Outcome};
use crate::cargo::cargo;

pub(crate) fn rustfmt(root: &Path) -> Outcome {
    succeeds(&mut cargo(
        root,
        ["fmt", "--all", "--check", "--", "--files-with-diff"],
    ))
}

pub(crate) fn clippy(root: &Path) -> Outcome {
    succeeds(&mut cargo(
        root,
        [
            "clippy",
            "--quiet",
            "--workspace",
            "--all-targets",
            "--all-features",
            "--",
            "-D",
            "warnings",
        ],
    ))
}

pub(crate) fn rustdoc(root: &Path) -> Outcome {
    let mut doc = cargo(
        root,
        [
            "doc",
            "--quiet",
            "--workspace",
            "--no-deps",
            "--all-features",
        ],
    );
    succeeds(doc.env("RUSTDOCFLAGS", "-D warnings"))
}

pub(crate) fn no_default_features(root: &Path) -> Outcome {
    succeeds(&mut cargo(
        root,
        [
            "check",
            "--quiet",
            "--package=inhouse",
            "--no-default-features",
        ],
    ))
}

/// The advisory database needs the network, and cargo-deny takes minutes to build: it is used where it is installed.
pub(crate) fn deny(root: &Path) -> Outcome {
    let installed = cargo(root, ["deny", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if installed.is_ok_and(|status| status.success()) {
        succeeds(&mut cargo(root, ["deny", "--all-features", "check"]))
    } else {
        Outcome::default().note("not installed: own checks of licences, sources and duplicates ran, advisories not checked")
    }
}

fn succeeds(command: &mut Command) -> Outcome {
    let findings = match command.status() {
        Ok(status) if status.success() => Vec::new(),
        Ok(status) => vec![Finding::new(line_of(command), status.to_string())],
        Err(cause) => vec![Finding::new(line_of(command), cause.to_string())],
    };
    findings.into()
}

fn line_of(command: &Command) -> String {
    let program = Path::new(command.get_program())
        .file_name()
        .unwrap_or_default();
    let words = std::iter::once(program).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy().into_owned())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_fails_is_a_finding() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert!(
            succeeds(cargo(root, ["--version"]).stdout(Stdio::null()))
                .findings
                .is_empty()
        );
        let mut unknown = cargo(root, ["this-is-no-subcommand"]);
        assert_eq!(succeeds(unknown.stderr(Stdio::null())).findings.len(), 1);
        assert_eq!(
            succeeds(&mut Command::new("there/is/no/such/program"))
                .findings
                .len(),
            1
        );
    }
}
