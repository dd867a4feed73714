use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use inhouse_proto::message::{AssistantError, Message, Received, ResultMessage};
use serde::de::DeserializeOwned;

use super::{Item, OpenPrompts, Receiver, TurnPosition};
use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::outcome;

/// The messages of a session, in the order in which the CLI wrote them.
///
/// Returned by [`query`](fn@crate::query) and [`Client::split`](crate::Client::split). Also a
/// [`Stream`].
///
/// An `Err` is always the last item: the CLI exited and no result explains why. Everything else is a
/// message: a type that this version does not know is a [`Message::Unknown`], and lines that could
/// not be delivered are counted in a [`Message::Gap`].
///
/// A slow reader delays nothing in the session. Unread messages are kept up to the limit of
/// [`Options::backlog`](crate::Options::backlog).
///
/// ```
/// use inhouse::message::Message;
/// use inhouse::query;
///
/// # use inhouse_testkit::{FakeCli, run};
/// # run(FakeCli::play_with(async |transport| {
/// let mut messages = query("What is 15 + 27?")
/// #   .transport(transport)
///     .await?;
/// while let Some(message) = messages.next().await {
///     if let Message::Result(result) = message? {
///         assert_eq!(result.result.as_deref(), Some("42"));
///     }
/// }
/// # Ok(()) }, async |mut cli| {
/// #     cli.accept().await;
/// #     cli.expect_prompt().await;
/// #     cli.turn("42").await;
/// # }));
/// ```
///
/// # Cancellation
/// Dropping the future of [`next`](Self::next) loses no message. Dropping the stream ends the session
/// in the background, once every [`Control`] is dropped too: the CLI is killed in the middle of a turn
/// or with a background task, and otherwise ended as by [`Client::close`](crate::Client::close).
#[must_use = "dropping the messages ends the session"]
pub struct MessageStream {
    items: Receiver,
    control: Control,
    /// The prompts of the turn that has not been read to its end.
    open: OpenPrompts,
    /// The `error` member of the last assistant message of the current turn.
    api_error: Option<AssistantError>,
    /// The `error` member of the last assistant message before the last result.
    last_api_error: Option<AssistantError>,
    /// Whether the last message was a result that does not fit its type.
    result_unreadable: bool,
}

/// An item for readers inside the crate.
pub(crate) enum Read {
    /// A message and its position relative to the current turn.
    Message(Message, TurnPosition),
    /// The run of the last prompt has ended.
    RunEnded,
}

impl MessageStream {
    pub(crate) fn new(items: Receiver, control: Control) -> Self {
        Self {
            items,
            control,
            open: OpenPrompts::default(),
            api_error: None,
            last_api_error: None,
            result_unreadable: false,
        }
    }

