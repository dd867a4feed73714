use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;

use futures_core::Stream;
use inhouse_proto::message::Prompt;

use crate::error::Result;
use crate::launch::Plan;
use crate::options::Options;
use crate::session::{self, Purpose};
use crate::stream::MessageStream;
use crate::transport::{ChildTransport, Transport};

/// Creates a query: one prompt for a CLI that is started for it.
///
/// Awaiting the query starts the CLI and returns the [`MessageStream`]. The CLI exits when the answer
/// is complete. For a conversation, use [`Client`](crate::Client).
///
/// With hooks, permission handlers or other options that restrict the session, the prompt is sent
/// after the CLI has confirmed them. Without any, it is sent together with `initialize`, which saves a
/// round trip.
///
/// ```
/// use inhouse::{Options, query};
///
/// # use inhouse_testkit::{FakeCli, run};
/// # run(FakeCli::play_with(async |transport| {
/// let answer = query("What is 15 + 27?")
///     .options(Options::new().max_turns(3))
/// #   .transport(transport)
///     .await?
///     .text()
///     .await?;
/// assert_eq!(answer, "42");
/// # Ok(()) }, async |mut cli| {
/// #     cli.accept().await;
/// #     cli.expect_prompt().await;
/// #     cli.turn("42").await;
/// # }));
/// ```
///
/// # Errors
/// Awaiting the query fails as [`Client::connect`](crate::Client::connect) does.
///
/// # Cancellation
/// Dropping the future kills the CLI.
pub fn query(prompt: impl Into<Prompt>) -> Query {
    Query::new(Purpose::Query(Box::new(prompt.into())))
}

/// Creates a query with any number of prompts, for a CLI that is started for them.
///
/// Each prompt is sent as soon as the stream yields it: during a turn it is queued, or joins the turn
/// (see [`Priority`](inhouse_proto::message::Priority)). When the stream has ended and the last prompt
/// is answered, the CLI's input is closed and the CLI exits. The messages of all turns are in one
/// [`MessageStream`]. To send a prompt that depends on an answer, use [`Client`](crate::Client).
///
/// ```
/// use futures_util::stream;
/// use inhouse::message::Message;
/// use inhouse::query_stream;
///
/// # use inhouse_testkit::{FakeCli, run};
/// # run(FakeCli::play_with(async |transport| {
/// let prompts = stream::iter(["What is 15 + 27?", "And doubled?"]);
/// let mut messages = query_stream(prompts)
/// #   .transport(transport)
///     .await?;
/// let mut answers = Vec::new();
/// while let Some(message) = messages.next().await {
///     if let Message::Result(result) = message? {
///         answers.extend(result.result.clone());
///     }
/// }
/// assert_eq!(answers, ["42", "84"]);
/// # Ok(()) }, async |mut cli| {
/// #     cli.accept().await;
/// #     cli.expect_prompt().await;
/// #     cli.expect_prompt().await;
/// #     cli.turn("42").await;
/// #     cli.turn("84").await;
/// #     cli.expect_end_of_input().await;
/// # }));
/// ```
///
/// # Errors
/// Awaiting the query fails as [`Client::connect`](crate::Client::connect) does. If a prompt cannot be sent
/// (see [`Control::send`](crate::Control::send)), the rest of the stream is dropped, and the error is the
/// last item of the messages.
///
/// # Cancellation
/// Dropping the future kills the CLI. The stream is dropped when the session ends.
pub fn query_stream<S>(prompts: S) -> Query
where
    S: Stream<Item: Into<Prompt>> + Send + 'static,
{
    Query::new(Purpose::Stream(session::box_prompts(prompts)))
}

/// A prompt, or several, sent when this is awaited; see [`query`] and [`query_stream`].
#[must_use = "a query does nothing until it is awaited"]
pub struct Query<T = ChildTransport> {
    purpose: Purpose,
    options: Options,
    plan: fn(&Options) -> Result<Plan>,
    transport: T,
}

impl Query {
    fn new(purpose: Purpose) -> Self {
        Self {
            purpose,
            options: Options::new(),
            plan: Plan::locate,
            transport: ChildTransport,
        }
    }
}

impl<T> Query<T> {
    /// Sets the options of the session; every default unless set.
    ///
    /// ```
    /// use inhouse::{Options, query};
    ///
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play_with(async |transport| {
    /// let query = query("What is 15 + 27?").options(Options::new().model("opus"));
    /// # query.transport(transport).await?.finish().await }, async |mut cli| {
    /// #     cli.accept().await;
    /// #     assert!(cli.launched().has_arg("--model=opus"));
    /// #     cli.expect_prompt().await;
    /// #     cli.turn("42").await;
    /// # }));
    /// ```
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Sets the transport to the CLI; a [child process](ChildTransport) unless set.
    ///
    /// ```
    /// use inhouse::query;
    ///
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play_with(async |transport| {
    /// // `transport` is any `inhouse::transport::Transport`, here that of a fake CLI.
    /// let messages = query("What is 15 + 27?").transport(transport).await?;
    /// assert_eq!(messages.text().await?, "42");
    /// # Ok(()) }, async |mut cli| {
    /// #     cli.accept().await;
    /// #     cli.expect_prompt().await;
    /// #     cli.turn("42").await;
    /// # }));
    /// ```
    pub fn transport<U: Transport>(self, transport: U) -> Query<U> {
        Query {
            purpose: self.purpose,
            options: self.options,
            plan: Plan::for_transport,
            transport,
        }
    }
}

impl<T: Transport> IntoFuture for Query<T> {
    type Output = Result<MessageStream>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    /// Starts the CLI and waits until it has accepted the session.
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let opened = session::open(self.options, self.plan, self.transport, self.purpose).await;
            opened.map(|(messages, _)| messages)
        })
    }
}

/// Omits the prompt, which may be confidential.
impl<T> fmt::Debug for Query<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Query")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
