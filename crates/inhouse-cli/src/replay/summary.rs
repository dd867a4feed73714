use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use inhouse::message::{Message, ResultMessage, SystemMessage};
use inhouse::record::{RecordedEvent, Recording};
use serde::Serialize;
use serde_json::Value;

use crate::output::{bold, dim, print_json, print_line};

/// The content of a recording in numbers, and what is wrong with it.
#[derive(Debug, Default, Serialize)]
pub(super) struct Summary {
    inhouse: String,
    started: String,
    redacted: bool,
    cli: Option<String>,
    cli_version: Option<String>,
    seconds: f64,
    host_lines: usize,
    cli_lines: usize,
    stderr_lines: usize,
    pub(super) turns: usize,
    failed_turns: usize,
    /// Calls of all tools, by name.
    tool_calls: BTreeMap<String, usize>,
    /// Calls of tools in the process of the host.
    pub(super) calls_in_host: usize,
    cost_usd: Option<f64>,
    exit: Option<String>,
    /// Everything that a reader or a replay may stumble over.
    warnings: Vec<String>,
    /// The total cost that the last result named.
    #[serde(skip)]
    cost_so_far: f64,
}

impl Summary {
    pub(super) fn new(recording: &Recording) -> Self {
        let header = recording.header();
        let mut summary = Self {
            inhouse: header.inhouse.clone(),
            started: humantime::format_rfc3339_millis(header.started).to_string(),
            redacted: header.redacted,
            cli: header.cli.clone(),
            ..Self::default()
        };
        let last = recording.entries().last();
        summary.seconds = last.map_or(0.0, |entry| entry.time.as_secs_f64());
        // The first line and the number of lines of each kind that this version does not know.
        let mut unknown: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        let mut is_complete = false;
        for entry in recording.entries() {
            let mut note = |kind: String| unknown.entry(kind).or_insert((entry.line, 0)).1 += 1;
            match &entry.event {
                RecordedEvent::Host(_) => summary.host_lines += 1,
                RecordedEvent::Cli(line) => {
                    summary.cli_lines += 1;
                    if let Some(kind) = summary.add_line(line) {
                        note(kind);
                    }
                }
                RecordedEvent::CliText(_) => {
                    summary.cli_lines += 1;
                    note("text that is not JSON".to_owned());
                }
                RecordedEvent::Stderr(_) => summary.stderr_lines += 1,
                RecordedEvent::End(_) => is_complete = true,
                RecordedEvent::Exit(status) => {
                    is_complete = true;
                    summary.exit = Some(
                        status.map_or_else(|| "unknown".to_owned(), |status| status.to_string()),
                    );
                }
                RecordedEvent::Stopped(reason) => {
                    is_complete = true;
                    let warning =
                        format!("line {}: the recording stopped early: {reason}", entry.line);
                    summary.warnings.push(warning);
                }
                _ => note("an event of a newer version of inhouse".to_owned()),
            }
        }
        for (kind, (line, count)) in unknown {
            let count = counted(count, "line");
            summary
                .warnings
                .push(format!("{count} with {kind}, the first is line {line}"));
        }
        match recording.torn() {
            Some(torn) => summary.warnings.push(format!(
                "line {} is incomplete: the session still runs, or its host was killed",
                torn.line
            )),
            None if !is_complete => {
                let text =
                    "the recording has no end: the session still runs, or its host was killed";
                summary.warnings.push(text.to_owned());
            }
            None => {}
        }
        summary
    }

    /// Adds a line of the CLI; returns what is unknown in it.
    fn add_line(&mut self, line: &str) -> Option<String> {
        let Ok(message) = Message::decode(line.as_bytes()) else {
            return Some("JSON that is no message".to_owned());
        };
        match message {
            Message::System(SystemMessage::Init(init)) => {
                self.cli_version.clone_from(&init.claude_code_version);
            }
            Message::Assistant(message) => {
                for call in message.tool_uses() {
                    *self.tool_calls.entry(call.name.clone()).or_default() += 1;
                }
            }
            Message::Result(result) => self.add_result(&result),
            Message::Unknown(unknown) => match unknown.tag.as_str() {
                "keep_alive" | "transcript_mirror" => {}
                tag if tag.starts_with("control_") => self.add_control(line),
                tag => return Some(format!("the unknown message `{tag}`")),
            },
            _ => {}
        }
        None
    }

    fn add_control(&mut self, line: &str) {
        let line: Value = serde_json::from_str(line).unwrap_or_default();
        if line["request"]["message"]["method"] == "tools/call" {
            self.calls_in_host += 1;
        }
    }

    fn add_result(&mut self, result: &ResultMessage) {
        self.turns += 1;
        self.failed_turns += usize::from(!result.is_success());
        let Some(total) = result.total_cost_usd else {
            return;
        };
        let cost = match &result.model_usage_since_last_result {
            Some(models) => models.values().map(|usage| usage.cost_usd).sum(),
            // The total starts again after `/clear`.
            None if total < self.cost_so_far => total,
            None => total - self.cost_so_far,
        };
        self.cost_so_far = total;
        *self.cost_usd.get_or_insert_default() += cost;
    }