    /// Returns the control handle of the session.
    ///
    /// ```
    /// use inhouse::query;
    ///
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play_with(async |transport| {
    /// let messages = query("Count to a million.")
    /// #   .transport(transport)
    ///     .await?;
    /// messages.control().interrupt().await?;
    /// assert!(messages.finish().await?.is_error);
    /// # Ok(()) }, async |mut cli| {
    /// #     cli.accept().await;
    /// #     cli.expect_prompt().await;
    /// #     cli.expect_request("interrupt").await.succeed_empty().await;
    /// #     cli.error_result("error_during_execution", &[]).await;
    /// # }));
    /// ```
    #[must_use]
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// Returns the next message; `None` at the end of the session.
    ///
    /// ```
    /// use inhouse::message::Message;
    /// use inhouse::query;
    ///
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play_with(async |transport| {
    /// let mut messages = query("What is 15 + 27?")
    /// #   .transport(transport)
    ///     .await?;
    /// let mut last = None;
    /// while let Some(message) = messages.next().await {
    ///     last = Some(message?);
    /// }
    /// assert!(matches!(last, Some(Message::Result(_))));
    /// # Ok(()) }, async |mut cli| {
    /// #     cli.accept().await;
    /// #     cli.expect_prompt().await;
    /// #     cli.turn("42").await;
    /// # }));
    /// ```
    ///
    /// # Errors
    /// `Exited` if the CLI exited and no result explains why; `Closed` if the runtime of the session
    /// was shut down. Nothing follows an error.
    ///
    /// # Cancellation
    /// Dropping the future loses no message, so it can be used in a `select!`.
    pub async fn next(&mut self) -> Option<Result<Message>> {
        poll_fn(|cx| self.poll_message(cx)).await
    }

    /// Reads to the end and returns the last result, also if it is an error result.
    ///
    /// [`Received::raw`] returns the line of the result, with the members for which it has no field.
    ///
    /// ```
    /// use inhouse::query;
    ///
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play_with(async |transport| {
    /// let messages = query("What is 15 + 27?")
    /// #   .transport(transport)
    ///     .await?;
    /// let result = messages.finish().await?;
    /// assert_eq!(result.num_turns, Some(1));
    /// assert!(result.raw().contains(r#""num_turns":1"#));
    /// # Ok(()) }, async |mut cli| {
    /// #     cli.accept().await;
    /// #     cli.expect_prompt().await;
    /// #     cli.turn("42").await;
    /// # }));
    /// ```
    ///
    /// # Errors
    /// `Exited`, `Closed` or `Protocol` if the session ended without a result; `Protocol` if the last
    /// result cannot be read.
    pub async fn finish(mut self) -> Result<Received<ResultMessage>> {
        self.read_to_last_result().await
    }

    async fn read_to_last_result(&mut self) -> Result<Received<ResultMessage>> {
        let mut last = None;
        while let Some(message) = self.next().await {
            match message {
                Ok(Message::Result(result)) => last = Some(Ok(result)),
                Ok(unreadable) if self.result_unreadable => {
                    last = Some(outcome::result(unreadable));
                }
                Ok(_) => {}
                // The answer is complete; a later failure of the process does not change it. A failure of the
                // store does: not everything is stored that the session did.
                Err(error) if last.is_some() && !error.is_of_store() => {
                    tracing::warn!(%error, "CLI failed after its last result");
                }
                Err(error) => {
                    return Err(match last {
                        Some(Ok(result)) if error.kind() == ErrorKind::Store => {
                            error.with_result(result)
                        }
                        _ => error,
                    });
                }
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
    /// ```
    /// use inhouse::query;
    ///
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play_with(async |transport| {
    /// let messages = query("What is 15 + 27?")
    /// #   .transport(transport)
    ///     .await?;
    /// assert_eq!(messages.text().await?, "42");
    /// # Ok(()) }, async |mut cli| {
    /// #     cli.accept().await;
    /// #     cli.expect_prompt().await;
    /// #     cli.turn("42").await;
    /// # }));
    /// ```
    ///
    /// # Errors
    /// [`Failed`](ErrorKind::Failed) if the last turn ended with an error result, and the errors of
    /// [`finish`](Self::finish).
    pub async fn text(mut self) -> Result<String> {
        let result = self.read_to_last_result().await?;
        outcome::text(result, self.last_api_error())
    }

    /// Reads to the end and returns the structured output of the last result.
    ///
    /// The schema is set by [`Options::output`](crate::Options::output) or
    /// [`Options::json_schema`](crate::Options::json_schema).
    ///
    /// ```
    /// use inhouse::{Options, query};
    /// use serde_json::{Value, json};
    ///
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play_with(async |transport| {
    /// let schema = json!({"type": "object", "properties": {"value": {"type": "integer"}}});
    /// let messages = query("What is 15 + 27?")
    ///     .options(Options::new().json_schema(schema))
    /// #   .transport(transport)
    ///     .await?;
    /// let sum: Value = messages.json().await?;
    /// assert_eq!(sum["value"], 42);
    /// # Ok(()) }, async |mut cli| {
    /// #     cli.accept().await;
    /// #     cli.expect_prompt().await;
    /// #     cli.send(json!({
    /// #         "type": "result", "subtype": "success", "is_error": false, "session_id": "s",
    /// #         "structured_output": {"value": 42},
    /// #     })).await;
    /// # }));
    /// ```
    ///
    /// # Errors
    /// The errors of [`text`](Self::text); [`Protocol`](ErrorKind::Protocol) if there is no structured
    /// output or it does not fit `T`.
    pub async fn json<T: DeserializeOwned>(mut self) -> Result<T> {
        let result = self.read_to_last_result().await?;
        outcome::json(result, self.last_api_error())
    }

    /// Returns the prompts that a client has sent, or may have sent, and whose turn has not been read to its end.
    pub(crate) fn open_prompts(&mut self) -> &mut OpenPrompts {
        &mut self.open
    }

    /// Returns whether a turn has not been read to its end.
    pub(crate) fn is_in_turn(&self) -> bool {
        !self.open.is_empty()
    }

    /// Returns the `error` member of the last assistant message before the last result.
    pub(crate) fn last_api_error(&self) -> Option<&AssistantError> {
        self.last_api_error.as_ref()
    }

    /// Keeps the API error of an assistant message for the result that follows it.
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

    /// Reads the next item and updates the state of the turn. Every reader goes through here.
    pub(crate) fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Read>>> {
        let read = match ready!(self.items.poll_next(cx)) {
            Some(Ok(Item::Message(frame))) => {
                let message = frame.decode();
                self.result_unreadable =
                    frame.ends_turn() && !matches!(message, Message::Result(_));
                if let Message::Gap(gap) = &message {
                    tracing::warn!(bytes = gap.bytes, "line skipped: not JSON");
                }
                self.note_api_error(&message);
                let position = match self.is_in_turn() {
                    true => self.open.note(&frame, &message),
                    false => TurnPosition::Inside,
                };
                Some(Ok(Read::Message(message, position)))
            }
            Some(Ok(Item::Gap(gap))) => {
                Some(Ok(Read::Message(Message::from(*gap), TurnPosition::Inside)))
            }
            Some(Ok(Item::RunEnded { answered })) => {
                if !answered {
                    self.open.clear();
                }
                Some(Ok(Read::RunEnded))
            }
            Some(Err(error)) => {
                self.open.clear();
                Some(Err(error))
            }
            None => {
                self.open.clear();
                None
            }
        };
        Poll::Ready(read)
    }

    fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Message>>> {
        loop {
            match ready!(self.poll_read(cx)) {
                Some(Ok(Read::Message(message, _))) => return Poll::Ready(Some(Ok(message))),
                Some(Ok(Read::RunEnded)) => {}
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
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
