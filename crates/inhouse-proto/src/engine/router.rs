use std::borrow::Cow;
use std::sync::LazyLock;
use std::time::Instant;

use bytes::Bytes;
use memchr::memmem::Finder;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Engine, Event, Frame, Notice, Outcome};
use crate::control::incoming::{Answer, IncomingRequest};
use crate::id::RequestId;
use crate::message::{CommandsChangedMessage, SessionState};
use crate::wire::{Envelope, Reply, Scanner, Text, sample_of};

/// Routing of lines by their type. No other code of the engine depends on the types of frames.
impl Engine {
    /// Turns a line into events.
    pub(super) fn route_line(&mut self, bytes: Bytes, now: Instant) {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return self.notice(Notice::Blank);
        }
        let Some(line) = Text::of_line(bytes.clone()) else {
            return self.not_json(&bytes, now);
        };
        if is_conversation_message(&line) && !self.run.awaits_activity() {
            // Fast path: the engine needs no member of the line. The reader finds out whether the line is valid JSON.
            let frame = Frame::new(line, self.lines.line_buffer());
            return self.events.push_back(Event::Message(frame));
        }
        let mut envelope = Envelope::default();
        if envelope.read(&line).is_none() {
            return self.not_json(&bytes, now);
        }
        let kind = envelope.kind.as_deref().unwrap_or_default();
        let subtype = envelope.subtype.as_deref().unwrap_or_default();
        match (kind, subtype) {
            ("control_request", _) => self.route_request(&line, &envelope),
            ("control_response", _) => self.route_reply(&line, &envelope),
            ("control_cancel_request", _) => self.route_cancel(&line, &envelope),
            ("keep_alive", _) => {
                let startup_mark = member_text(&line, "startup_mark");
                self.notice(Notice::KeepAlive { startup_mark });
            }
            ("transcript_mirror", _) => {
                let frame = Frame::new(line, self.lines.line_buffer());
                self.events.push_back(Event::Transcript(frame));
            }
            ("result", _) => {
                let Some(frame) = Frame::turn_end(line, self.lines.line_buffer()) else {
                    return self.not_json(&bytes, now);
                };
                self.events.push_back(Event::Message(frame));
                let ended = self.run.result(now);
                self.run_ended_if(ended);
            }
            ("system", "init") => {
                if let Some(id) = member_text(&line, "session_id") {
                    self.events.push_back(Event::Session(id));
                }
                self.message(&line);
            }
            ("system", "commands_changed") => {
                if let Ok(changed) = serde_json::from_str::<CommandsChangedMessage>(&line) {
                    self.events.push_back(Event::Commands(changed.commands));
                }
                self.message(&line);
            }
            ("system", "session_state_changed") => self.route_state(&line, &envelope, now),
            ("system", "task_started" | "task_updated" | "task_notification") => {
                self.track_background(&line, subtype, now);
                self.message(&line);
            }
            ("assistant" | "stream_event", _) => {
                // Messages of subagents do not count as activity of the main thread.
                if envelope.parent_tool_use_id.is_none() {
                    self.run.activity();
                }
                self.message(&line);
            }
            _ => self.message(&line),
        }
    }

    /// Reports a line as a message.
    fn message(&mut self, line: &Text) {
        let frame = Frame::new(line.clone(), self.lines.line_buffer());
        self.events.push_back(Event::Message(frame));
    }

    pub(super) fn run_ended_if(&mut self, ended: bool) {
        if ended {
            let answered = self.run.has_result();
            self.events.push_back(Event::RunEnded { answered });
        }
    }

    /// Opens a request of the CLI. A request with the id of an open one is reported and gets no ticket.
    fn route_request(&mut self, line: &Text, envelope: &Envelope<'_>) {
        let Some(id) = envelope.request_id.as_deref() else {
            return self.malformed(line);
        };
        let Some(request) = IncomingRequest::of_line(line, &envelope.request) else {
            // The request has an id, so it can be answered with an error.
            let answer = Answer::error("the control request has no `request`");
            self.outgoing.answer(id, answer);
            return self.malformed(line);
        };
        match self.inbound.open(line.part(id)) {
            Some(ticket) => self.events.push_back(Event::Request(ticket, request)),
            None => self.notice(Notice::DuplicateRequest {
                request_id: id.to_owned(),
            }),
        }
    }

    /// Completes a request of the host with the reply of the CLI.
    fn route_reply(&mut self, line: &Text, envelope: &Envelope<'_>) {
        let Some(reply) = envelope.response.and_then(Reply::read) else {
            return self.malformed(line);
        };
        // An id that the host did not create does not parse, or is not open.
        let Some(id) = RequestId::parse(&reply.request_id).filter(|id| self.outbound.close(*id))
        else {
            return self.notice(Notice::UnmatchedReply {
                request_id: reply.request_id.into_owned(),
            });
        };
        let outcome = if reply.subtype.as_deref() == Some("success") {
            // A slice of the line, not a copy.
            let payload = |raw: &str| line.bytes().slice_ref(raw.as_bytes());
            Outcome::Success(reply.response.map(payload))
        } else {
            Outcome::Refused {
                message: reply.refusal().into_owned(),
                code: reply.error_code.map(Cow::into_owned),
            }
        };
        self.events.push_back(Event::Reply { id, outcome });
        for requests in reply.pending.into_iter().flatten() {
            match serde_json::from_str::<Vec<&RawValue>>(requests) {
                Ok(requests) => {
                    for request in requests {
                        self.route_pending(line, request);
                    }
                }
                Err(_) => self.malformed(line),
            }
        }
    }

    /// Opens a request that was open before this host connected.
    ///
    /// The CLI sends such requests with the reply to `initialize`. They are handled like new requests.
    fn route_pending(&mut self, line: &Text, request: &RawValue) {
        let mut envelope = Envelope::default();
        match envelope.read(request.get()) {
            Some(()) => self.route_request(line, &envelope),
            None => self.malformed(line),
        }
    }

    /// Closes a request that the CLI cancels.
    fn route_cancel(&mut self, line: &Text, envelope: &Envelope<'_>) {
        let Some(id) = envelope.request_id.as_deref() else {
            return self.malformed(line);
        };
        // An unknown id means that the answer was sent before the cancellation arrived.
        if let Some(ticket) = self.inbound.withdraw(id) {
            self.events.push_back(Event::Withdrawn(ticket));
        }
    }

    /// Reports the state of the session. A frame with `sdk_host_only` is not a message for the reader.
    fn route_state(&mut self, line: &Text, envelope: &Envelope<'_>, now: Instant) {
        let host_only = envelope.sdk_host_only.is_some_and(|flag| flag == "true");
        if !host_only {
            self.message(line);
        }
        if let Some(state) = envelope.state.as_deref() {
            let state = SessionState::from(state);
            let ended = self.run.state(state.clone(), now);
            self.events.push_back(Event::State(state));
            self.run_ended_if(ended);
        }
    }

    /// Tracks the start and the end of tasks.
    ///
    /// Only agents and workflows keep the run open, because shells and monitors may never end by themselves.
    fn track_background(&mut self, line: &Text, subtype: &str, now: Instant) {
        #[derive(Deserialize)]
        struct Task {
            task_id: String,
            task_type: Option<String>,
            patch: Option<Patch>,
        }
        #[derive(Deserialize)]
        struct Patch {
            status: Option<String>,
        }
        let Ok(task) = serde_json::from_str::<Task>(line) else {
            return;
        };
        let status = task.patch.and_then(|patch| patch.status);
        match (subtype, task.task_type.as_deref(), status.as_deref()) {
            ("task_started", Some("local_agent" | "local_workflow"), _) => {
                self.run.background_started(task.task_id);
            }
            ("task_started", ..) => self.run.task_started(task.task_id),
            ("task_notification", _, _)
            | ("task_updated", _, Some("completed" | "failed" | "killed")) => {
                self.run.background_ended(&task.task_id, now);
            }
            _ => {}
        }
    }

    /// Reports a line that is not JSON.
    fn not_json(&mut self, line: &[u8], now: Instant) {
        // A line that starts like an object is a truncated or corrupt message, which may have been the result.
        if line.trim_ascii_start().starts_with(b"{") {
            self.run.lost_line(now);
        }
        self.notice(Notice::NotJson {
            bytes: line.len() as u64,
            sample: sample_of(line),
        });
    }

    /// Reports a control frame that cannot be routed.
    fn malformed(&mut self, line: &Text) {
        self.notice(Notice::MalformedControl {
            sample: sample_of(line.as_bytes()),
        });
    }
}

/// Returns whether a line is a message of the model or the user, as nearly all lines are.
///
/// The CLI writes `type` first in these messages, so checking the start and the end of the line is enough. If the CLI
/// writes a truncated line and a result on the same line, that line must not be taken for a message, because the result
/// would be lost unnoticed. So the line must not contain the `type` of a result either; inside a string its quotation
/// marks would be escaped.
fn is_conversation_message(line: &str) -> bool {
    static RESULT: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(br#""type":"result""#));
    let kinds = ["assistant\",", "stream_event\",", "user\","];
    line.strip_prefix("{\"type\":\"")
        .is_some_and(|rest| kinds.iter().any(|kind| rest.starts_with(kind)))
        && line.ends_with('}')
        && RESULT.find(line.as_bytes()).is_none()
}

/// Returns a string member of an object; `None` if there is none, or if the object is invalid.
fn member_text(line: &str, name: &str) -> Option<String> {
    let mut text = None;
    Scanner::new(line).object(|scanner, member| {
        match member == name {
            true => text = scanner.text()?,
            false => drop(scanner.value()?),
        }
        Some(())
    })?;
    text.map(Cow::into_owned)
}
