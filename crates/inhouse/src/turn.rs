use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use inhouse_proto::message::{Message, Prompt, Received, ResultMessage};
use serde::de::DeserializeOwned;
use tokio::sync::watch;
use tracing::Instrument;
use uuid::Uuid;

use crate::error::{Error, ErrorKind, Result};
use crate::outcome;
use crate::steering::{SteerReceipt, SteerState};
use crate::stream::{MessageStream, Read, TurnPosition};

/// The messages that answer one prompt, and those that [steer](Self::steer) it, up to and including the
/// last result.
///
/// Begun by [`Client::send`](crate::Client::send). Read it message by message with
/// [`next`](Self::next), or to its end with [`text`](Self::text), [`json`](Self::json) or
/// [`finish`](Self::finish). Also a [`Stream`], for combinators:
///
/// ```
/// use futures_util::TryStreamExt as _;
/// use inhouse::message::Message;
///
/// # use inhouse_testkit::{FakeCli, run};
/// # run(FakeCli::play(inhouse::Options::new(), async |client| {
/// let turn = client.send("What is 15 + 27?").await?;
/// let messages: Vec<Message> = turn.try_collect().await?;
/// assert!(matches!(messages.last(), Some(Message::Result(_))));
/// # Ok(()) }, async |cli| {
/// #     cli.expect_prompt().await;
/// #     cli.turn("42").await;
/// # }));
/// ```
///
/// Message by message:
///
/// ```
/// use inhouse::message::Message;
///
/// # use inhouse_testkit::{FakeCli, run};
/// # run(FakeCli::play(inhouse::Options::new(), async |client| {
/// let mut turn = client.send("What is 15 + 27?").await?;
/// while let Some(message) = turn.next().await {
///     match message? {
///         Message::Assistant(message) => println!("{}", message.text()),
///         Message::Result(result) => assert!(!result.is_error),
///         _ => {}
///     }
/// }
/// # Ok(()) }, async |cli| {
/// #     cli.expect_prompt().await;
/// #     cli.turn("42").await;
/// # }));
/// ```
///
/// # Cancellation
/// Dropping a turn does not stop it: the CLI continues, and the next
/// [`Client::send`](crate::Client::send) discards the rest of its messages.
/// [`Control::interrupt`](crate::Control::interrupt) stops it.
#[derive(Debug)]
#[must_use = "the messages of a turn are discarded if they are not read"]
pub struct Turn<'a> {
    messages: &'a mut MessageStream,
    prompt_id: String,
}

impl<'a> Turn<'a> {
    pub(crate) async fn begin(messages: &'a mut MessageStream, mut prompt: Prompt) -> Result<Self> {
        if messages.is_in_turn() {
            discard_dropped_turn(messages)
                .instrument(tracing::debug_span!("inhouse::abandoned_turn"))
                .await?;
        }
        let id = prompt
            .uuid
            .get_or_insert_with(|| Uuid::new_v4().to_string())
            .clone();
        // No result answers a prompt that starts no turn.
        if prompt.should_query != Some(false) {
            // Before the send: the prompt may reach the CLI even if this future is dropped.
            messages.open_prompts().begin(id.clone());
        }
        let prompt_id = match messages.control().send(prompt).await {
            Ok(id) => id,
            Err(error) => {
                // After a timeout the CLI may still read the prompt later.
                if !error.is_timeout() {
                    messages.open_prompts().remove(&id);
                }
                return Err(error);
            }
        };
        if prompt_id != id {
            // It continues the turn of this prompt, which was cut off before the session was resumed.
            messages.open_prompts().remove(&id);
            messages.open_prompts().begin(prompt_id.clone());
        }
        Ok(Self {
            messages,
            prompt_id,
        })
    }

    /// Returns the id of the prompt, which the CLI repeats in its result.
    ///
    /// [`Control::cancel_prompt`](crate::Control::cancel_prompt) and
    /// [`Control::rewind_files`](crate::Control::rewind_files) take it.
    ///
    /// ```
    /// # use inhouse_testkit::{FakeCli, run};
    /// # let (id, sent) = run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// let turn = client.send("What is 15 + 27?").await?;
    /// let id = turn.prompt_id().to_owned();
    /// # turn.finish().await?;
    /// # Ok(id) }, async |cli| {
    /// #     let prompt = cli.expect_prompt().await;
    /// #     cli.turn("42").await;
    /// #     prompt.uuid().map(str::to_owned)
    /// # }));
    /// # assert_eq!(Some(id), sent);
    /// ```
    #[must_use]
    pub fn prompt_id(&self) -> &str {
        &self.prompt_id
    }

