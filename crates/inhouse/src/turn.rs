use inhouse_proto::engine::Frame;
use inhouse_proto::message::{CommandState, Message, MessageOrigin, Prompt, ResultMessage};
use serde::de::DeserializeOwned;
use tracing::Instrument;
use uuid::Uuid;

use crate::error::{Error, ErrorKind, Result};
use crate::outcome;
use crate::stream::{Item, MessageStream};

/// The answer to one prompt: its messages, up to and including its own result.
///
/// # Cancellation
/// Dropping a turn leaves it running in the CLI; the next [`Client::send`](crate::Client::send)
/// passes over what is left of it. [`Control::interrupt`](crate::Control::interrupt) stops it.
#[must_use = "a turn is read by its messages; dropping it abandons them"]
pub struct Turn<'a> {
    messages: &'a mut MessageStream,
    turns: &'a mut Turns,
    prompt: String,
    span: tracing::Span,
}

/// Which prompt of a client still waits for its result.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    unanswered: Option<String>,
}

impl<'a> Turn<'a> {
    pub(crate) async fn begin(
        messages: &'a mut MessageStream,
        turns: &'a mut Turns,
        prompt: Prompt,
    ) -> Result<Self> {
        if let Some(abandoned) = &turns.unanswered {
            pass_over(messages, abandoned)
                .instrument(tracing::debug_span!("inhouse::abandoned_turn"))
                .await?;
            turns.unanswered = None;
        }
        let mut prompt = prompt;
        let id = prompt
            .uuid
            .get_or_insert_with(|| Uuid::new_v4().to_string())
            .clone();
        // From here on it may reach the CLI, even if this future is dropped.
        turns.unanswered = Some(id);
        let prompt = match messages.control().send(prompt).await {
            Ok(id) => id,
            Err(error) => {
                turns.unanswered = None;
                return Err(error);
            }
        };
        let span = tracing::info_span!("inhouse::turn", prompt);
        span.in_scope(|| tracing::debug!("begins"));
        Ok(Self {
            messages,
            turns,
            prompt,
            span,
        })
    }

    /// The id of the prompt, by which the CLI names it in results and receipts.
    #[must_use]
    pub fn prompt_id(&self) -> &str {
        &self.prompt
    }

    /// The next message; the last one is the result of this turn.
    ///
    /// # Errors
    /// When the CLI ended before the result. Nothing follows then.
    pub async fn next(&mut self) -> Option<Result<Message>> {
        self.turns.unanswered.as_ref()?;
        loop {
            let (message, ends) = match self.messages.next_item().await {
                Some(Ok(Item::Message(frame))) => {
                    let message = frame.decode();
                    match place(&frame, &message, &self.prompt) {
                        Place::Elsewhere => continue,
                        place => (Some(Ok(message)), place == Place::Last),
                    }
                }
                Some(Ok(Item::Gap(gap))) => (Some(Ok(Message::Gap(gap))), false),
                Some(Ok(Item::RunEnded)) => continue,
                Some(Err(error)) => (Some(Err(error)), true),
                None => (None, true),
            };
            if ends {
                self.turns.unanswered = None;
                self.trace_end(message.as_ref());
            }
            return message;
        }
    }

    /// Reads to the result and returns it, whether it is a success or not.
    ///
    /// # Errors
    /// When the CLI ended before the result.
    pub async fn finish(mut self) -> Result<ResultMessage> {
        while let Some(message) = self.next().await {
            let message = message?;
            if self.turns.unanswered.is_none() {
                return outcome::result(message);
            }
        }
        Err(match self.messages.control().shared().ended() {
            Some(end) => end.cause.clone(),
            None => Error::new(
                ErrorKind::Protocol,
                "the turn has been read to its result already; `finish` has nothing to return",
            ),
        })
    }

    /// Reads to the result and returns its text.
    ///
    /// # Errors
    /// [`Failed`](ErrorKind::Failed) when the turn ended with an error result, and whatever
    /// [`finish`](Self::finish) reports.
    pub async fn text(self) -> Result<String> {
        outcome::text(self.finish().await?)
    }

    /// Reads to the result and returns its structured output; see
    /// [`Options::output`](crate::Options::output).
    ///
    /// # Errors
    /// As [`text`](Self::text); and [`Protocol`](ErrorKind::Protocol) when there is no structured
    /// output or it does not fit `T`.
    pub async fn json<T: DeserializeOwned>(self) -> Result<T> {
        outcome::json(self.finish().await?)
    }

    fn trace_end(&self, last: Option<&Result<Message>>) {
        self.span.in_scope(|| match last {
            Some(Ok(Message::Result(result))) => tracing::info!(
                subtype = result.subtype.as_str(),
                is_error = result.is_error,
                duration_ms = result.duration_ms,
                num_turns = result.num_turns,
                "ended"
            ),
            Some(Err(error)) => tracing::warn!(%error, "ended without a result"),
            _ => tracing::warn!("ended without a result"),
        });
    }
}

/// Reads past what is left of a turn that nobody wants.
async fn pass_over(messages: &mut MessageStream, prompt: &str) -> Result<()> {
    loop {
        match messages.next_item().await {
            Some(Ok(Item::Message(frame))) => {
                if place(&frame, &frame.decode(), prompt) == Place::Last {
                    return Ok(());
                }
            }
            Some(Ok(Item::Gap(_))) => {}
            // A prompt that was cancelled before it ran has no result.
            Some(Ok(Item::RunEnded)) => return Ok(()),
            Some(Err(error)) => return Err(error),
            None => return Ok(()),
        }
    }
}

/// Where a message stands with regard to a turn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Within,
    Last,
    /// It is about another prompt.
    Elsewhere,
}

fn place(frame: &Frame, message: &Message, prompt: &str) -> Place {
    match message {
        Message::CommandLifecycle(change) if change.command_uuid != prompt => Place::Elsewhere,
        // It follows the result. Where it comes first there is none: the prompt was taken back, or
        // its result was too long to be read.
        Message::CommandLifecycle(change) => match change.state {
            CommandState::Completed | CommandState::Cancelled => Place::Last,
            _ => Place::Within,
        },
        _ if frame.ends_turn() && answers(message, prompt) => Place::Last,
        _ => Place::Within,
    }
}

/// Whether a result belongs to a prompt.
///
/// The CLI names the prompts that a turn has answered. Where it does not (CLI 2.1.197), every
/// result counts whose turn was not begun by the session itself, since a client has only one
/// prompt open at a time.
fn answers(message: &Message, prompt: &str) -> bool {
    let Message::Result(result) = message else {
        // A result that cannot be typed still ends the turn.
        return true;
    };
    let mut named = result
        .user_message_uuids
        .iter()
        .flatten()
        .chain(&result.user_message_uuid)
        .peekable();
    if named.peek().is_some() {
        return named.any(|uuid| uuid == prompt);
    }
    !result
        .origin
        .as_ref()
        .is_some_and(|origin| !matches!(origin, MessageOrigin::Human(_)))
}
