//! The command line: what it writes and prints, and what its errors say.

mod doctor;
mod drift;
mod install;
#[cfg(unix)]
mod npm;
mod replay;
mod sessions;
mod trace;

use std::path::Path;
use std::process::{Command, Output};

/// Runs `inhouse` in a directory.
fn inhouse(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_inhouse"));
    command.args(arguments).current_dir(directory);
    command.output().expect("the program starts")
}

/// Runs `inhouse` and returns what it printed.
fn printed(directory: &Path, arguments: &[&str]) -> String {
    let output = inhouse(directory, arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {stderr}");
    String::from_utf8(output.stdout).expect("the output is text")
}

/// Runs `inhouse` and returns its error.
fn refused(directory: &Path, arguments: &[&str]) -> String {
    let output = inhouse(directory, arguments);
    assert!(!output.status.success(), "{arguments:?} succeeded");
    String::from_utf8(output.stderr).expect("the error is text")
}

/// Writes an executable file.
///
/// By another process: a file that this one has open for writing may be inherited by a child of another test, and cannot be executed
/// (ETXTBSY) until that child closes it.
#[cfg(unix)]
fn write_program(path: &Path, text: &str) {
    let written = Command::new("/bin/sh")
        .args(["-c", "printf %s \"$1\" > \"$0\" && chmod 755 \"$0\""])
        .arg(path)
        .arg(text)
        .status()
        .expect("the shell starts");
    assert!(written.success());
}

#[test]
fn completions_name_the_commands() {
    let directory = tempfile::tempdir().unwrap();
    for shell in ["bash", "fish", "zsh"] {
        let script = printed(directory.path(), &["completions", shell]);
        for command in ["trace", "replay", "sessions", "install", "drift"] {
            assert!(script.contains(command), "{shell}: {command}");
        }
    }
}

#[test]
fn output_to_a_pipe_has_no_colours() {
    let directory = tempfile::tempdir().unwrap();
    let error = refused(directory.path(), &["trace", "missing.jsonl"]);
    assert!(!error.contains('\u{1b}'), "{error:?}");
}

#[test]
fn no_color_takes_precedence_over_forced_colours() {
    let directory = tempfile::tempdir().unwrap();
    for (variables, is_coloured) in [
        (&["CLICOLOR_FORCE"][..], true),
        (&["CLICOLOR_FORCE", "NO_COLOR"], false),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_inhouse"))
            .args(["doctor", "--cli", "missing"])
            .current_dir(directory.path())
            .env_remove("NO_COLOR")
            .envs(variables.iter().map(|name| (name, "1")))
            .output()
            .unwrap();
        for text in [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()) {
            assert_eq!(
                text.contains('\u{1b}'),
                is_coloured,
                "{variables:?}: {text:?}"
            );
        }
    }
}
