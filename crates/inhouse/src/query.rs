use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;

use inhouse_proto::message::Prompt;

use crate::error::Result;
use crate::launch::Launch;
use crate::options::Options;
use crate::session::{self, Purpose};
use crate::stream::MessageStream;
use crate::transport::{ChildTransport, Transport};

/// Asks one question of a CLI of its own.
///
/// The CLI is started when the query is awaited, and ends when its answer is complete. For a
/// conversation see [`Client`](crate::Client).
///
/// With hooks, permission handlers or other options that restrict the session, the prompt is sent
/// after the CLI has confirmed them. Without any, it is sent together with `initialize`, which saves a
/// round trip.
///
/// ```no_run
/// # async fn example() -> inhouse::Result<()> {
/// use inhouse::Options;
///
/// let answer = inhouse::query("What is 15 + 27?")
///     .options(Options::new().max_turns(3))
///     .await?
///     .text()
///     .await?;
/// # Ok(())
/// # }
/// ```
pub fn query(prompt: impl Into<Prompt>) -> Query {
    Query {
        prompt: prompt.into(),
        options: Options::new(),
        launch: Launch::new,
        transport: ChildTransport,
    }
}

/// A question that has not been asked yet; see [`query`].
#[must_use = "a query is asked when it is awaited"]
pub struct Query<T = ChildTransport> {
    prompt: Prompt,
    options: Options,
    launch: fn(&Options) -> Result<Launch>,
    transport: T,
}

impl<T> Query<T> {
    /// How to ask.
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Whom to ask: a CLI behind a transport of your own.
    pub fn transport<U: Transport>(self, transport: U) -> Query<U> {
        Query {
            prompt: self.prompt,
            options: self.options,
            launch: Launch::elsewhere,
            transport,
        }
    }
}

impl<T: Transport> IntoFuture for Query<T> {
    type Output = Result<MessageStream>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    /// Starts the CLI and waits until it has accepted the session; its messages follow.
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let launch = (self.launch)(&self.options)?;
            let purpose = Purpose::Query(Box::new(self.prompt));
            session::open(self.options, launch, self.transport, purpose).await
        })
    }
}

/// Shows the options and not the prompt.
impl<T> fmt::Debug for Query<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Query")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
