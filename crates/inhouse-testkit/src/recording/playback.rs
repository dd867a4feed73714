//! The CLI's side of a recording, as a state machine without I/O.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::tape::{Side, Step, Tape};

/// The state of a playback.
///
/// A line of the CLI is sent once the host has written all lines that precede it in the recording, in any order.
#[derive(Debug)]
pub(super) struct Playback {
    steps: Vec<Play>,
    position: usize,
    host_ended: bool,
    /// Maps the recorded ids of the host's requests to the current ones.
    request_ids: HashMap<String, String>,
    /// Pairs of recorded and current ids of the host's prompts.
    prompt_ids: Vec<(String, String)>,
}

#[derive(Debug)]
enum Play {
    Send(String),
    Expect { line: HostLine, received: bool },
    ExpectEnd,
    End,
}

/// The next action of the player.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Write this line.
    Send(String),
    /// Wait until the host writes this.
    Await(String),
    /// Close the stream.
    End,
}

/// The effect of a line of the host.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Received {
    /// The line is in the recording, or is one that a CLI does not wait for.
    Expected,
    /// The request is not in the recording; send this refusal.
    Unknown { answer: String },
    /// The conversation deviates from the recording for this reason.
    Deviated(String),
}

impl Playback {
    pub(super) fn new(tape: &Tape) -> Self {
        let steps = tape.steps().iter().filter_map(|step| match step {
            Step::Line {
                by: Side::Cli,
                line,
            } => Some(Play::Send(line.clone())),
            Step::Line {
                by: Side::Host,
                line,
            } => match HostLine::read(line) {
                HostLine::Other => None,
                line => Some(Play::Expect {
                    line,
                    received: false,
                }),
            },
            Step::End(Side::Host) => Some(Play::ExpectEnd),
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
                Play::Send(line) => {
                    let line = self.with_current_ids(line);
                    self.position += 1;
                    return Next::Send(line);
                }
                Play::Expect { received: true, .. } => self.position += 1,
                Play::ExpectEnd if self.host_ended => self.position += 1,
                Play::End => return Next::End,
                // A host that has closed its side writes nothing more.
                Play::Expect { .. } if self.host_ended => return Next::End,
                Play::Expect { line, .. } => return Next::Await(describe(line)),
                Play::ExpectEnd => return Next::Await("the end of its input".to_owned()),
            }
        }
        if self.host_ended {
            Next::End
        } else {
            Next::Await("the end of its input, which is the end of the recording".to_owned())
        }
    }

