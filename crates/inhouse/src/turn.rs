use inhouse_proto::message::{Message, Prompt, Received, ResultMessage};
use serde::de::DeserializeOwned;
use tracing::Instrument;
use uuid::Uuid;

use crate::error::{Error, ErrorKind, Result};
use crate::outcome;
use crate::stream::{MessageStream, Read, TurnPosition};

/// The messages that answer one prompt, up to and including its result.
///
/// Begun by [`Client::send`](crate::Client::send). Read it message by message with
/// [`next`](Self::next), or to its end with [`text`](Self::text), [`json`](Self::json) or
/// [`finish`](Self::finish).
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
    span: tracing::Span,
}

impl<'a> Turn<'a> {
    pub(crate) async fn begin(messages: &'a mut MessageStream, mut prompt: Prompt) -> Result<Self> {
        discard_dropped_turn(messages)
            .instrument(tracing::debug_span!("inhouse::abandoned_turn"))
            .await?;
        let id = prompt
            .uuid
            .get_or_insert_with(|| Uuid::new_v4().to_string())
            .clone();
        // Before the send: the prompt may reach the CLI even if this future is dropped.
        messages.expect_answer(Some(id));
        let prompt_id = match messages.control().send(prompt).await {
            Ok(id) => id,
            Err(error) => {
                // After a timeout the CLI may still read the prompt later.
                if !error.is_timeout() {
                    messages.expect_answer(None);
                }
                return Err(error);
            }
        };
        // Another one if it continues the turn of this prompt, which was cut off before the session was resumed.
        messages.expect_answer(Some(prompt_id.clone()));
        let span = tracing::info_span!("inhouse::turn", prompt_id);
        span.in_scope(|| tracing::debug!("turn started"));
        Ok(Self {
            messages,
            prompt_id,
            span,
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
        self.messages.unanswered() == Some(&self.prompt_id)
    }

    fn trace_end(&self, last: Option<&Result<Message>>) {
        self.span.in_scope(|| match last {
            Some(Ok(Message::Result(result))) => tracing::info!(
                subtype = result.subtype.as_str(),
                is_error = result.is_error,
                duration_ms = result.duration_ms,
                num_turns = result.num_turns,
                "turn ended"
            ),
            Some(Err(error)) => tracing::warn!(%error, "turn ended without a result"),
            _ => tracing::warn!("turn ended without a result"),
        });
    }
}

/// Reads and discards the rest of a turn that was dropped before its result.
///
/// Reading the result, or the end of the stream, clears `unanswered` and so ends the loop.
async fn discard_dropped_turn(messages: &mut MessageStream) -> Result<()> {
    while messages.unanswered().is_some() {
        match messages.read().await {
            // A prompt that was cancelled before it ran has no result.
            Some(Ok(Read::RunEnded)) => messages.expect_answer(None),
            Some(Ok(Read::Message(..))) | None => {}
            Some(Err(error)) => return Err(error),
        }
    }
    Ok(())
}
