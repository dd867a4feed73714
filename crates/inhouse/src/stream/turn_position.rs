use inhouse_proto::engine::Frame;
use inhouse_proto::message::{CommandState, Message, MessageOrigin, ResultMessage};

/// The position of a message relative to the turn of a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TurnPosition {
    /// The message belongs to the turn.
    Inside,
    /// The message ends the turn.
    End,
    /// The message is about another prompt.
    OtherTurn,
}

impl TurnPosition {
    pub(super) fn of(frame: &Frame, message: &Message, prompt: &str) -> Self {
        match message {
            Message::CommandLifecycle(change) if change.command_uuid != prompt => Self::OtherTurn,
            // Usually read after the result, when the turn has ended already. If it comes first,
            // there is no result: the prompt was cancelled, or the result could not be read.
            Message::CommandLifecycle(change) => match change.state {
                CommandState::Completed | CommandState::Cancelled => Self::End,
                _ => Self::Inside,
            },
            Message::Result(result) => Self::of_result(result, prompt),
            // A result that does not fit its type still ends the turn.
            _ if frame.ends_turn() => Self::End,
            _ => Self::Inside,
        }
    }

    /// Matches a result by the prompts that it names.
    ///
    /// CLI 2.1.197 names none. Then every result ends the turn unless the session itself started the
    /// turn, because a client has only one open prompt at a time.
    fn of_result(result: &ResultMessage, prompt: &str) -> Self {
        let mut named = result
            .user_message_uuids
            .iter()
            .flatten()
            .chain(&result.user_message_uuid)
            .peekable();
        if named.peek().is_some() {
            return match named.any(|uuid| uuid == prompt) {
                true => Self::End,
                false => Self::OtherTurn,
            };
        }
        match &result.origin {
            None | Some(MessageOrigin::Human) => Self::End,
            Some(_) => Self::Inside,
        }
    }
}
