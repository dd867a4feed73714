//! The CLI's side of a recording, as a state machine without I/O.

use std::{collections::HashMap, time::Duration};

use inhouse::{
    ExitStatus,
    record::{Entry, RecordedEvent, Recording, Secrets, Side},
};
use serde_json::{Value, json};

use super::difference::{Difference, REDACTED, compare, is_redacted};

/// The state of a playback.
///
/// A line of the CLI is sent once the host has written all lines that precede it in the recording, in any order.
#[derive(Debug)]
pub(super) struct Playback {
    steps: Vec<Step>,
    position: usize,
    host_ended: bool,
    is_lenient: bool,
    /// Redacts the lines of the host as the recorded ones; `None` if the recording keeps secrets.
    secrets: Option<Secrets>,
    exit: Option<ExitStatus>,
    /// Maps the recorded ids of the host's requests to the current ones.
    request_ids: HashMap<String, String>,
    /// Pairs of recorded and current ids of the host's prompts.
    prompt_ids: Vec<(String, String)>,
    /// The requests of the CLI that were sent, by their ids.
    asked: HashMap<String, Value>,
}

#[derive(Debug)]
struct Step {
    line: usize,
    time: Duration,
    play: Play,
}

#[derive(Debug)]
enum Play {
    Send(String),
    Expect {
        line: HostLine,
        value: Value,
        received: bool,
    },
    ExpectEnd,
    End,
    /// The recording ends here, before the session did.
    Cut(String),
}

/// The next action of the player.
#[derive(Debug, PartialEq)]
pub(super) enum Next {
    /// Write this line, at this time of the recording.
    Send { line: String, time: Duration },
    /// Wait until the host writes this.
    Await(String),
    /// Close the stream, after everything was played.
    End,
    /// Close the stream for this reason.
    Fail(String),
    /// Close the stream, because the host has closed its own too early.
    Differ(Difference),
}

/// The effect of a line of the host.
#[derive(Debug, PartialEq)]
pub(super) enum Received {
    /// The line is as recorded, or one that a CLI does not wait for.
    Same,
    /// The line differs, and the replay continues; the line gets this answer.
    Continue(Difference, Option<String>),
    /// The line differs, and the replay ends.
    End(Difference),
}

impl Playback {
    pub(super) fn new(recording: &Recording, secrets: Secrets, is_lenient: bool) -> Self {
        let mut steps: Vec<Step> = recording.entries().iter().filter_map(step_of).collect();
        if let Some(torn) = recording.torn() {
            steps.push(Step {
                line: torn.line,
                time: Duration::ZERO,
                play: Play::Cut("its last line is incomplete".to_owned()),
            });
        }
        let exit = recording
            .entries()
            .iter()
            .find_map(|entry| match entry.event {
                RecordedEvent::Exit(status) => status,
                _ => None,
            });
        Self {
            steps,
            position: 0,
            host_ended: false,
            is_lenient,
            secrets: recording.header().redacted.then_some(secrets),
            exit,
            request_ids: HashMap::new(),
            prompt_ids: Vec::new(),
            asked: HashMap::new(),
        }
    }

    /// Returns the recorded exit status of the CLI.
    pub(super) fn exit(&self) -> Option<ExitStatus> {
        self.exit
    }

    /// Returns the time of the next line in the recording.
    pub(super) fn time(&self) -> Duration {
        let step = self.steps.get(self.position).or(self.steps.last());
        step.map_or(Duration::ZERO, |step| step.time)
    }

    /// Returns whether every line was sent and received.
    pub(super) fn is_at_end(&self) -> bool {
        let rest = &self.steps[self.position..];
        rest.iter().all(|step| match step.play {
            Play::Expect { received, .. } => received,
            Play::End => true,
            Play::Send(_) | Play::ExpectEnd | Play::Cut(_) => false,
        })
    }

    pub(super) fn next(&mut self) -> Next {
        while let Some(step) = self.steps.get(self.position) {
            match &step.play {
                Play::Send(line) => {
                    let (number, time) = (step.line, step.time);
                    let line = self.with_current_ids(line);
                    if let Some(reason) = self.note_request(&line) {
                        return Next::Fail(format!("line {number} of the recording {reason}"));
                    }
                    self.position += 1;
                    return Next::Send { line, time };
                }
                Play::Expect { received: true, .. } => self.position += 1,
                Play::ExpectEnd if self.host_ended => self.position += 1,
                Play::End => return Next::End,
                Play::Cut(reason) => {
                    return Next::Fail(format!(
                        "the recording ends before the session, at line {}: {reason}",
                        step.line
                    ));
                }
                // A host that has closed its side writes nothing more.
                Play::Expect { line, .. } if self.host_ended => {
                    return Next::Differ(Difference {
                        line: Some(step.line),
                        time: step.time,
                        what: format!("the host ended before it wrote {}", self.describe(line)),
                        arguments: None,
                        changes: Vec::new(),
                    });
                }
                Play::Expect { line, .. } => {
                    let awaited = self.describe(line);
                    return Next::Await(format!("{awaited} (line {} of the recording)", step.line));
                }
                Play::ExpectEnd => {
                    let end = format!("the end of its input (line {} of the recording)", step.line);
                    return Next::Await(end);
                }
            }
        }
        if self.host_ended {
            Next::End
        } else {
            Next::Await("the end of its input, which is the end of the recording".to_owned())
        }
    }

