//! The process that plays the CLI.

use std::convert::Infallible;

use anstream::eprintln;
use anyhow::Result;
use inhouse_testkit::Replay;
use inhouse_testkit::fake::end_process;
use inhouse_testkit::replay::{Difference, ReplayProgress};
use serde_json::{Value, json};

use super::REDACT;
use super::stage::{Entry, Stage};

/// Plays the CLI and ends the process, if `inhouse replay` has made a program start this executable as its CLI.
pub(crate) async fn play_if_started_as_cli() {
    let Some(stage) = Stage::of_this_process() else {
        return;
    };
    let Err(error) = play(&stage).await;
    eprintln!("inhouse replay: {error:#}");
    std::process::exit(1)
}

async fn play(stage: &Stage) -> Result<Infallible> {
    let mut journal = stage.open_journal()?;
    journal.add(&Entry::Session)?;
    if !stage.claim()? {
        let text = "not in the recording: another session. A recording has one";
        journal.add(&Entry::Difference(
            json!({ "what": "another session", "text": text }),
        ))?;
        anyhow::bail!(text);
    }
    let settings = stage.settings()?;
    let replay = Replay::load(stage.recording())?;
    let mut replay = to_redact()?.into_iter().fold(replay, Replay::redact);
    if settings.is_lenient {
        replay = replay.lenient();
    }
    if settings.is_timed {
        replay = replay.timed();
    }
    let report = replay.report();
    let mut written = Ok(());
    let mut reason = String::new();
    let note = |progress: ReplayProgress<'_>| {
        let entry = match progress {
            ReplayProgress::Difference(difference) => Entry::Difference(to_json(difference)),
            ReplayProgress::Status(status) => {
                status.clone_into(&mut reason);
                Entry::Status(status.to_owned())
            }
            ReplayProgress::Complete => Entry::Complete,
        };
        if written.is_ok() {
            written = journal.add(&entry);
        }
    };
    let (stdin, stdout) = (tokio::io::stdin(), tokio::io::stdout());
    let status = replay.play_on(stdin, stdout, settings.patience, note).await;
    written?;
    if let Some(status) = status? {
        end_process(status);
    }
    if report.is_complete() {
        std::process::exit(0);
    }
    // The error of the session has the end of stderr.
    anyhow::bail!(reason)
}

/// Returns the values to redact, which the program gives this process.
fn to_redact() -> Result<Vec<String>> {
    match std::env::var(REDACT) {
        // Without the text of the variable, which is secret.
        Ok(values) => serde_json::from_str(&values)
            .map_err(|_| anyhow::anyhow!("the variable {REDACT} is no JSON array of texts")),
        // An older version of the SDK.
        Err(_) => Ok(Vec::new()),
    }
}

fn to_json(difference: &Difference) -> Value {
    let changes = difference.changes.iter().map(|change| {
        let mut value = json!({ "path": change.path });
        for (name, side) in [("recorded", &change.recorded), ("now", &change.now)] {
            if let Some(side) = side {
                value[name] = side.clone();
            }
        }
        value
    });
    json!({
        "line": difference.line,
        "seconds": difference.time.as_secs_f64(),
        "what": difference.what,
        "arguments": difference.arguments,
        "changes": changes.collect::<Vec<_>>(),
        "text": difference.to_string(),
    })
}
