use std::fmt;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{FORMAT_VERSION, Side};
use crate::process::ExitStatus;

/// A recording that was read; see the [module](super) for its file.
///
/// ```
/// use std::time::Duration;
///
/// use inhouse::record::{RecordedEvent, Recording, Side};
///
/// let recording = Recording::parse(concat!(
///     r#"{"inhouse_recording":1,"inhouse":"0.1.0","started":"2026-11-17T09:30:00.250Z","redacted":true}"#, "\n",
///     r#"{"t":1200,"host":{"type":"user"}}"#, "\n",
///     r#"{"t":1900,"end":"cli"}"#, "\n",
///     r#"{"t":19"#,
/// ))?;
/// let [prompt, end] = recording.entries() else { panic!("two events are complete") };
/// assert_eq!(prompt.event, RecordedEvent::Host(r#"{"type":"user"}"#.to_owned()));
/// assert_eq!((end.line, end.time), (3, Duration::from_micros(1900)));
/// assert_eq!(recording.torn().map(|torn| torn.line), Some(4));
/// # Ok::<(), inhouse::record::RecordingError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    header: Header,
    entries: Vec<Entry>,
    torn: Option<TornLine>,
}

/// The first line of a recording.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Header {
    /// The version of `inhouse` that recorded the session.
    pub inhouse: String,
    /// The time at which the session began; the times of events are relative to it.
    pub started: SystemTime,
    /// The path of the CLI; `None` with a custom transport.
    pub cli: Option<String>,
    /// Whether secrets were redacted.
    pub redacted: bool,
}

/// An event of a recording, with its place in the file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Entry {
    /// The number of the line in the file; the header is line 1.
    pub line: usize,
    /// The time since the session began.
    pub time: Duration,
    /// The event that was recorded.
    pub event: RecordedEvent,
}

/// An event of a recorded session.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RecordedEvent {
    /// The host wrote this line of JSON text.
    Host(String),
    /// The CLI wrote this line of JSON text. [`Message::decode`](crate::message::Message::decode) decodes messages.
    Cli(String),
    /// The CLI wrote this line, which is not JSON.
    CliText(String),
    /// The CLI wrote this line to stderr.
    Stderr(String),
    /// A side closed its stream: the host the CLI's stdin, or the CLI its stdout.
    End(Side),
    /// The CLI exited; `None` if its status is unknown.
    Exit(Option<ExitStatus>),
    /// The recording ended early, for this reason.
    Stopped(String),
    /// A newer version of `inhouse` recorded this line.
    Unknown(String),
}

/// An incomplete last line, as a process that was killed leaves it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TornLine {
    /// The number of the line in the file.
    pub line: usize,
    /// The part of the line that was written.
    pub text: String,
}

/// A file that is not a recording.
#[derive(Debug)]
pub struct RecordingError {
    text: String,
    source: Option<std::io::Error>,
}

impl Recording {
    /// Reads a recording from a file.
    ///
    /// # Errors
    /// If the file cannot be read, has no header, has a newer version, or has a line in its middle that is not an event.
    ///
    /// ```
    /// use inhouse::record::Recording;
    ///
    /// let error = Recording::load("no/such.jsonl").unwrap_err();
    /// assert!(error.to_string().contains("no/such.jsonl"));
    /// ```
    pub fn load(path: impl AsRef<Path>) -> Result<Self, RecordingError> {
        let path = path.as_ref();
        let bytes = fs::read(path).map_err(|source| RecordingError {
            text: format!("the recording {} cannot be read", path.display()),
            source: Some(source),
        })?;
        Self::parse(&String::from_utf8_lossy(&bytes)).map_err(|error| RecordingError {
            text: format!("{}: {}", path.display(), error.text),
            source: error.source,
        })
    }

    /// Reads a recording from the text of its file.
    ///
    /// A last line that is incomplete is not an error: see [`torn`](Self::torn).
    ///
    /// # Errors
    /// If the text has no header, has a newer version, or has a line in its middle that is not an event.
    ///
    /// ```
    /// use inhouse::record::Recording;
    ///
    /// let error = Recording::parse("{\"type\":\"user\"}\n").unwrap_err();
    /// assert!(error.to_string().contains("header"));
    /// ```
    pub fn parse(text: &str) -> Result<Self, RecordingError> {
        let mut lines = text.split_inclusive('\n').zip(1..);
        let header = lines.next().map_or("", |(line, _)| line);
        let header = HeaderLine::read(header)?;
        let mut entries = Vec::new();
        let mut torn = None;
        let mut lines = lines.peekable();
        while let Some((text, line)) = lines.next() {
            let is_last = lines.peek().is_none();
            let entry = text
                .strip_suffix('\n')
                .ok_or_else(|| "it has no line feed".to_owned())
                .and_then(|text| EventLine::read(text, line));
            match entry {
                Ok(entry) => entries.push(entry),
                Err(_) if is_last => {
                    let text = text.to_owned();
                    torn = Some(TornLine { line, text });
                }
                Err(reason) => {
                    return Err(RecordingError::new(format!(
                        "line {line} is not an event of a recording: {reason}"
                    )));
                }
            }
        }
        Ok(Self {
            header,
            entries,
            torn,
        })
    }

