use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use inhouse_proto::message::{CommandLifecycleMessage, CommandState};
use inhouse_proto::session::StreamedMessage;
use inhouse_store::SessionKey;

use crate::mirror::Mark;

/// How many calls of subagents are kept. A call that runs later than this many others is recorded without its message.
const SUBAGENT_CALLS: usize = 64;

/// The messages of the conversation that the store does not have yet.
///
/// The CLI streams a message about 100 ms before it mirrors the entry (2.1.325), and a tool may run in between.
pub(super) struct UnstoredMessages(Mutex<State>);

struct State {
    /// The session that the CLI works on, which `/clear` changes.
    session: SessionKey,
    /// The prompts whose turns have not begun, by their ids.
    queued: VecDeque<(String, Box<str>)>,
    /// Whether the CLI reports which prompt it works on. CLI 2.1.197 does not.
    reports_prompts: bool,
    /// Whether a message has arrived since the last result.
    has_begun: bool,
    /// The prompts and messages of turns that have begun.
    messages: VecDeque<Unstored>,
    /// The messages with calls of subagents, whose transcripts are mirrored only when the subagent has ended.
    subagent_calls: VecDeque<Box<str>>,
}

struct Unstored {
    uuid: String,
    line: Box<str>,
    /// The input of the mirror with the entry of this message, once it has arrived.
    mark: Option<Mark>,
    /// Whether an earlier call of the journal has this message.
    is_recorded: bool,
}

/// The messages that a transcript may lack when a call begins.
pub(super) struct MessagesAtCall {
    pub(super) session: SessionKey,
    /// One message per line.
    pub(super) lines: Bytes,
    uuids: Vec<String>,
}

impl UnstoredMessages {
    pub(super) fn new(session: SessionKey) -> Self {
        Self(Mutex::new(State {
            session,
            queued: VecDeque::new(),
            reports_prompts: false,
            has_begun: false,
            messages: VecDeque::new(),
            subagent_calls: VecDeque::new(),
        }))
    }

    /// Returns the session that the CLI works on.
    pub(super) fn session(&self) -> SessionKey {
        self.lock().session.clone()
    }

    /// Sets the session that the CLI works on. The messages before belong to another one.
    pub(super) fn set_session(&self, id: &str) {
        let mut state = self.lock();
        if state.session.session() != id
            && let Ok(session) = state.session.project().session(id)
        {
            state.session = session;
            state.messages.clear();
            state.subagent_calls.clear();
        }
    }

    /// Adds a prompt that is sent. Its turn may begin later.
    pub(super) fn add_prompt(&self, uuid: &str, line: &str) {
        let prompt = (uuid.to_owned(), line.trim().into());
        self.lock().queued.push_back(prompt);
    }

    /// Adds a message of the CLI; returns whether it belongs to the main conversation.
    pub(super) fn add(&self, line: &str) -> bool {
        let Some(message) = StreamedMessage::read(line) else {
            self.note_lifecycle(line);
            return false;
        };
        let mut state = self.lock();
        if message.parent_tool_use_id.is_some() {
            if message.tag == "assistant" {
                state.subagent_calls.push_back(line.trim().into());
            }
            if state.subagent_calls.len() > SUBAGENT_CALLS {
                state.subagent_calls.pop_front();
            }
            return false;
        }
        if !state.has_begun && !state.reports_prompts {
            // The CLI takes prompts in order.
            if let Some((uuid, line)) = state.queued.pop_front() {
                state.push(&uuid, line);
            }
        }
        state.has_begun = true;
        state.push(&message.uuid, line.trim().into());
        true
    }

    /// Notes which messages are in a frame of the mirror.
    pub(super) fn mark(&self, frame: &str, mark: Mark) {
        let mut state = self.lock();
        let mut queued = state.queued.iter();
        // A prompt has an entry when its turn begins.
        if let Some(at) = queued.position(|(uuid, _)| frame.contains(&uuid_member(uuid)))
            && let Some((uuid, line)) = state.queued.remove(at)
        {
            state.push(&uuid, line);
            state.has_begun = true;
        }
        for message in &mut state.messages {
            if message.mark.is_none() && frame.contains(&uuid_member(&message.uuid)) {
                message.mark = Some(mark);
            }
        }
    }

    /// Removes the messages that are stored: those in inputs up to the mark.
    pub(super) fn stored(&self, mark: Mark) {
        let is_unstored = |message: &Unstored| message.mark.is_none_or(|own| own > mark);
        self.lock().messages.retain(is_unstored);
    }

    /// Ends a turn: the entries of its messages have arrived, also those that were not recognized.
    pub(super) fn end_turn(&self, mark: Mark) {
        let mut state = self.lock();
        state.has_begun = false;
        for message in &mut state.messages {
            message.mark.get_or_insert(mark);
        }
    }

    /// Returns the messages that a transcript may lack when a call begins, without those of earlier calls.
    pub(super) fn at_call(&self, call: &str) -> MessagesAtCall {
        let state = self.lock();
        let of_subagent = state
            .subagent_calls
            .iter()
            .find(|line| StreamedMessage::read(line).is_some_and(|message| message.has_call(call)));
        let (uuids, lines): (Vec<String>, Vec<&str>) = match of_subagent {
            Some(line) => (Vec::new(), vec![line]),
            None => {
                let messages = state.messages.iter();
                let new = messages.filter(|message| !message.is_recorded);
                new.map(|message| (message.uuid.clone(), &*message.line))
                    .unzip()
            }
        };
        MessagesAtCall {
            session: state.session.clone(),
            lines: lines.join("\n").into(),
            uuids,
        }
    }

