#![cfg(unix)]

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use super::write_program;

/// Creates a directory with a program `claude` of this text.
fn with_cli(text: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    write_program(&directory.path().join("claude"), text);
    directory
}

/// Runs the doctor with this search path; returns its checks, the last of which must have failed.
fn failed(path: &Path) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_inhouse"))
        .args(["doctor", "--json"])
        .env_clear()
        .env("PATH", format!("{}:/usr/bin:/bin", path.display()))
        .env("HOME", path)
        .output()
        .unwrap();
    assert!(!output.status.success());
    let checks: Value = serde_json::from_slice(&output.stdout).unwrap();
    let last = checks.as_array().unwrap().last().unwrap().clone();
    assert_eq!(last["passed"], false, "{checks}");
    last
}

/// Returns a member of a check that is a text.
fn text<'a>(check: &'a Value, member: &str) -> &'a str {
    check[member].as_str().unwrap()
}

#[test]
fn missing_cli_is_explained() {
    let directory = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_inhouse"))
        .args(["doctor", "--cli", "missing"])
        .current_dir(directory.path())
        .output()
        .unwrap();
    assert!(!output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("CLI failed\n"), "{text}");
    assert!(text.contains("missing does not exist"), "{text}");
    assert!(text.contains("inhouse install"), "{text}");
}

#[test]
fn old_cli_is_explained() {
    let directory = with_cli("#!/bin/sh\necho '1.0.3 (Claude Code)'\n");
    let check = failed(directory.path());
    assert_eq!(check["name"], "Version");
    let detail = "1.0.3 is too old: inhouse needs 2.1.197 or newer";
    assert_eq!(text(&check, "detail"), detail);
    let remedy = "Update the CLI: npm install -g @anthropic-ai/claude-code@latest";
    assert_eq!(text(&check, "remedy"), remedy);
}

#[test]
fn missing_and_broken_node_are_explained() {
    for (cli, expected) in [
        ("#!/no/such/node\n", "the CLI exists, but does not start"),
        (
            "#!/bin/sh\necho 'node: symbol lookup error' >&2\nexit 127\n",
            "node: symbol lookup error",
        ),
    ] {
        let check = failed(with_cli(cli).path());
        assert_eq!(check["name"], "Version");
        let detail = text(&check, "detail");
        assert!(detail.contains(expected), "{detail}");
        let remedy = text(&check, "remedy");
        for expected in [
            "runs on Node",
            "`node --version`",
            "install Node 18 or newer",
        ] {
            assert!(remedy.contains(expected), "{remedy}");
        }
    }
}

#[test]
fn cli_that_prints_no_version_is_explained() {
    let check = failed(with_cli("#!/bin/sh\necho hello\n").path());
    assert!(text(&check, "detail").contains("\"hello\""));
}
