use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
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
    /// The prompts that no result has answered, in the order in which they were sent.
    prompts: VecDeque<Unstored>,
    messages: VecDeque<Unstored>,
    /// The messages with calls of subagents, whose transcripts are mirrored only when the subagent has ended.
    subagent_calls: VecDeque<Box<str>>,
}

struct Unstored {
    /// The member by which the entry of the message is found in a frame of the mirror.
    uuid: String,
    line: Box<str>,
    /// The input of the mirror with the entry of this message, once it has arrived.
    mark: Option<Mark>,
}

impl UnstoredMessages {
    pub(super) fn new(session: SessionKey) -> Self {
        Self(Mutex::new(State {
            session,
            prompts: VecDeque::new(),
            messages: VecDeque::new(),
            subagent_calls: VecDeque::new(),
        }))
    }

    /// Sets the session that the CLI works on.
    pub(super) fn set_session(&self, id: &str) {
        let mut state = self.lock();
        if state.session.session() != id
            && let Ok(session) = state.session.project().session(id)
        {
            state.session = session;
        }
    }

    /// Adds a prompt that is sent.
    pub(super) fn add_prompt(&self, uuid: &str, line: &str) {
        self.lock().prompts.push_back(Unstored::new(uuid, line));
    }

    /// Adds a message of the CLI; returns whether it belongs to the main conversation.
    pub(super) fn add(&self, line: &str) -> bool {
        let Some(message) = StreamedMessage::read(line) else {
            return false;
        };
        let mut state = self.lock();
        if message.parent_tool_use_id.is_some() {
            if message.tag == "assistant" {
                state.subagent_calls.push_back(line.into());
            }
            if state.subagent_calls.len() > SUBAGENT_CALLS {
                state.subagent_calls.pop_front();
            }
            return false;
        }
        if !state.prompts.iter().any(|prompt| prompt.is(&message.uuid)) {
            state.messages.push_back(Unstored::new(&message.uuid, line));
        }
        true
    }

    /// Notes which messages are in a frame of the mirror.
    pub(super) fn mark(&self, frame: &str, mark: Mark) {
        let mut state = self.lock();
        let State {
            prompts, messages, ..
        } = &mut *state;
        for message in prompts.iter_mut().chain(messages) {
            if message.mark.is_none() && frame.contains(&message.uuid) {
                message.mark = Some(mark);
            }
        }
    }

    /// Removes the messages that are stored: those in inputs up to the mark.
    pub(super) fn stored(&self, mark: Mark) {
        let is_unstored = |message: &Unstored| message.mark.is_none_or(|own| own > mark);
        let mut state = self.lock();
        state.prompts.retain(is_unstored);
        state.messages.retain(is_unstored);
    }

    /// Ends a turn: the entries of its messages have arrived, also those that were not recognized.
    pub(super) fn end_turn(&self, answered: &[String], mark: Mark) {
        let mut state = self.lock();
        let State {
            prompts, messages, ..
        } = &mut *state;
        let answered = prompts
            .iter_mut()
            .filter(|prompt| answered.iter().any(|uuid| prompt.is(uuid)));
        for message in answered.chain(messages) {
            message.mark.get_or_insert(mark);
        }
        state.subagent_calls.clear();
    }

    /// Returns the messages that a transcript may lack when a call begins, one line each, and the session.
    pub(super) fn at_call(&self, call: &str) -> (SessionKey, Bytes) {
        let state = self.lock();
        let of_subagent = state
            .subagent_calls
            .iter()
            .find(|line| StreamedMessage::read(line).is_some_and(|message| message.has_call(call)));
        let lines: Vec<&str> = match of_subagent {
            Some(line) => vec![line],
            // A prompt behind the first one waits for the end of this turn.
            None => (state.prompts.iter().take(1).chain(&state.messages))
                .map(|message| &*message.line)
                .collect(),
        };
        (state.session.clone(), lines.join("\n").into())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Unstored {
    fn new(uuid: &str, line: &str) -> Self {
        Self {
            uuid: member(uuid),
            line: line.trim().into(),
            mark: None,
        }
    }

    fn is(&self, uuid: &str) -> bool {
        self.uuid == member(uuid)
    }
}

/// Returns the member of an entry with this id, as the CLI writes it.
fn member(uuid: &str) -> String {
    format!("\"uuid\":\"{uuid}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages() -> UnstoredMessages {
        UnstoredMessages::new(SessionKey::new("p", "s").unwrap())
    }

    fn lines(messages: &UnstoredMessages) -> String {
        String::from_utf8(messages.at_call("toolu_1").1.to_vec()).unwrap()
    }

    fn text(uuid: &str) -> String {
        format!(r#"{{"type":"assistant","message":{{}},"uuid":"{uuid}"}}"#)
    }

    #[test]
    fn messages_are_kept_until_their_entries_are_stored() {
        let messages = messages();
        messages.add_prompt("p1", "prompt 1");
        messages.add_prompt("p2", "prompt 2");
        messages.add(&text("a"));
        messages.add(&text("b"));
        messages.add(r#"{"type":"stream_event","uuid":"c"}"#);
        let kept = format!("prompt 1\n{}\n{}", text("a"), text("b"));
        assert_eq!(lines(&messages), kept);

        messages.mark(r#"{"entries":[{"uuid":"p1"},{"uuid":"a"}]}"#, 3);
        assert_eq!(lines(&messages), kept);
        messages.stored(2);
        assert_eq!(lines(&messages), kept);
        messages.stored(3);
        assert_eq!(lines(&messages), format!("prompt 2\n{}", text("b")));
    }

    #[test]
    fn unrecognized_messages_are_kept_until_the_result_is_stored() {
        let messages = messages();
        messages.add_prompt("p1", "prompt 1");
        messages.add_prompt("p2", "prompt 2");
        messages.add(&text("a"));
        messages.end_turn(&["p1".to_owned()], 5);
        messages.stored(4);
        assert_eq!(lines(&messages), format!("prompt 1\n{}", text("a")));
        messages.stored(5);
        assert_eq!(lines(&messages), "prompt 2");
    }

    #[test]
    fn call_of_a_subagent_has_its_own_message_only() {
        let messages = messages();
        messages.add(&text("a"));
        let call = r#"{"type":"assistant","uuid":"b","parent_tool_use_id":"toolu_0","message":{"content":[{"type":"tool_use","id":"toolu_1"}]}}"#;
        messages.add(call);
        assert_eq!(lines(&messages), call);
        messages.end_turn(&[], 1);
        assert_eq!(lines(&messages), text("a"));
    }
}