    pub(super) fn receive(&mut self, line: &str) -> Received {
        let line = HostLine::read(line);
        let recorded = self.steps.iter_mut().find_map(|step| match step {
            Play::Expect {
                line: recorded,
                received: received @ false,
            } if line.matches(recorded) => {
                *received = true;
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
                return Received::Unknown {
                    answer: refusal(&id, &subtype),
                };
            }
            (line @ HostLine::Prompt { .. }, None) => {
                return Received::Deviated(format!(
                    "the host wrote {}, and the recording has no more of them",
                    describe(&line)
                ));
            }
            _ => {}
        }
        Received::Expected
    }

    pub(super) fn receive_end(&mut self) {
        self.host_ended = true;
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
}

fn describe(line: &HostLine) -> String {
    match line {
        HostLine::Prompt { .. } => "a prompt".to_owned(),
        HostLine::Request { subtype, .. } => format!("a request `{subtype}`"),
        HostLine::Answer { id } => format!("the answer to the request {id}"),
        HostLine::Other => "a line".to_owned(),
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
    fn read(line: &str) -> Self {
        let line: Value = serde_json::from_str(line).unwrap_or_default();
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
mod tests {
    use super::*;

    const ASK_MODELS: &str =
        r#"{"type":"control_request","request_id":"h1","request":{"subtype":"list_models"}}"#;
    const ASK_USAGE: &str =
        r#"{"type":"control_request","request_id":"h2","request":{"subtype":"get_usage"}}"#;
    const MODELS: &str =
        r#"{"type":"control_response","response":{"subtype":"success","request_id":"h1"}}"#;

    fn playback(steps: &[(&str, &str)]) -> Playback {
        let steps = steps.iter().map(|(by, line)| {
            let line = (*line).to_owned();
            match *by {
                "in" => Step::Line {
                    by: Side::Host,
                    line,
                },
                "out" => Step::Line {
                    by: Side::Cli,
                    line,
                },
                "in end" => Step::End(Side::Host),
                _ => Step::End(Side::Cli),
            }
        });
        Playback::new(&steps.collect())
    }

    fn send(line: &str) -> Next {
        Next::Send(line.to_owned())
    }

    fn is_awaiting(next: &Next, what: &str) -> bool {
        matches!(next, Next::Await(awaited) if awaited.contains(what))
    }

    #[test]
    fn line_waits_for_the_host_lines_before_it() {
        let mut playback = playback(&[
            ("out", "1"),
            ("in", ASK_MODELS),
            ("in", ASK_USAGE),
            ("out", MODELS),
        ]);
        assert_eq!(playback.next(), send("1"));
        assert!(is_awaiting(&playback.next(), "`list_models`"));
        assert_eq!(playback.receive(ASK_USAGE), Received::Expected);
        assert!(is_awaiting(&playback.next(), "`list_models`"));
        assert_eq!(playback.receive(ASK_MODELS), Received::Expected);
        assert_eq!(playback.next(), send(MODELS));
    }

    #[test]
    fn responses_and_results_have_the_current_ids() {
        let mut playback = playback(&[
            ("in", ASK_MODELS),
            ("out", MODELS),
            ("in", r#"{"type":"user","uuid":"then"}"#),
            ("out", r#"{"type":"result","user_message_uuid":"then"}"#),
            (
                "out",
                r#"{"type":"control_request","request_id":"h1","request":{}}"#,
            ),
        ]);
        playback.receive(&ASK_MODELS.replace("h1", "h7"));
        let Next::Send(answer) = playback.next() else {
            panic!("everything before the answer has been received");
        };
        // The order of members is not guaranteed.
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["response"]["request_id"], "h7");
        assert_eq!(answer["response"]["subtype"], "success");
        playback.receive(r#"{"type":"user","uuid":"now"}"#);
        assert_eq!(
            playback.next(),
            send(r#"{"type":"result","user_message_uuid":"now"}"#)
        );
        // Ids chosen by the CLI are unchanged.
        assert!(matches!(playback.next(), Next::Send(line) if line.contains("h1")));
    }

    #[test]
    fn unrecorded_requests_are_refused_and_prompts_end_the_replay() {
        let mut playback = playback(&[("in", ASK_MODELS)]);
        let Received::Unknown { answer } = playback.receive(ASK_USAGE) else {
            panic!("the recording has no such request");
        };
        assert!(
            answer.contains("h2") && answer.contains("get_usage"),
            "{answer}"
        );
        assert!(matches!(
            playback.receive(r#"{"type":"user"}"#),
            Received::Deviated(_)
        ));
        let other = r#"{"type":"control_cancel_request","request_id":"h2"}"#;
        assert_eq!(playback.receive(other), Received::Expected);
    }

    #[test]
    fn end_comes_at_its_recorded_position() {
        let mut after_host = playback(&[("in end", ""), ("out", "bye"), ("out end", "")]);
        assert!(is_awaiting(&after_host.next(), "end"));
        after_host.receive_end();
        assert_eq!(after_host.next(), send("bye"));
        assert_eq!(after_host.next(), Next::End);

        let mut by_itself = playback(&[("out", "bye"), ("out end", "")]);
        by_itself.next();
        assert_eq!(by_itself.next(), Next::End);

        let mut closed_early = playback(&[("in", ASK_MODELS), ("out", MODELS)]);
        closed_early.receive_end();
        assert_eq!(closed_early.next(), Next::End);
    }
}
