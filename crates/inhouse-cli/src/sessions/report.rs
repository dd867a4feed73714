//! How sessions and messages are printed.

use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result};
use inhouse::sessions::{SessionMessage, SessionMessageKind};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::file::private_file;
use crate::output::{bold, dim, one_line};

/// A message in JSON.
#[derive(Serialize)]
pub(crate) struct Message<'a> {
    kind: &'static str,
    uuid: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<String>,
    text: String,
    /// The entry of the transcript.
    entry: &'a RawValue,
}

/// An entry of an exported session.
#[derive(Serialize)]
struct Entry<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    subpath: Option<&'a str>,
    entry: &'a RawValue,
}

impl<'a> Message<'a> {
    pub(crate) fn new(message: &'a SessionMessage) -> Result<Self> {
        Ok(Self {
            kind: kind(message),
            uuid: &message.uuid,
            timestamp: message.timestamp.map(time),
            text: message.text(),
            entry: serde_json::from_str(message.raw())?,
        })
    }
}

fn kind(message: &SessionMessage) -> &'static str {
    match message.kind {
        SessionMessageKind::User => "user",
        SessionMessageKind::Assistant => "assistant",
        SessionMessageKind::System => "system",
        _ => "other",
    }
}

/// Prints a message for reading: who said it, when, and its text.
pub(crate) fn print_message(message: &SessionMessage) -> Result<()> {
    let text = message.text();
    if text.trim().is_empty() {
        return Ok(());
    }
    let when = message.timestamp.map(time).unwrap_or_default();
    let mut stdout = anstream::stdout();
    writeln!(
        stdout,
        "\n{} {}",
        bold(kind(message)),
        dim(format!("{when}  {}", one_line(&message.uuid, 60)))
    )?;
    for line in text.lines() {
        // Control characters of a stored text must not reach the terminal.
        let line: String = line
            .chars()
            .filter(|character| !character.is_control() || *character == '\t')
            .collect();
        writeln!(stdout, "{line}")?;
    }
    Ok(())
}

/// Writes the entries of a session, one per line.
pub(crate) struct EntryWriter(Box<dyn Write>);

impl EntryWriter {
    /// Creates the file, or writes to standard output.
    pub(crate) fn new(output: Option<&Path>) -> Result<Self> {
        let writer: Box<dyn Write> = match output {
            None => Box::new(BufWriter::new(std::io::stdout())),
            Some(path) => {
                let file = private_file(path);
                let file = file.with_context(|| format!("cannot write {}", path.display()))?;
                Box::new(BufWriter::new(file))
            }
        };
        Ok(Self(writer))
    }

    pub(crate) fn write(&mut self, subpath: Option<&str>, line: &str) -> Result<()> {
        let entry = serde_json::from_str(line)?;
        // As an I/O error, so that a closed pipe is recognized.
        serde_json::to_writer(&mut self.0, &Entry { subpath, entry })
            .map_err(std::io::Error::from)?;
        self.0.write_all(b"\n")?;
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<()> {
        self.0.flush().map_err(Into::into)
    }
}

/// Formats a time in UTC, with seconds.
pub(crate) fn time(time: SystemTime) -> String {
    humantime::format_rfc3339_seconds(time).to_string()
}

/// Formats how long ago a time was, with one unit.
pub(crate) fn ago(time: SystemTime) -> String {
    let elapsed = SystemTime::now()
        .duration_since(time)
        .unwrap_or(Duration::ZERO);
    let seconds = elapsed.as_secs();
    match seconds {
        0..60 => "now".to_owned(),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..86_400 => format!("{} h ago", seconds / 3600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}

/// Formats a summary for a table.
pub(crate) fn summary(text: &str) -> String {
    one_line(text, 60)
}
