//! The command `inhouse`: shows what an agent did, and works with its sessions.
//!
//! This crate is for people who develop or operate agents that are built with `inhouse`, and for their scripts. It is a program without a
//! library: an application uses the crates `inhouse`, `inhouse-store` and `inhouse-fleet`.
//!
//! ```text
//! inhouse trace trace.jsonl             writes a page that shows a recording, and opens it
//! inhouse trace --follow trace.jsonl    shows a recording while it is written
//! inhouse replay trace.jsonl            checks a recording
//! inhouse replay trace.jsonl -- <cmd>   runs a program with the recording in the place of the CLI, and shows what differs
//! inhouse doctor                        checks that the CLI works, and says what to do if it does not
//! inhouse install                       downloads the CLI that inhouse is tested with, and checks its hash
//! inhouse drift                         compares the newest official SDK and its CLI with what inhouse models
//! inhouse sessions                      lists the sessions on disk or in a store
//! inhouse fleet                         shows the queue, the hosts and the sessions of a fleet, and acts on them
//! inhouse completions bash              prints a script that completes the command in a shell
//! ```
//!
//! Every command has `--help`; those that report something have `--json` for scripts. Colours are used on a terminal only, and never if `NO_COLOR` is
//! set.
//!
//! # Stability
//!
//! The commands, their options and the fields that `--json` prints follow semantic versioning; new versions add commands, options and fields.
//! The text without `--json` and the HTML pages change without notice.

mod doctor;
mod drift;
mod file;
mod fleet;
mod install;
mod loopback;
mod output;
mod replay;
mod sessions;
mod trace;

use std::io::Write as _;
use std::process::ExitCode;

use anstream::{eprintln, stdout};
use clap::{CommandFactory as _, Parser, Subcommand};
use clap_complete::Shell;

/// See what an agent built with inhouse did
#[derive(Parser)]
#[command(name = "inhouse", version, disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show a recording in the browser: what happened, when, how long it took and what it cost
    Trace(trace::Arguments),
    /// Check a recording, or run a program against it without the CLI, a model or cost
    Replay(replay::Arguments),
    /// Check that the Claude Code CLI works with inhouse, and say what to do if it does not
    Doctor(doctor::Arguments),
    /// Download the Claude Code CLI that inhouse is tested with, and check its hash
    Install(install::Arguments),
    /// Compare the newest official SDK and its CLI with what inhouse models
    Drift(drift::Arguments),
    /// List, show, fork and export sessions on disk or in a store
    Sessions(sessions::Arguments),
    /// Show the queue, the hosts and the sessions of a fleet; park, retry and cancel prompts; answer questions
    Fleet(fleet::Arguments),
    /// Print a script that completes the command in a shell
    Completions {
        /// The shell that runs the script
        shell: Shell,
    },
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    replay::play_if_started_as_cli().await;
    let result = match Arguments::parse().command {
        Command::Trace(arguments) => trace::run(arguments).await,
        Command::Replay(arguments) => replay::run(arguments).await,
        Command::Doctor(arguments) => doctor::run(arguments).await,
        Command::Install(arguments) => install::run(&arguments),
        Command::Drift(arguments) => drift::run(&arguments).await,
        Command::Sessions(arguments) => sessions::run(arguments).await,
        Command::Fleet(arguments) => fleet::run(arguments).await,
        Command::Completions { shell } => completions(shell),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error:#}", output::red("error"));
            ExitCode::FAILURE
        }
    }
}

fn completions(shell: Shell) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "inhouse", &mut script);
    stdout().write_all(&script)?;
    Ok(())
}

/// Returns whether the reader of the output, such as `head`, has closed its end.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref());
    causes.any(|error: &std::io::Error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_line_is_consistent() {
        Arguments::command().debug_assert();
    }
}