    /// Sends another prompt into this turn, for instance a correction while the model works.
    ///
    /// The [priority](Prompt::priority) of the prompt determines what the CLI does with it (2.1.325):
    ///
    /// | priority | while tools run | while the model writes its last message |
    /// |---|---|---|
    /// | [`Next`](inhouse_proto::message::Priority::Next), the default | joins the turn: the model reads it together with the results of the tools | starts a separate turn after this one |
    /// | [`Now`](inhouse_proto::message::Priority::Now) | aborts the tools, and starts a separate turn after the result of this one, whose [`terminal_reason`](ResultMessage::terminal_reason) is `aborted_tools` | the same, with `aborted_streaming` |
    /// | [`Later`](inhouse_proto::message::Priority::Later) | starts a separate turn after this one | the same |
    ///
    /// In each case this `Turn` continues until the prompt is answered: [`next`](Self::next) returns the
    /// messages of both, and [`text`](Self::text), [`json`](Self::json) and [`finish`](Self::finish)
    /// return the last result. The receipt has the state of the prompt. The CLI acknowledges its steps
    /// with [`CommandLifecycle`](Message::CommandLifecycle) messages, which are part of the turn.
    ///
    /// The results of CLI 2.1.197 do not name the prompts that they answer, so this `Turn` ends at the
    /// first result there. A separate turn of the steering prompt is then not part of it:
    /// [`Client::messages`](crate::Client::messages) returns its messages.
    ///
    /// From other tasks, or from a tool, a prompt of [`Control::send`](crate::Control::send) steers in the
    /// same way, but a separate turn is not part of this `Turn` then.
    ///
    /// ```
    /// use inhouse::SteerState;
    /// use inhouse::message::Message;
    /// # use serde_json::json;
    ///
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// let mut turn = client.send("Measure the garden.").await?;
    /// let mut receipt = None;
    /// while let Some(message) = turn.next().await {
    ///     match message? {
    ///         // The model calls a tool.
    ///         Message::Assistant(message) if receipt.is_none() => {
    ///             receipt = Some(turn.steer("Use metric units.").await?);
    ///         }
    ///         Message::Result(result) => assert_eq!(result.result.as_deref(), Some("12 m²")),
    ///         _ => {}
    ///     }
    /// }
    /// assert_eq!(receipt.unwrap().state(), SteerState::Joined);
    /// # Ok(()) }, async |cli| {
    /// #     let first = cli.expect_prompt().await.uuid().unwrap().to_owned();
    /// #     let state = |id: &str, state: &str| {
    /// #         json!({"type": "command_lifecycle", "command_uuid": id, "state": state})
    /// #     };
    /// #     cli.state("running").await;
    /// #     cli.send(state(&first, "started")).await;
    /// #     cli.assistant("Let me measure.").await;
    /// #     let second = cli.expect_prompt().await.uuid().unwrap().to_owned();
    /// #     for step in ["queued", "started", "completed"] {
    /// #         cli.send(state(&second, step)).await;
    /// #     }
    /// #     cli.result("12 m²").await;
    /// #     cli.state("idle").await;
    /// # }));
    /// ```
    ///
    /// # Errors
    /// `Closed` or `Exited` if the session has ended; `Timeout` if the CLI does not read its stdin in
    /// time.
    ///
    /// # Cancellation
    /// Until the future completes, the prompt may or may not have been sent. If it was, the turn includes
    /// its answer.
    pub async fn steer(&mut self, prompt: impl Into<Prompt>) -> Result<SteerReceipt> {
        let mut prompt = prompt.into();
        let id = prompt
            .uuid
            .get_or_insert_with(|| Uuid::new_v4().to_string())
            .clone();
        let (sender, state) = watch::channel(SteerState::Sent);
        // No result answers a prompt that starts no turn.
        if prompt.should_query != Some(false) {
            // Before the send: the prompt may reach the CLI even if this future is dropped.
            self.messages.open_prompts().steer(id.clone(), sender);
        }
        match self.messages.control().send(prompt).await {
            Ok(prompt_id) => {
                // Another id if the prompt was cut off or answered before the session was resumed.
                self.messages.open_prompts().rename(&id, &prompt_id);
                Ok(SteerReceipt::new(prompt_id, state))
            }
            Err(error) => {
                // After a timeout the CLI may still read the prompt later.
                if !error.is_timeout() {
                    self.messages.open_prompts().remove(&id);
                }
                Err(error)
            }
        }
    }

    /// Returns the next message; `None` after the result.
    ///
    /// ```
    /// use inhouse::message::Message;
    ///
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// let mut turn = client.send("What is 15 + 27?").await?;
    /// let mut last = None;
    /// while let Some(message) = turn.next().await {
    ///     last = Some(message?);
    /// }
    /// assert!(matches!(last, Some(Message::Result(_))));
    /// # Ok(()) }, async |cli| {
    /// #     cli.expect_prompt().await;
    /// #     cli.turn("42").await;
    /// # }));
    /// ```
    ///
    /// # Errors
    /// `Exited` or `Closed` if the session ended before the result. Nothing follows an error.
    ///
    /// # Cancellation
    /// Dropping the future loses no message, so it can be used in a `select!`.
    pub async fn next(&mut self) -> Option<Result<Message>> {
        poll_fn(|cx| self.poll_message(cx)).await
    }

    fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Message>>> {
        while self.is_open() {
            match ready!(self.messages.poll_read(cx)) {
                Some(Ok(Read::Message(_, TurnPosition::OtherTurn) | Read::RunEnded)) => {}
                Some(Ok(Read::Message(message, _))) => return Poll::Ready(Some(Ok(message))),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
        Poll::Ready(None)
    }

    /// Reads to the result and returns it, also if it is an error result.
    ///
    /// [`Received::raw`] returns the line of the result, with the members for which it has no field.
    ///
    /// ```
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// let result = client.send("What is 15 + 27?").await?.finish().await?;
    /// assert!(result.is_error);
    /// assert_eq!(result.subtype.as_str(), "error_max_turns");
    /// # Ok(()) }, async |cli| {
    /// #     cli.expect_prompt().await;
    /// #     cli.error_result("error_max_turns", &[]).await;
    /// # }));
    /// ```
    ///
    /// # Errors
    /// `Exited` or `Closed` if the session ended before the result; `Protocol` if the result cannot be
    /// read.
    pub async fn finish(mut self) -> Result<Received<ResultMessage>> {
        self.read_to_result().await
    }

    async fn read_to_result(&mut self) -> Result<Received<ResultMessage>> {
        let mut result_before = None;
        while let Some(message) = self.next().await {
            let message = message?;
            if !self.is_open() {
                return match (message, result_before) {
                    // A steering prompt was cancelled after the result of the turn.
                    (Message::CommandLifecycle(_), Some(result)) => Ok(result),
                    (message, _) => outcome::result(message),
                };
            }
            if let Message::Result(result) = message {
                result_before = Some(result);
            }
        }
        Err(match self.messages.control().shared().ended() {
            Some(end) => end.cause.clone(),
            None => Error::new(
                ErrorKind::Protocol,
                "the turn has no result to return: it was read before, could not be read, or the prompt starts no turn \
                 (`should_query(false)`)",
            ),
        })
    }

    /// Reads to the result and returns its text.
    ///
    /// ```
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// let answer = client.send("What is 15 + 27?").await?.text().await?;
    /// assert_eq!(answer, "42");
    /// # Ok(()) }, async |cli| {
    /// #     cli.expect_prompt().await;
    /// #     cli.turn("42").await;
    /// # }));
    /// ```
    ///
    /// # Errors
    /// [`Failed`](ErrorKind::Failed) if the turn ended with an error result, and the errors of
    /// [`finish`](Self::finish).
    pub async fn text(mut self) -> Result<String> {
        let result = self.read_to_result().await?;
        outcome::text(result, self.messages.last_api_error())
    }

    /// Reads to the result and returns its structured output.
    ///
    /// The schema is set by [`Options::output`](crate::Options::output) or
    /// [`Options::json_schema`](crate::Options::json_schema).
    ///
    /// ```
    /// use inhouse::Options;
    /// use serde_json::json;
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Sum {
    ///     value: i64,
    /// }
    ///
    /// # use inhouse_testkit::{FakeCli, run};
    /// let schema = json!({"type": "object", "properties": {"value": {"type": "integer"}}});
    /// let options = Options::new().json_schema(schema);
    /// # run(FakeCli::play(options, async |client| {
    /// let sum: Sum = client.send("What is 15 + 27?").await?.json().await?;
    /// assert_eq!(sum.value, 42);
    /// # Ok(()) }, async |cli| {
    /// #     cli.expect_prompt().await;
    /// #     cli.send(json!({
    /// #         "type": "result", "subtype": "success", "is_error": false, "result": "",
    /// #         "duration_ms": 1, "duration_api_ms": 1, "num_turns": 1, "total_cost_usd": 0,
    /// #         "usage": {}, "session_id": cli.session_id(), "uuid": "u",
    /// #         "structured_output": {"value": 42},
    /// #     })).await;
    /// # }));
    /// ```
    ///
    /// # Errors
    /// The errors of [`text`](Self::text); [`Protocol`](ErrorKind::Protocol) if there is no structured
    /// output or it does not fit `T`.
    pub async fn json<T: DeserializeOwned>(mut self) -> Result<T> {
        let result = self.read_to_result().await?;
        outcome::json(result, self.messages.last_api_error())
    }

    fn is_open(&self) -> bool {
        self.messages.is_in_turn()
    }
}

impl Stream for Turn<'_> {
    type Item = Result<Message>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll_message(cx)
    }
}

/// Reads and discards the rest of a turn that was dropped before its result.
///
/// Reading the last result, or the end of the stream, closes the open prompts and so ends the loop.
async fn discard_dropped_turn(messages: &mut MessageStream) -> Result<()> {
    while messages.is_in_turn() {
        match messages.read().await {
            // A prompt that was cancelled before it ran has no result.
            Some(Ok(Read::RunEnded)) => messages.open_prompts().clear(),
            Some(Ok(Read::Message(..))) | None => {}
            Some(Err(error)) => return Err(error),
        }
    }
    Ok(())
}