    /// Prints the summary of a recording.
    pub(super) fn print(&self, file: &Path, json: bool) -> Result<()> {
        if json {
            return print_json(self);
        }
        print_line(bold(file.display()))?;
        let secrets = if self.redacted { "redacted" } else { "kept" };
        let mut cli = self
            .cli
            .clone()
            .unwrap_or_else(|| "another transport".to_owned());
        if let Some(version) = &self.cli_version {
            let _ = write!(cli, " {version}");
        }
        let failed = match self.failed_turns {
            0 => String::new(),
            failed => format!(", {failed} failed"),
        };
        // A CLI that is not the real one may call tools without saying so in a message.
        let calls = self.tool_calls.values().sum::<usize>();
        let mut calls = calls.max(self.calls_in_host).to_string();
        let _ = write!(calls, ", {} in the process of the host", self.calls_in_host);
        for (name, count) in &self.tool_calls {
            let _ = write!(calls, "\n            {name} {count}");
        }
        let duration = Duration::from_millis((self.seconds * 1000.0) as u64);
        let rows = [
            (
                "recorded",
                format!(
                    "{} by inhouse {}, secrets {secrets}",
                    self.started, self.inhouse
                ),
            ),
            ("CLI", cli),
            ("duration", humantime::format_duration(duration).to_string()),
            (
                "lines",
                format!(
                    "{} of the host, {} of the CLI, {} on stderr",
                    self.host_lines, self.cli_lines, self.stderr_lines
                ),
            ),
            ("turns", format!("{}{failed}", self.turns)),
            ("tool calls", calls),
            (
                "cost",
                self.cost_usd
                    .map_or_else(|| "unknown".to_owned(), |cost| format!("${cost:.4}")),
            ),
            (
                "exit",
                self.exit.clone().unwrap_or_else(|| "unknown".to_owned()),
            ),
        ];
        for (name, value) in rows {
            print_line(format!("{} {value}", dim(format!("{name:<11}"))))?;
        }
        for warning in &self.warnings {
            print_line(format!("{} {warning}", bold("warning:")))?;
        }
        print_line(dim(format!(
            "To replay it against your program: inhouse replay {} -- cargo run",
            file.display()
        )))
    }
}

/// Returns a number with its noun.
pub(super) fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = r#"{"inhouse_recording":1,"inhouse":"0.1.0","started":"2026-11-17T09:30:00.250Z","cli":"/bin/claude","redacted":true}"#;

    fn summary(lines: &[&str]) -> Summary {
        let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
        Summary::new(&Recording::parse(&format!("{HEADER}\n{lines}")).unwrap())
    }

    #[test]
    fn turns_calls_and_cost_are_counted() {
        let call = r#"{"t":2,"cli":{"type":"control_request","request_id":"1","request":{"subtype":"mcp_message","server_name":"calc","message":{"method":"tools/call","id":1,"params":{"name":"add"}}}}}"#;
        let result = |total: f64| {
            format!(
                r#"{{"t":3,"cli":{{"type":"result","subtype":"success","is_error":false,"session_id":"s","total_cost_usd":{total}}}}}"#
            )
        };
        let summary = summary(&[
            r#"{"t":1,"host":{"type":"user"}}"#,
            call,
            r#"{"t":2,"cli":{"type":"keep_alive"}}"#,
            &result(0.25),
            &result(0.75),
            // After `/clear`.
            &result(0.25),
            r#"{"t":4000000,"exit":{"code":0}}"#,
        ]);
        assert_eq!((summary.turns, summary.calls_in_host), (3, 1));
        assert_eq!(summary.cost_usd, Some(1.0));
        assert_eq!((summary.host_lines, summary.cli_lines), (1, 5));
        assert_eq!(summary.exit.as_deref(), Some("exit code 0"));
        assert!(summary.warnings.is_empty(), "{:?}", summary.warnings);
    }

    #[test]
    fn unknown_lines_are_named_with_their_place() {
        let summary = summary(&[
            r#"{"t":1,"cli":{"type":"new_kind"}}"#,
            r#"{"t":1,"cli":{"type":"new_kind"}}"#,
            r#"{"t":1,"cli_text":"oops"}"#,
            r#"{"t":1,"later":1}"#,
            r#"{"t":2,"stopped":"storage full"}"#,
            r#"{"t":3,"ho"#,
        ]);
        let warnings = summary.warnings.join("\n");
        for expected in [
            "2 lines with the unknown message `new_kind`, the first is line 2",
            "1 line with text that is not JSON, the first is line 4",
            "an event of a newer version of inhouse, the first is line 5",
            "line 6: the recording stopped early: storage full",
            "line 7 is incomplete",
        ] {
            assert!(warnings.contains(expected), "{expected}: {warnings}");
        }
    }
}
