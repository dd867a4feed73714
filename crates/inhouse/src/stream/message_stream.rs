use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use inhouse_proto::message::{AssistantError, Message, ResultMessage};
use serde::de::DeserializeOwned;

use super::{Item, Receiver, TurnPosition};
use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::outcome;

/// The messages of a session, in the order in which the CLI wrote them.
///
/// An `Err` is always the last item: the CLI ended in a way that no result explains. Whatever is
/// survivable is a message: a type that this version does not know is
/// [`Message::Unknown`], and lines that could not be delivered are counted in a [`Message::Gap`].
///
/// Nothing in the session waits for the reader. Messages that are not read yet are kept up to the
/// limit of [`Options::backlog`](crate::Options::backlog).
///
/// # Cancellation
/// Dropping the future of [`next`](Self::next) loses nothing. Dropping the stream, when no
/// [`Control`] is left either, ends the session in the background: at once in the middle of a turn
/// or with a task in the background, else as [`Client::close`](crate::Client::close) does.
#[must_use = "a session ends when its messages are dropped unread"]
pub struct MessageStream {
    items: Receiver,
    control: Control,
    /// The prompt of a client whose turn has not been read to its end.
    unanswered: Option<String>,
    /// The `error` member of the last assistant message of the turn that is being read.
    api_error: Option<AssistantError>,
    /// The same for the turn whose result was read last.
    last_api_error: Option<AssistantError>,
    /// Whether the last result could not be typed.
    result_unreadable: bool,
}

/// What a reader inside the crate gets.
pub(crate) enum Read {
    /// A message, and where it stands with regard to the unanswered prompt.
    Message(Message, TurnPosition),
    /// The run is over, and with it whatever was unanswered if no result was read.
    RunEnded,
}

impl MessageStream {
    pub(crate) fn new(items: Receiver, control: Control) -> Self {
        Self {
            items,
            control,
            unanswered: None,
            api_error: None,
            last_api_error: None,
            result_unreadable: false,
        }
    }

    /// The controls of the session.
    #[must_use]
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// The next message; `None` at the end.
    ///
    /// # Errors
    /// When the CLI ended in a way that no result explains. Nothing follows then.
    pub async fn next(&mut self) -> Option<Result<Message>> {
        poll_fn(|cx| self.poll_message(cx)).await
    }

    /// Reads to the end and returns the last result, whether it is a success or not.
    ///
    /// # Errors
    /// When the session ended without a result, or the last result cannot be read.
    pub async fn finish(mut self) -> Result<ResultMessage> {
        self.read_to_last_result().await
    }

    async fn read_to_last_result(&mut self) -> Result<ResultMessage> {
        let mut last = None;
        while let Some(message) = self.next().await {
            match message {
                Ok(Message::Result(result)) => last = Some(Ok(result.into_inner())),
                Ok(unreadable) if self.result_unreadable => {
                    last = Some(outcome::result(unreadable));
                }
                Ok(_) => {}
                // A result that has arrived stays true, whatever became of the process after it.
                Err(error) if last.is_some() => {
                    tracing::warn!(%error, "the CLI failed after its last result");
                }
                Err(error) => return Err(error),
            }
        }
        last.unwrap_or_else(|| match self.control.shared().ended() {
            Some(end) if end.cause.kind() == ErrorKind::Closed => Err(end.cause.clone()),
            _ => Err(Error::new(
                ErrorKind::Protocol,
                "the session ended without a result; no prompt was answered",
            )),
        })
    }

    /// Reads to the end and returns the text of the last result.
    ///
    /// # Errors
    /// [`Failed`](ErrorKind::Failed) when the last turn ended with an error result, and whatever
    /// [`finish`](Self::finish) reports.
    pub async fn text(mut self) -> Result<String> {
        let result = self.read_to_last_result().await?;
        outcome::text(result, self.last_api_error())
    }

    /// Reads to the end and returns the structured output of the last result.
    ///
    /// The schema comes from [`Options::output`](crate::Options::output) or
    /// [`Options::json_schema`](crate::Options::json_schema).
    ///
    /// # Errors
    /// As [`text`](Self::text); and [`Protocol`](ErrorKind::Protocol) when there is no structured
    /// output or it does not fit `T`.
    pub async fn json<T: DeserializeOwned>(mut self) -> Result<T> {
        let result = self.read_to_last_result().await?;
        outcome::json(result, self.last_api_error())
    }

    /// Takes note of a prompt that a client has sent, or may have sent.
    pub(crate) fn expect_answer(&mut self, prompt: Option<String>) {
        self.unanswered = prompt;
    }

    /// The prompt whose turn has not been read to its end.
    pub(crate) fn unanswered(&self) -> Option<&str> {
        self.unanswered.as_deref()
    }

    /// The `error` member of the last assistant message before the result that was read last.
    pub(crate) fn last_api_error(&self) -> Option<&AssistantError> {
        self.last_api_error.as_ref()
    }

    /// Keeps the kind of an API error for the result that follows it.
    fn note_api_error(&mut self, message: &Message) {
        match message {
            Message::Assistant(message) if message.parent_tool_use_id.is_none() => {
                self.api_error.clone_from(&message.error);
            }
            Message::Result(_) => self.last_api_error = self.api_error.take(),
            _ => {}
        }
    }

    pub(crate) async fn read(&mut self) -> Option<Result<Read>> {
        poll_fn(|cx| self.poll_read(cx)).await
    }

    /// All reading goes through here, so that whoever reads the end of a turn, it is noticed.
    fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Read>>> {
        let read = match ready!(self.items.poll_next(cx)) {
            Some(Ok(Item::Message(frame))) => {
                let message = frame.decode();
                self.result_unreadable =
                    frame.ends_turn() && !matches!(message, Message::Result(_));
                if let Message::Gap(gap) = &message {
                    tracing::warn!(bytes = gap.bytes, "a line of the CLI is not JSON");
                }
                self.note_api_error(&message);
                let position = match &self.unanswered {
                    Some(prompt) => TurnPosition::of(&frame, &message, prompt),
                    None => TurnPosition::Inside,
                };
                if position == TurnPosition::End {
                    self.unanswered = None;
                }
                Some(Ok(Read::Message(message, position)))
            }
            Some(Ok(Item::Gap(gap))) => {
                Some(Ok(Read::Message(Message::from(*gap), TurnPosition::Inside)))
            }
            Some(Ok(Item::RunEnded { answered })) => {
                if !answered {
                    self.unanswered = None;
                }
                Some(Ok(Read::RunEnded))
            }
            Some(Err(error)) => {
                self.unanswered = None;
                Some(Err(error))
            }
            None => {
                self.unanswered = None;
                None
            }
        };
        Poll::Ready(read)
    }

    fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Message>>> {
        loop {
            return Poll::Ready(match ready!(self.poll_read(cx)) {
                Some(Ok(Read::Message(message, _))) => Some(Ok(message)),
                Some(Ok(Read::RunEnded)) => continue,
                Some(Err(error)) => Some(Err(error)),
                None => None,
            });
        }
    }
}

impl fmt::Debug for MessageStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MessageStream")
            .field("pid", &self.control.pid())
            .finish_non_exhaustive()
    }
}

impl Stream for MessageStream {
    type Item = Result<Message>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll_message(cx)
    }
}
