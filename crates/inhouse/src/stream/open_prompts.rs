use inhouse_proto::engine::Frame;
use inhouse_proto::message::{CommandState, Message, ResultMessage};
use tokio::sync::watch;

use crate::steering::SteerState;

/// The prompts of a turn that are not answered yet: the one that began it, and those that steer it.
#[derive(Default)]
pub(crate) struct OpenPrompts(Vec<OpenPrompt>);

struct OpenPrompt {
    id: String,
    /// Whether the model is working on the prompt.
    started: bool,
    /// `None` for the prompt that began the turn.
    receipt: Option<watch::Sender<SteerState>>,
}

/// The position of a message relative to the turn of the open prompts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TurnPosition {
    /// The message belongs to the turn.
    Inside,
    /// The message ends the turn.
    End,
    /// The message is about another prompt.
    OtherTurn,
}

impl OpenPrompts {
    /// Adds a prompt that begins a turn.
    pub(crate) fn begin(&mut self, id: String) {
        self.0.push(OpenPrompt {
            id,
            started: false,
            receipt: None,
        });
    }

    /// Adds a prompt that steers the turn; `receipt` is notified of its states.
    pub(crate) fn steer(&mut self, id: String, receipt: watch::Sender<SteerState>) {
        self.0.push(OpenPrompt {
            id,
            started: false,
            receipt: Some(receipt),
        });
    }

    pub(crate) fn remove(&mut self, id: &str) {
        self.0.retain(|prompt| prompt.id != id);
    }

    /// Changes the id of a prompt.
    pub(crate) fn rename(&mut self, id: &str, new_id: &str) {
        for prompt in self.0.iter_mut().filter(|prompt| prompt.id == id) {
            new_id.clone_into(&mut prompt.id);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Updates the prompts by a message, and returns its position. At least one prompt is open.
    pub(super) fn note(&mut self, frame: &Frame, message: &Message) -> TurnPosition {
        let is_inside = match message {
            Message::CommandLifecycle(change) => {
                self.note_state(&change.command_uuid, &change.state)
            }
            Message::Result(result) => self.note_result(result),
            // A result that does not fit its type still ends the turn of the prompts in it.
            _ if frame.ends_turn() => {
                let any_started = self.0.iter().any(|prompt| prompt.started);
                self.0.retain(|prompt| any_started && !prompt.started);
                true
            }
            _ => return TurnPosition::Inside,
        };
        match (is_inside, self.is_empty()) {
            (false, _) => TurnPosition::OtherTurn,
            (true, true) => TurnPosition::End,
            (true, false) => TurnPosition::Inside,
        }
    }

    /// Updates a prompt by its state; returns whether the prompt is open.
    fn note_state(&mut self, id: &str, state: &CommandState) -> bool {
        let others_started = self
            .0
            .iter()
            .any(|prompt| prompt.id != id && prompt.started);
        let Some(index) = self.0.iter().position(|prompt| prompt.id == id) else {
            return false;
        };
        let prompt = &mut self.0[index];
        match state {
            CommandState::Queued => prompt.report(SteerState::Queued),
            CommandState::Started => {
                prompt.started = true;
                prompt.report(match others_started {
                    true => SteerState::Joined,
                    false => SteerState::OwnTurn,
                });
            }
            // The state of the first prompt is usually read after its result, which has removed it. If it
            // comes first, there is no result: the prompt was cancelled, or the result could not be read.
            CommandState::Completed => drop(self.0.remove(index)),
            CommandState::Cancelled => {
                prompt.report(SteerState::Cancelled);
                self.0.remove(index);
            }
            _ => {}
        }
        true
    }

    /// Removes the prompts that a result answers; returns whether it answers one, or is part of the turn.
    ///
    /// CLI 2.1.197 names no prompts. Then every result ends the turn unless the session itself started the
    /// turn: the result may answer the steering prompts as well, and no message says whether one of them
    /// starts a separate turn. The messages of a separate turn are outside of the turn then.
    fn note_result(&mut self, result: &ResultMessage) -> bool {
        let named: Vec<&str> = result.prompt_ids().collect();
        if named.is_empty() {
            if result.is_prompted() {
                self.clear();
            }
            return true;
        }
        let before = self.0.len();
        self.0.retain(|prompt| !named.contains(&&*prompt.id));
        let answers = self.0.len() < before;
        if answers {
            // A prompt that joined the turn has no other result.
            self.0.retain(|prompt| !prompt.has_joined());
        }
        answers
    }
}

impl OpenPrompt {
    fn report(&self, state: SteerState) {
        if let Some(receipt) = &self.receipt {
            receipt.send_replace(state);
        }
    }

    fn has_joined(&self) -> bool {
        let receipt = self.receipt.as_ref();
        receipt.is_some_and(|receipt| *receipt.borrow() == SteerState::Joined)
    }
}
