use inhouse_proto::message::{Message, Prompt, ResultMessage};
use serde::de::DeserializeOwned;
use tracing::Instrument;
use uuid::Uuid;

use crate::error::{Error, ErrorKind, Result};
use crate::outcome;
use crate::stream::{MessageStream, Read, TurnPosition};

/// The answer to one prompt: its messages, up to and including its own result.
///
/// # Cancellation
/// Dropping a turn leaves it running in the CLI; the next [`Client::send`](crate::Client::send)
/// passes over what is left of it. [`Control::interrupt`](crate::Control::interrupt) stops it.
#[derive(Debug)]
#[must_use = "a turn is read by its messages; dropping it abandons them"]
pub struct Turn<'a> {
    messages: &'a mut MessageStream,
    prompt: String,
    span: tracing::Span,
}

impl<'a> Turn<'a> {
    pub(crate) async fn begin(messages: &'a mut MessageStream, prompt: Prompt) -> Result<Self> {
        pass_over(messages)
            .instrument(tracing::debug_span!("inhouse::abandoned_turn"))
            .await?;
        let mut prompt = prompt;
        let id = prompt
            .uuid
            .get_or_insert_with(|| Uuid::new_v4().to_string())
            .clone();
        // From here on it may reach the CLI, even if this future is dropped.
        messages.expect_answer(Some(id));
        let prompt = match messages.control().send(prompt).await {
            Ok(id) => id,
            Err(error) => {
                // One that was not taken in time may still be, later.
                if !error.is_timeout() {
                    messages.expect_answer(None);
                }
                return Err(error);
            }
        };
        let span = tracing::info_span!("inhouse::turn", prompt_id = prompt);
        span.in_scope(|| tracing::debug!("begins"));
        Ok(Self {
            messages,
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
    ///
    /// # Cancellation
    /// Dropping the future loses nothing: it may be one of several in a `select!`.
    pub async fn next(&mut self) -> Option<Result<Message>> {
        while self.is_open() {
            let message = match self.messages.read().await {
                Some(Ok(Read::Message(_, TurnPosition::OtherTurn) | Read::RunEnded)) => continue,
                Some(Ok(Read::Message(message, _))) => Some(Ok(message)),
                Some(Err(error)) => Some(Err(error)),
                None => None,
            };
            if !self.is_open() {
                self.trace_end(message.as_ref());
            }
            return message;
        }
        None
    }

    /// Reads to the result and returns it, whether it is a success or not.
    ///
    /// # Errors
    /// When the CLI ended before the result.
    pub async fn finish(mut self) -> Result<ResultMessage> {
        self.read_to_result().await
    }

    async fn read_to_result(&mut self) -> Result<ResultMessage> {
        while let Some(message) = self.next().await {
            let message = message?;
            if !self.is_open() {
                return outcome::result(message);
            }
        }
        Err(match self.messages.control().shared().ended() {
            Some(end) => end.cause.clone(),
            None => Error::new(
                ErrorKind::Protocol,
                "the turn has no result to return: it was read before, or could not be read",
            ),
        })
    }

    /// Reads to the result and returns its text.
    ///
    /// # Errors
    /// [`Failed`](ErrorKind::Failed) when the turn ended with an error result, and whatever
    /// [`finish`](Self::finish) reports.
    pub async fn text(mut self) -> Result<String> {
        let result = self.read_to_result().await?;
        outcome::text(result, self.messages.last_api_error())
    }

    /// Reads to the result and returns its structured output; see
    /// [`Options::output`](crate::Options::output).
    ///
    /// # Errors
    /// As [`text`](Self::text); and [`Protocol`](ErrorKind::Protocol) when there is no structured
    /// output or it does not fit `T`.
    pub async fn json<T: DeserializeOwned>(mut self) -> Result<T> {
        let result = self.read_to_result().await?;
        outcome::json(result, self.messages.last_api_error())
    }

    fn is_open(&self) -> bool {
        self.messages.unanswered() == Some(&self.prompt)
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
async fn pass_over(messages: &mut MessageStream) -> Result<()> {
    while messages.unanswered().is_some() {
        match messages.read().await {
            // A prompt that was taken back before it ran has no result.
            Some(Ok(Read::RunEnded)) => messages.expect_answer(None),
            Some(Ok(Read::Message(..))) | None => {}
            Some(Err(error)) => return Err(error),
        }
    }
    Ok(())
}
