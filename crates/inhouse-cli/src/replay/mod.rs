//! `inhouse replay`: the conversation of a recording against the program of today.
//!
//! The command runs the program with this executable in the place of the CLI, under the name `claude` in a [`Stage`]: a
//! temporary directory with the recording. The process that plays the CLI finds the stage by its own path, so it needs no variable of
//! the environment, which a program may clear for its CLI, and notes what it finds in a journal there. The SDK gives it the secrets of
//! the session in the variable [`REDACT`], because they must be in no file.

mod cli;
mod stage;
mod summary;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use inhouse::record::Recording;
use serde::Serialize;
use serde_json::Value;
use tokio::process::Command;

use self::stage::{Entry, Settings, Stage};
use self::summary::{Summary, counted};
use crate::output::{green, print_json, print_line, red};

pub(crate) use self::cli::play_if_started_as_cli;

/// The variable with the values to redact, as a JSON array. The SDK in the program adds its own to those of the command.
const REDACT: &str = "INHOUSE_REPLAY_REDACT";

/// Options of `inhouse replay`.
#[derive(clap::Args)]
#[command(after_help = "\
Runs the command with the recording in the place of the CLI: without the CLI, a model or cost. The program must say the same as in the
recording, and its tools, hooks and handlers run again, with all their effects. Without a command, the recording is only checked.

  inhouse replay trace.jsonl -- cargo run
  inhouse replay --lenient trace.jsonl -- target/debug/agent --verbose")]
pub(crate) struct Arguments {
    /// The recording, made with `Options::record`
    #[arg(value_name = "RECORDING")]
    file: PathBuf,
    /// Continue after a difference, and report all of them
    #[arg(long, requires = "command")]
    lenient: bool,
    /// Wait as long as the recorded session did
    #[arg(long, requires = "command")]
    timed: bool,
    /// End the replay if the program writes nothing for this time although it is its turn
    #[arg(
        long,
        requires = "command",
        value_name = "TIME",
        default_value = "5m",
        value_parser = humantime::parse_duration
    )]
    timeout: Duration,
    /// Redact this value in what the program says, as in the recording; can be repeated
    ///
    /// The secrets of the program's options and environment are redacted without it.
    #[arg(long, requires = "command", value_name = "VALUE")]
    redact: Vec<String>,
    /// Print JSON; the output of the program goes to stderr
    #[arg(long)]
    json: bool,
    /// The program to run, with its arguments
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// The output of `inhouse replay --json` with a command.
#[derive(Default, Serialize)]
struct Report {
    same: bool,
    differences: Vec<Value>,
    /// Whether the recording was played to its end.
    complete: bool,
    /// What the replay waits for, or why it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    sessions: usize,
    command: String,
}

pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let recording = Recording::load(&arguments.file)?;
    let summary = Summary::new(&recording);
    let Some((program, rest)) = arguments.command.split_first() else {
        return summary.print(&arguments.file, arguments.json);
    };
    let stage = Stage::create(
        &arguments.file,
        &Settings {
            is_lenient: arguments.lenient,
            is_timed: arguments.timed,
            patience: arguments.timeout,
        },
    )
    .context("the replay cannot be prepared")?;
    let mut command = Command::new(program);
    command
        .args(rest)
        .env("INHOUSE_REPLAY_CLI", stage.cli())
        .env(REDACT, Value::from(arguments.redact).to_string())
        .kill_on_drop(true);
    if arguments.json {
        command.stdout(Stdio::from(std::io::stderr()));
    }
    let status = command
        .status()
        .await
        .with_context(|| format!("cannot run {}", program.to_string_lossy()))?;
    let report = Report::new(stage.journal()?, status);
    if arguments.json {
        print_json(&report)?;
    } else {
        for difference in &report.differences {
            let text = difference["text"].as_str().unwrap_or_default();
            print_line(coloured(text))?;
        }
    }
    report.judge(status)?;
    if !arguments.json {
        print_line(format!(
            "The program said the same as in the recording: {}, {}",
            counted(summary.turns, "turn"),
            counted(summary.calls_in_host, "tool call"),
        ))?;
    }
    Ok(())
}

/// Colours the recorded and the current values of a difference.
fn coloured(difference: &str) -> String {
    let lines = difference.lines().map(|line| {
        if line.starts_with("    - ") {
            red(line)
        } else if line.starts_with("    + ") {
            green(line)
        } else {
            line.to_owned()
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

impl Report {
    fn new(journal: Vec<Entry>, status: ExitStatus) -> Self {
        let mut report = Self {
            command: status.to_string(),
            ..Self::default()
        };
        for entry in journal {
            match entry {
                Entry::Session => report.sessions += 1,
                Entry::Difference(difference) => report.differences.push(difference),
                Entry::Status(status) => report.status = Some(status),
                Entry::Complete => report.complete = true,
            }
        }
        if report.complete {
            report.status = None;
        }
        report.same = report.complete && report.differences.is_empty();
        report
    }

    /// Returns an error unless the program said the same and succeeded.
    fn judge(&self, status: ExitStatus) -> Result<()> {
        if self.sessions == 0 {
            bail!(
                "the program opened no session with the CLI ({status}), so nothing was replayed. A session over another transport \
                 (`connect_with`) is replayed by a test with `inhouse_testkit::Replay`"
            );
        }
        if !self.differences.is_empty() {
            let count = counted(self.differences.len(), "difference");
            bail!(
                "the program differs from the recording: {count}. If that is intended, record the session again"
            );
        }
        if !self.complete {
            let reason = self.status.as_deref().unwrap_or("the program ended it");
            bail!("the recording was not played to its end: {reason}");
        }
        if !status.success() {
            bail!("the program said the same as in the recording, but failed: {status}");
        }
        Ok(())
    }
}
