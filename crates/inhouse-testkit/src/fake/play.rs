use std::future::Future;
use std::time::Duration;

use inhouse::{Client, Options, Result};
use tokio::runtime;
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::cli::FakeCli;
use super::deadline::within;
use super::launched::Launched;
use super::transport::FakeTransport;

/// Passes at once on a paused clock when both sides are idle, and never on a running one.
const PAUSED_DEADLINE: Duration = Duration::from_secs(24 * 60 * 60);

/// Limits a session in real time, for runtimes whose clock is not paused.
const REAL_DEADLINE: Duration = Duration::from_secs(60);

/// Runs a future on a new current-thread runtime with a paused clock.
///
/// For examples and tests that are not async themselves. Timeouts pass at once when nothing else is left to do. Panics if
/// the future does not complete within 60 s of real time, or when called from within a runtime.
///
/// ```
/// use inhouse::Options;
/// use inhouse_testkit::{FakeCli, run};
///
/// run(FakeCli::play(
///     Options::new(),
///     async |client| client.control().set_model(Some("opus")).await,
///     async |cli| cli.expect_request("set_model").await.succeed_empty().await,
/// ));
/// ```
pub fn run<F: Future>(future: F) -> F::Output {
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build();
    runtime
        .expect("a runtime can be built")
        .block_on(before_deadline(future))
}

/// Connects a session with these options to a fake CLI, closes it, and returns how the CLI was started.
///
/// Blocks like [`run`]. Panics if the options are invalid.
///
/// ```
/// use inhouse::Options;
/// use inhouse_testkit::fake;
///
/// let cli = fake::launch(Options::new().model("opus").env("LANG", "C").title("Sums"));
/// assert!(cli.has_arg("--model=opus"));
/// assert_eq!(cli.env("LANG"), Some("C"));
/// assert_eq!(cli.initialize()["title"], "Sums");
/// ```
#[must_use]
pub fn launch(options: Options) -> Launched {
    run(FakeCli::play_cli(options, async |cli| {
        cli.launched().clone()
    }))
}

/// Runs both sides of a conversation to completion.
///
/// For sides that [`FakeCli::play`] does not fit: this neither connects nor closes anything. Panics if the two do not
/// complete within 60 s of real time, or if both are idle forever on a paused clock.
pub async fn join<H: Future, C: Future>(host: H, cli: C) -> (H::Output, C::Output) {
    // Boxed, because in debug builds each layer of async functions around a future doubles its size, until the stack of a
    // test thread overflows.
    let (host, cli) = (Box::pin(host), Box::pin(cli));
    before_deadline(async { tokio::join!(host, cli) }).await
}

impl FakeCli {
    /// Runs a session: connects a client to a fake CLI, runs both sides concurrently, and closes the session.
    ///
    /// The CLI's side starts after it has accepted `initialize`, which [`launched`](Self::launched) returns. The session is
    /// closed when both sides have returned; anything that the host sends until then and the CLI does not expect fails
    /// the test. Returns what the two sides return.
    ///
    /// Panics if the session cannot be opened, if `host` returns an error, or on the deadlines of [`join`].
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::FakeCli;
    ///
    /// # inhouse_testkit::run(async {
    /// let (answer, ()) = FakeCli::play(
    ///     Options::new(),
    ///     async |client| client.send("What is 15 + 27?").await?.text().await,
    ///     async |cli| {
    ///         assert_eq!(cli.expect_prompt().await.text(), "What is 15 + 27?");
    ///         cli.turn("42").await;
    ///     },
    /// )
    /// .await;
    /// assert_eq!(answer, "42");
    /// # });
    /// ```
    pub async fn play<T, U>(
        options: Options,
        host: impl AsyncFnOnce(&mut Client) -> Result<T>,
        cli: impl AsyncFnOnce(&mut Self) -> U,
    ) -> (T, U) {
        // Dropped when the CLI's side has returned.
        let (cli_runs, cli_returned) = oneshot::channel::<()>();
        Self::play_with(
            async |transport| {
                let mut client = Box::pin(Client::connect_with(options, transport)).await?;
                let output = host(&mut client).await?;
                let _ = cli_returned.await;
                client.close().await?;
                Ok(output)
            },
            async |mut fake| {
                fake.accept().await;
                let output = cli(&mut fake).await;
                drop(cli_runs);
                fake.expect_end_of_input().await;
                output
            },
        )
        .await
    }

    /// Runs a session in which only the CLI acts: it calls tools and hooks and requests permissions.
    ///
    /// Otherwise like [`play`](Self::play).
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::tool::{Tool, ToolServer};
    /// use inhouse_testkit::FakeCli;
    /// use serde_json::json;
    ///
    /// # inhouse_testkit::run(async {
    /// let clock = ToolServer::new("clock").tool(Tool::new("now", "The time", async || "noon"));
    /// FakeCli::play_cli(Options::new().tool_server(clock), async |cli| {
    ///     let result = cli.call_tool("clock", "now", json!({})).await;
    ///     assert_eq!(result.all_text(), "noon");
    /// })
    /// .await;
    /// # });
    /// ```
    pub async fn play_cli<U>(options: Options, cli: impl AsyncFnOnce(&mut Self) -> U) -> U {
        Self::play(options, async |_| Ok(()), cli).await.1
    }

    /// Runs a host that opens and closes its session itself, such as one query, beside a fake CLI.
    ///
    /// The CLI's side has to [accept](Self::accept) the session. Panics as [`play`](Self::play) does.
    ///
    /// ```
    /// use inhouse::query;
    /// use inhouse_testkit::FakeCli;
    ///
    /// # inhouse_testkit::run(async {
    /// let (answer, ()) = FakeCli::play_with(
    ///     async |transport| query("What is 15 + 27?").transport(transport).await?.text().await,
    ///     async |mut cli| {
    ///         cli.accept().await;
    ///         cli.expect_prompt().await;
    ///         cli.turn("42").await;
    ///     },
    /// )
    /// .await;
    /// assert_eq!(answer, "42");
    /// # });
    /// ```
    pub async fn play_with<T, U>(
        host: impl AsyncFnOnce(FakeTransport) -> Result<T>,
        cli: impl AsyncFnOnce(Self) -> U,
    ) -> (T, U) {
        let (transport, fake) = Self::new();
        let host = async {
            host(transport)
                .await
                .unwrap_or_else(|error| panic!("the host returned an error: {error}"))
        };
        join(host, cli(fake)).await
    }
}

async fn before_deadline<F: Future>(future: F) -> F::Output {
    unless_stuck(future)
        .await
        .unwrap_or_else(|stuck| panic!("{stuck}"))
}

/// Waits for both sides of a conversation; returns the reason if they do not end.
pub(crate) async fn unless_stuck<F: Future>(future: F) -> std::result::Result<F::Output, String> {
    match within(REAL_DEADLINE, timeout(PAUSED_DEADLINE, future)).await {
        Some(Ok(output)) => Ok(output),
        Some(Err(_)) => Err("both sides wait for something that never happens".to_owned()),
        None => Err(format!("the session did not end within {REAL_DEADLINE:?}")),
    }
}