    /// Notes that the journal has these messages.
    pub(super) fn recorded(&self, messages: &MessagesAtCall) {
        for message in &mut self.lock().messages {
            message.is_recorded |= messages.uuids.contains(&message.uuid);
        }
    }

    fn note_lifecycle(&self, line: &str) {
        if !line.contains("\"command_lifecycle\"") {
            return;
        }
        let Ok(message) = serde_json::from_str::<CommandLifecycleMessage>(line) else {
            return;
        };
        let mut state = self.lock();
        state.reports_prompts = true;
        let mut queued = state.queued.iter();
        let Some(at) = queued.position(|(uuid, _)| *uuid == message.command_uuid) else {
            return;
        };
        match message.state {
            CommandState::Started => {
                if let Some((uuid, line)) = state.queued.remove(at) {
                    state.push(&uuid, line);
                    state.has_begun = true;
                }
            }
            // The prompt has no turn any more.
            CommandState::Completed | CommandState::Cancelled => drop(state.queued.remove(at)),
            _ => {}
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Adds a message, unless it is there already: the CLI may send a prompt back.
    fn push(&mut self, uuid: &str, line: Box<str>) {
        if !self.messages.iter().any(|message| message.uuid == uuid) {
            self.messages.push_back(Unstored {
                uuid: uuid.to_owned(),
                line,
                mark: None,
                is_recorded: false,
            });
        }
    }
}

/// Returns the member of an entry with this id, as the CLI writes it.
fn uuid_member(uuid: &str) -> String {
    format!("\"uuid\":\"{uuid}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages() -> UnstoredMessages {
        UnstoredMessages::new(SessionKey::new("p", "s").unwrap())
    }

    fn lines(messages: &UnstoredMessages) -> String {
        String::from_utf8(messages.at_call("toolu_1").lines.to_vec()).unwrap()
    }

    fn text(uuid: &str) -> String {
        format!(r#"{{"type":"assistant","message":{{}},"uuid":"{uuid}"}}"#)
    }

    fn lifecycle(uuid: &str, state: &str) -> String {
        format!(r#"{{"type":"command_lifecycle","command_uuid":"{uuid}","state":"{state}"}}"#)
    }

    #[test]
    fn messages_are_kept_until_their_entries_are_stored() {
        let messages = messages();
        messages.add_prompt("p1", "prompt 1");
        messages.add(&text("a"));
        messages.add(&text("b"));
        messages.add(r#"{"type":"stream_event","uuid":"c"}"#);
        let kept = format!("prompt 1\n{}\n{}", text("a"), text("b"));
        assert_eq!(lines(&messages), kept);

        messages.mark(r#"{"entries":[{"uuid":"p1"},{"uuid":"a"}]}"#, 3);
        messages.stored(2);
        assert_eq!(lines(&messages), kept);
        messages.stored(3);
        assert_eq!(lines(&messages), text("b"));
    }

    #[test]
    fn queued_prompt_is_not_part_of_the_running_turn() {
        for reports_prompts in [false, true] {
            let messages = messages();
            messages.add_prompt("p1", "prompt 1");
            messages.add_prompt("p2", "prompt 2");
            messages.add_prompt("p3", "prompt 3");
            if reports_prompts {
                messages.add(&lifecycle("p1", "queued"));
                messages.add(&lifecycle("p1", "started"));
                messages.add(&lifecycle("p2", "cancelled"));
            }
            messages.add(&text("a"));
            messages.mark(r#"{"uuid":"p1"}"#, 1);
            messages.stored(1);
            assert_eq!(lines(&messages), text("a"));

            messages.end_turn(2);
            messages.stored(2);
            if reports_prompts {
                messages.add(&lifecycle("p3", "started"));
            }
            messages.add(&text("b"));
            let next = if reports_prompts {
                "prompt 3"
            } else {
                "prompt 2"
            };
            assert_eq!(lines(&messages), format!("{next}\n{}", text("b")));
        }
    }

    #[test]
    fn unrecognized_messages_are_kept_until_the_result_is_stored() {
        let messages = messages();
        messages.add(&text("a"));
        messages.end_turn(5);
        messages.stored(4);
        assert_eq!(lines(&messages), text("a"));
        messages.stored(5);
        assert_eq!(lines(&messages), "");
    }

    #[test]
    fn messages_of_an_earlier_call_are_not_recorded_again() {
        let messages = messages();
        messages.add(&text("a"));
        let first = messages.at_call("toolu_1");
        messages.add(&text("b"));
        messages.recorded(&first);
        assert_eq!(lines(&messages), text("b"));
    }

    #[test]
    fn call_of_a_subagent_has_its_own_message_only() {
        let messages = messages();
        messages.add(&text("a"));
        let call = r#"{"type":"assistant","uuid":"b","parent_tool_use_id":"toolu_0","message":{"content":[{"type":"tool_use","id":"toolu_1"}]}}"#;
        messages.add(call);
        assert_eq!(lines(&messages), call);
    }

    #[test]
    fn messages_of_another_session_are_dropped() {
        let messages = messages();
        messages.add(&text("a"));
        messages.set_session("s");
        assert_eq!(lines(&messages), text("a"));
        messages.set_session("cleared");
        assert_eq!(lines(&messages), "");
    }
}
