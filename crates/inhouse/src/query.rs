use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;

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
    Query {
        prompt: prompt.into(),
        options: Options::new(),
        plan: Plan::locate,
        transport: ChildTransport,
    }
}

/// A prompt that is sent when this is awaited; see [`query`].
#[must_use = "a query does nothing until it is awaited"]
pub struct Query<T = ChildTransport> {
    prompt: Prompt,
    options: Options,
    plan: fn(&Options) -> Result<Plan>,
    transport: T,
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
            prompt: self.prompt,
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
            let purpose = Purpose::Query(Box::new(self.prompt));
            let opened = session::open(self.options, self.plan, self.transport, purpose).await;
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
