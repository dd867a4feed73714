use inhouse_proto::engine::Frame;
use inhouse_proto::message::{CommandState, Message, MessageOrigin, ResultMessage};

/// Where a message stands with regard to the turn of a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Within,
    /// It ends the turn.
    Last,
    /// It is about another prompt.
    Elsewhere,
}

impl Place {
    pub(super) fn of(frame: &Frame, message: &Message, prompt: &str) -> Self {
        match message {
            Message::CommandLifecycle(change) if change.command_uuid != prompt => Self::Elsewhere,
            // It follows the result. Where it comes first there is none: the prompt was taken back,
            // or its result could not be read.
            Message::CommandLifecycle(change) => match change.state {
                CommandState::Completed | CommandState::Cancelled => Self::Last,
                _ => Self::Within,
            },
            Message::Result(result) => Self::of_result(result, prompt),
            // A result that cannot be typed still ends the turn.
            _ if frame.ends_turn() => Self::Last,
            _ => Self::Within,
        }
    }

    /// The CLI names the prompts that a turn has answered. Where it does not (CLI 2.1.197), every
    /// result counts whose turn was not begun by the session itself, since a client has only one
    /// prompt open at a time.
    fn of_result(result: &ResultMessage, prompt: &str) -> Self {
        let mut named = result
            .user_message_uuids
            .iter()
            .flatten()
            .chain(&result.user_message_uuid)
            .peekable();
        if named.peek().is_some() {
            return match named.any(|uuid| uuid == prompt) {
                true => Self::Last,
                false => Self::Elsewhere,
            };
        }
        match &result.origin {
            None | Some(MessageOrigin::Human(_)) => Self::Last,
            Some(_) => Self::Within,
        }
    }
}