    /// Compares a line of the host with the recorded one.
    pub(super) fn receive(&mut self, line: &str) -> Received {
        // Ids are read from the line as it is.
        let host_line = HostLine::read(&serde_json::from_str(line).unwrap_or_default());
        if matches!(host_line, HostLine::Other) {
            return Received::Same;
        }
        let mut unplayed = self.steps[self.position..].iter_mut();
        let found = unplayed.find_map(|step| match &mut step.play {
            Play::Expect {
                line,
                value,
                received: received @ false,
            } if host_line.matches(line) => {
                *received = true;
                Some((step.line, step.time, line.clone(), value.clone()))
            }
            _ => None,
        });
        let now = match &self.secrets {
            Some(secrets) => secrets.redact_line(line),
            None => line.into(),
        };
        let now: Value = serde_json::from_str(&now).unwrap_or_default();
        let Some((number, time, recorded_line, recorded)) = found else {
            return self.unrecorded(&host_line, now);
        };
        self.note_ids(&host_line, &recorded_line);
        let changes = compare(&without_ids(recorded), &without_ids(now));
        if changes.is_empty() {
            return Received::Same;
        }
        let difference = Difference {
            line: Some(number),
            time,
            what: self.describe(&recorded_line),
            arguments: self.arguments(&recorded_line),
            changes,
        };
        match self.is_lenient {
            true => Received::Continue(difference, None),
            false => Received::End(difference),
        }
    }

    pub(super) fn receive_end(&mut self) {
        self.host_ended = true;
    }

    fn unrecorded(&self, line: &HostLine, now: Value) -> Received {
        let difference = Difference {
            line: None,
            time: Duration::ZERO,
            what: self.describe(line),
            arguments: None,
            changes: compare(&json!({}), &without_ids(now)),
        };
        match line {
            HostLine::Request { id, subtype } if self.is_lenient => {
                Received::Continue(difference, Some(refusal(id, subtype)))
            }
            HostLine::Answer { .. } if self.is_lenient => Received::Continue(difference, None),
            _ => Received::End(difference),
        }
    }

    fn note_ids(&mut self, now: &HostLine, recorded: &HostLine) {
        match (now, recorded) {
            (HostLine::Request { id: now, .. }, HostLine::Request { id: then, .. }) => {
                self.request_ids.insert(then.clone(), now.clone());
            }
            (HostLine::Prompt { uuid: Some(now) }, HostLine::Prompt { uuid: Some(then) }) => {
                self.prompt_ids.push((then.clone(), now.clone()));
            }
            _ => {}
        }
    }

    /// Notes a request of the CLI that is sent; returns why it must not be.
    fn note_request(&mut self, line: &str) -> Option<String> {
        let Ok(line) = serde_json::from_str::<Value>(line) else {
            // Such as one with a lone surrogate, which the host accepts.
            let text = "cannot be read, and a part of it was redacted; it is not sent";
            return line.contains(REDACTED).then(|| text.to_owned());
        };
        if line["type"] != "control_request" {
            return None;
        }
        let id = line["request_id"].as_str()?.to_owned();
        let call = tool_call(&line["request"])
            .filter(|call| is_redacted(call.arguments))
            .map(|call| {
                format!(
                    "calls the tool `{}` of the server `{}` with arguments of which a part was redacted; \
                     a tool is not run on them. Record again without secrets in the arguments",
                    call.tool, call.server
                )
            });
        self.asked.insert(id, line["request"].clone());
        call
    }

    fn with_current_ids(&self, line: &str) -> String {
        let mut line = line.to_owned();
        for (then, now) in &self.prompt_ids {
            line = line.replace(then, now);
        }
        let Ok(mut value) = serde_json::from_str::<Value>(&line) else {
            return line;
        };
        // The id of a request of the CLI was chosen by the CLI.
        let id = match value["type"].as_str() {
            Some("control_response") => value.pointer_mut("/response/request_id"),
            Some("control_request" | "control_cancel_request") => None,
            _ => value.pointer_mut("/request_id"),
        };
        let Some(id) = id else { return line };
        match id.as_str().and_then(|then| self.request_ids.get(then)) {
            Some(now) if id != now => {
                *id = now.as_str().into();
                value.to_string()
            }
            _ => line,
        }
    }