    /// Returns the header: versions, and when the session began.
    ///
    /// ```
    /// use inhouse::record::Recording;
    ///
    /// let header = r#"{"inhouse_recording":1,"inhouse":"0.1.0","started":"2026-11-17T09:30:00.250Z"}"#;
    /// let recording = Recording::parse(header)?;
    /// assert_eq!(recording.header().inhouse, "0.1.0");
    /// # Ok::<(), inhouse::record::RecordingError>(())
    /// ```
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns all events, in order.
    ///
    /// ```
    /// use inhouse::record::{RecordedEvent, Recording};
    ///
    /// let header = r#"{"inhouse_recording":1,"inhouse":"0.1.0","started":"2026-11-17T09:30:00.250Z"}"#;
    /// let recording = Recording::parse(&format!("{header}\n{{\"t\":5,\"stderr\":\"warning\"}}\n"))?;
    /// assert_eq!(recording.entries()[0].event, RecordedEvent::Stderr("warning".to_owned()));
    /// # Ok::<(), inhouse::record::RecordingError>(())
    /// ```
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the last line if it is incomplete. It is not in [`entries`](Self::entries).
    ///
    /// ```
    /// use inhouse::record::Recording;
    ///
    /// let header = r#"{"inhouse_recording":1,"inhouse":"0.1.0","started":"2026-11-17T09:30:00.250Z"}"#;
    /// let recording = Recording::parse(&format!("{header}\n{{\"t\":5,\"std"))?;
    /// assert_eq!(recording.torn().map(|torn| torn.line), Some(2));
    /// # Ok::<(), inhouse::record::RecordingError>(())
    /// ```
    #[must_use]
    pub fn torn(&self) -> Option<&TornLine> {
        self.torn.as_ref()
    }
}

#[derive(Deserialize)]
struct HeaderLine {
    inhouse_recording: u32,
    #[serde(default)]
    inhouse: String,
    started: String,
    cli: Option<String>,
    #[serde(default)]
    redacted: bool,
}

impl HeaderLine {
    fn read(line: &str) -> Result<Header, RecordingError> {
        let header: Self = serde_json::from_str(line).map_err(|_| {
            RecordingError::new(
                "this is not a recording: its first line is not the header \
                 `{\"inhouse_recording\":…}`; record a session with `Options::record`",
            )
        })?;
        if header.inhouse_recording > FORMAT_VERSION {
            return Err(RecordingError::new(format!(
                "the recording has version {}, and this version of inhouse reads up to {FORMAT_VERSION}; update inhouse",
                header.inhouse_recording
            )));
        }
        let started = humantime::parse_rfc3339(&header.started).map_err(|_| {
            RecordingError::new(format!("`started` is not a time: {}", header.started))
        })?;
        Ok(Header {
            inhouse: header.inhouse,
            started,
            cli: header.cli,
            redacted: header.redacted,
        })
    }
}

#[derive(Deserialize)]
struct EventLine<'a> {
    t: u64,
    #[serde(borrow)]
    host: Option<&'a RawValue>,
    #[serde(borrow)]
    cli: Option<&'a RawValue>,
    cli_text: Option<String>,
    stderr: Option<String>,
    end: Option<EndedSide>,
    exit: Option<Exit>,
    stopped: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum EndedSide {
    Host,
    Cli,
}

#[derive(Deserialize)]
struct Exit {
    code: Option<i32>,
    signal: Option<i32>,
}

impl<'a> EventLine<'a> {
    fn read(text: &'a str, line: usize) -> Result<Entry, String> {
        match serde_json::from_str::<Self>(text) {
            Ok(event) => Ok(Entry {
                line,
                time: Duration::from_micros(event.t),
                event: event.into_event(text),
            }),
            Err(error) => damaged_cli_line(text, line).ok_or_else(|| error.to_string()),
        }
    }

