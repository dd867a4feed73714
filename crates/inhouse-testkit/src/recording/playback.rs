//! The CLI of a recording, as a state machine without I/O.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{
    host_line::HostLine,
    tape::{Side, Step, Tape},
};

/// Where a playback stands.
///
/// A line of the CLI is held back until the host has written everything that it had written before that line in the
/// recording, in whatever order.
#[derive(Debug)]
pub(super) struct Playback {
    steps: Vec<Play>,
    position: usize,
    host_ended: bool,
    /// The ids of the host's requests, from those of the recording to those of now.
    request_ids: HashMap<String, String>,
    /// The same for the ids of its prompts, in pairs.
    prompt_ids: Vec<(String, String)>,
}

#[derive(Debug)]
enum Play {
    Say(String),
    Hear { line: HostLine, heard: bool },
    HearEnd,
    End,
}

/// What is to be done next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Write this line.
    Say(String),
    /// Wait for the host, which owes this.
    Await(String),
    /// Close the stream.
    End,
}

/// What a line of the host means.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// It is in the recording, or does not matter.
    Fine,
    /// It is a request that the recording has no answer to; this is one.
    Unknown { answer: String },
    /// The conversation has taken another course than the recorded one.
    Astray(String),
}

impl Playback {
    pub(super) fn new(tape: &Tape) -> Self {
        let steps = tape.steps().iter().filter_map(|step| match step {
            Step::Line {
                by: Side::Cli,
                line,
            } => Some(Play::Say(line.clone())),
            Step::Line {
                by: Side::Host,
                line,
            } => match HostLine::read(line) {
                HostLine::Aside => None,
                line => Some(Play::Hear { line, heard: false }),
            },
            Step::End(Side::Host) => Some(Play::HearEnd),
            Step::End(Side::Cli) => Some(Play::End),
        });
        Self {
            steps: steps.collect(),
            position: 0,
            host_ended: false,
            request_ids: HashMap::new(),
            prompt_ids: Vec::new(),
        }
    }

    pub(super) fn next(&mut self) -> Next {
        while let Some(step) = self.steps.get(self.position) {
            match step {
                Play::Say(line) => {
                    let line = self.with_ids_of_now(line);
                    self.position += 1;
                    return Next::Say(line);
                }
                Play::Hear { heard: true, .. } => self.position += 1,
                Play::HearEnd if self.host_ended => self.position += 1,
                Play::End => return Next::End,
                // A host that has closed its side will not write what it owes.
                Play::Hear { .. } if self.host_ended => return Next::End,
                Play::Hear { line, .. } => return Next::Await(describe(line)),
                Play::HearEnd => return Next::Await("the end of its input".to_owned()),
            }
        }
        if self.host_ended {
            Next::End
        } else {
            Next::Await("the end of its input, since the recording is over".to_owned())
        }
    }

    pub(super) fn hear(&mut self, line: &str) -> Heard {
        let line = HostLine::read(line);
        let recorded = self.steps.iter_mut().find_map(|step| match step {
            Play::Hear {
                line: recorded,
                heard: heard @ false,
            } if line.stands_for(recorded) => {
                *heard = true;
                Some(&*recorded)
            }
            _ => None,
        });
        match (line, recorded) {
            (HostLine::Request { id: now, .. }, Some(HostLine::Request { id: then, .. })) => {
                self.request_ids.insert(then.clone(), now);
            }
            (HostLine::Prompt { uuid: Some(now) }, Some(HostLine::Prompt { uuid: Some(then) })) => {
                self.prompt_ids.push((then.clone(), now));
            }
            (HostLine::Request { id, subtype }, None) => {
                return Heard::Unknown {
                    answer: refusal(&id, &subtype),
                };
            }
            (line @ HostLine::Prompt { .. }, None) => {
                return Heard::Astray(format!(
                    "the host wrote {}, of which the recording has no more",
                    describe(&line)
                ));
            }
            _ => {}
        }
        Heard::Fine
    }

    pub(super) fn hear_end(&mut self) {
        self.host_ended = true;
    }

    fn with_ids_of_now(&self, line: &str) -> String {
        let mut line = line.to_owned();
        for (then, now) in &self.prompt_ids {
            line = line.replace(then, now);
        }
        let Ok(mut value) = serde_json::from_str::<Value>(&line) else {
            return line;
        };
        // In a request of the CLI the id is its own.
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
}

fn describe(line: &HostLine) -> String {
    match line {
        HostLine::Prompt { .. } => "a prompt".to_owned(),
        HostLine::Request { subtype, .. } => format!("a request `{subtype}`"),
        HostLine::Answer { id } => format!("the answer to the request {id}"),
        HostLine::Aside => "a line".to_owned(),
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

#[cfg(test)]
#[path = "playback_tests.rs"]
mod tests;