    fn describe(&self, line: &HostLine) -> String {
        match line {
            HostLine::Prompt { .. } => "a prompt".to_owned(),
            HostLine::Request { subtype, .. } => format!("the request `{subtype}`"),
            HostLine::Answer { id } => match self.asked.get(id) {
                Some(request) => describe_answer(request),
                None => format!("the answer to the request {id}"),
            },
            HostLine::Other => "a line".to_owned(),
        }
    }

    fn arguments(&self, line: &HostLine) -> Option<Value> {
        let HostLine::Answer { id } = line else {
            return None;
        };
        let request = self.asked.get(id)?;
        tool_call(request).map(|call| call.arguments.clone())
    }
}

/// A call of a tool in the host's process.
struct ToolCall<'a> {
    server: &'a str,
    tool: &'a str,
    arguments: &'a Value,
}

/// Returns the tool call of a request of the CLI.
fn tool_call(request: &Value) -> Option<ToolCall<'_>> {
    let message = &request["message"];
    (message["method"] == "tools/call").then(|| ToolCall {
        server: request["server_name"].as_str().unwrap_or_default(),
        tool: message["params"]["name"].as_str().unwrap_or_default(),
        arguments: &message["params"]["arguments"],
    })
}

fn describe_answer(request: &Value) -> String {
    if let Some(call) = tool_call(request) {
        return format!(
            "the result of the tool `{}` of the server `{}`",
            call.tool, call.server
        );
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match request["subtype"].as_str().unwrap_or_default() {
        "can_use_tool" => format!(
            "the decision about the tool `{}`",
            text(&request["tool_name"])
        ),
        "hook_callback" => format!(
            "the answer of the hook for `{}`",
            text(&request["input"]["hook_event_name"])
        ),
        "mcp_message" => format!(
            "the answer of the MCP server `{}` to `{}`",
            text(&request["server_name"]),
            text(&request["message"]["method"])
        ),
        subtype => format!("the answer to the request `{subtype}`"),
    }
}

fn refusal(id: &str, subtype: &str) -> String {
    let error = format!("the recording has no more requests `{subtype}`");
    json!({
        "type": "control_response",
        "response": { "subtype": "error", "request_id": id, "error": error },
    })
    .to_string()
}

/// Removes the ids that the host chooses, which differ between runs.
fn without_ids(mut line: Value) -> Value {
    if let Some(members) = line.as_object_mut() {
        for name in ["request_id", "uuid", "session_id"] {
            members.remove(name);
        }
    }
    line
}

fn step_of(entry: &Entry) -> Option<Step> {
    let play = match &entry.event {
        RecordedEvent::Cli(line) | RecordedEvent::CliText(line) => Play::Send(line.clone()),
        RecordedEvent::Host(line) => {
            let value: Value = serde_json::from_str(line).unwrap_or_default();
            match HostLine::read(&value) {
                HostLine::Other => return None,
                line => Play::Expect {
                    line,
                    value,
                    received: false,
                },
            }
        }
        RecordedEvent::End(Side::Host) => Play::ExpectEnd,
        RecordedEvent::End(Side::Cli) => Play::End,
        RecordedEvent::Stopped(reason) => Play::Cut(reason.clone()),
        _ => return None,
    };
    Some(Step {
        line: entry.line,
        time: entry.time,
        play,
    })
}

/// A line of the host, as far as it identifies the line in a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
enum HostLine {
    Prompt {
        uuid: Option<String>,
    },
    Request {
        id: String,
        subtype: String,
    },
    Answer {
        id: String,
    },
    /// A line that a CLI does not wait for: cancels, keep-alives, unknown types.
    Other,
}

impl HostLine {
    fn read(line: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match line["type"].as_str() {
            Some("user") => Self::Prompt {
                uuid: line["uuid"].as_str().map(str::to_owned),
            },
            Some("control_request") => Self::Request {
                id: text(&line["request_id"]),
                subtype: text(&line["request"]["subtype"]),
            },
            Some("control_response") => Self::Answer {
                id: text(&line["response"]["request_id"]),
            },
            _ => Self::Other,
        }
    }

    /// Returns whether this line corresponds to a recorded one; ids of the host differ between runs.
    fn matches(&self, recorded: &Self) -> bool {
        match (self, recorded) {
            (Self::Prompt { .. }, Self::Prompt { .. }) => true,
            (Self::Request { subtype: one, .. }, Self::Request { subtype: other, .. }) => {
                one == other
            }
            // The id was chosen by the CLI and is played back unchanged.
            (Self::Answer { id: one }, Self::Answer { id: other }) => one == other,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests;