    fn into_event(self, text: &str) -> RecordedEvent {
        if let Some(line) = self.host {
            RecordedEvent::Host(line.get().to_owned())
        } else if let Some(line) = self.cli {
            RecordedEvent::Cli(line.get().to_owned())
        } else if let Some(line) = self.cli_text {
            RecordedEvent::CliText(line)
        } else if let Some(line) = self.stderr {
            RecordedEvent::Stderr(line)
        } else if let Some(end) = self.end {
            RecordedEvent::End(match end {
                EndedSide::Host => Side::Host,
                EndedSide::Cli => Side::Cli,
            })
        } else if let Some(exit) = self.exit {
            let code = exit.code.map(ExitStatus::with_code);
            RecordedEvent::Exit(code.or(exit.signal.map(ExitStatus::with_signal)))
        } else if let Some(reason) = self.stopped {
            RecordedEvent::Stopped(reason)
        } else {
            RecordedEvent::Unknown(text.to_owned())
        }
    }
}

/// Reads a line of the CLI that is not JSON, although it begins and ends like it: requests are recorded unchecked.
fn damaged_cli_line(text: &str, line: usize) -> Option<Entry> {
    let (time, rest) = text.strip_prefix("{\"t\":")?.split_once(',')?;
    let damaged = rest.strip_prefix("\"cli\":")?.strip_suffix("}}")?;
    Some(Entry {
        line,
        time: Duration::from_micros(time.parse().ok()?),
        event: RecordedEvent::CliText(format!("{damaged}}}")),
    })
}

impl RecordingError {
    fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            source: None,
        }
    }
}

impl fmt::Display for RecordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for RecordingError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = r#"{"inhouse_recording":1,"inhouse":"0.1.0","started":"2026-11-17T09:30:00.250Z","cli":"/bin/claude","redacted":true,"later":1}"#;

    fn parse(lines: &[&str]) -> Result<Recording, RecordingError> {
        let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
        Recording::parse(&format!("{HEADER}\n{lines}"))
    }

    #[test]
    fn every_event_is_read() {
        let recording = parse(&[
            r#"{"t":1,"host":{"a": 1}}"#,
            r#"{"t":2,"cli":{"b":[]}}"#,
            r#"{"t":3,"cli_text":"c"}"#,
            r#"{"t":4,"stderr":"d"}"#,
            r#"{"t":5,"end":"host"}"#,
            r#"{"t":6,"end":"cli"}"#,
            r#"{"t":7,"exit":{"code":0}}"#,
            r#"{"t":8,"exit":{"signal":9}}"#,
            r#"{"t":9,"exit":{}}"#,
            r#"{"t":10,"stopped":"e"}"#,
            r#"{"t":11,"new":1}"#,
        ])
        .unwrap();
        let events: Vec<RecordedEvent> = recording
            .entries()
            .iter()
            .map(|entry| entry.event.clone())
            .collect();
        let text = str::to_owned;
        let expected = [
            RecordedEvent::Host(text(r#"{"a": 1}"#)),
            RecordedEvent::Cli(text(r#"{"b":[]}"#)),
            RecordedEvent::CliText(text("c")),
            RecordedEvent::Stderr(text("d")),
            RecordedEvent::End(Side::Host),
            RecordedEvent::End(Side::Cli),
            RecordedEvent::Exit(Some(ExitStatus::with_code(0))),
            RecordedEvent::Exit(Some(ExitStatus::with_signal(9))),
            RecordedEvent::Exit(None),
            RecordedEvent::Stopped(text("e")),
            RecordedEvent::Unknown(text(r#"{"t":11,"new":1}"#)),
        ];
        assert_eq!(events, expected);
        assert_eq!(recording.header().cli.as_deref(), Some("/bin/claude"));
    }

    #[test]
    fn damaged_line_of_the_cli_is_text() {
        let recording = parse(&[
            r#"{"t":1,"cli":{"type":"control_request",x}}"#,
            "{\"t\":2,\"end\":\"cli\"}",
        ]);
        let event = recording.unwrap().entries()[0].event.clone();
        assert_eq!(
            event,
            RecordedEvent::CliText(r#"{"type":"control_request",x}"#.to_owned())
        );
    }

    #[test]
    fn line_that_is_no_event_is_an_error_except_at_the_end() {
        let error = parse(&["{}", "{\"t\":2,\"end\":\"cli\"}"]).unwrap_err();
        assert!(error.to_string().contains("line 2"), "{error}");
        let torn = parse(&["{\"t\":2,\"end\":\"cli\"}", "{}"]).unwrap();
        assert_eq!(torn.torn().map(|torn| torn.line), Some(3));
    }

    #[test]
    fn newer_version_is_an_error() {
        let header = HEADER.replace("\"inhouse_recording\":1", "\"inhouse_recording\":2");
        let error = Recording::parse(&header).unwrap_err();
        assert!(error.to_string().contains("version 2"), "{error}");
        assert!(Recording::parse("").is_err());
    }
}
