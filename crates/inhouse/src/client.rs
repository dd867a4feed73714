use inhouse_proto::message::Prompt;

use crate::control::Control;
use crate::error::Result;
use crate::launch::Plan;
use crate::options::Options;
use crate::process::ExitStatus;
use crate::session::{self, Purpose};
use crate::stream::MessageStream;
use crate::transport::{ChildTransport, Transport};
use crate::turn::Turn;
use crate::warning::Warning;

/// A conversation with a CLI over several prompts.
///
/// A client has one reader and any number of controls: [`send`](Self::send) begins a [`Turn`] that is
/// read to its result, while clones of the [`Control`] interrupt it or change settings from other
/// tasks. For a single prompt, [`query`](fn@crate::query) is shorter.
///
/// ```
/// use inhouse::{Client, Options};
///
/// # async fn connect() -> inhouse::Result<Client> {
/// let mut client = Client::connect(Options::new().model("opus")).await?;
/// # Ok(client)
/// # }
/// # use inhouse_testkit::{FakeCli, run};
/// # run(FakeCli::play_with(async |transport| {
/// # let mut client = Client::connect_with(Options::new().model("opus"), transport).await?;
/// let sum = client.send("What is 15 + 27?").await?.text().await?;
/// let doubled = client.send("And doubled?").await?.text().await?;
/// assert_eq!((sum.as_str(), doubled.as_str()), ("42", "84"));
/// client.close().await?;
/// # Ok(()) }, async |mut cli| {
/// #     cli.accept().await;
/// #     for answer in ["42", "84"] {
/// #         cli.expect_prompt().await;
/// #         cli.turn(answer).await;
/// #     }
/// #     cli.expect_end_of_input().await;
/// # }));
/// ```
///
/// # Cancellation
/// Dropping a client ends its session in the background, once every clone of its [`Control`] is
/// dropped too. An idle CLI gets the same time to exit as with [`close`](Self::close). A CLI in the
/// middle of a turn, or with a background task, is killed at once: it must not continue without a
/// host that answers its hooks, permission requests and tool calls.
#[derive(Debug)]
pub struct Client {
    messages: MessageStream,
    warnings: Vec<Warning>,
}

impl Client {
    /// Starts the CLI and waits until it has accepted the session.
    ///
    /// ```
    /// use inhouse::{Client, ErrorKind, Options};
    ///
    /// # inhouse_testkit::run(async {
    /// let options = Options::new().cli_path("/opt/no-such-directory/claude");
    /// match Client::connect(options).await {
    ///     Ok(client) => assert!(client.control().pid().is_some()),
    ///     Err(error) => assert_eq!(error.kind(), ErrorKind::CliNotFound),
    /// }
    /// # });
    /// ```
    ///
    /// # Errors
    /// `Config` if the options contradict each other or the runtime has no I/O or timers;
    /// `CliNotFound` or `Spawn` if the CLI cannot be started; `Handshake`, `Timeout` or `Exited` if it
    /// does not accept the session. The CLI has exited when this returns an error.
    ///
    /// With a [store](crate::Options::store), before anything is started: `SessionNotFound` if the store does not have the session,
    /// `Held` if another process or host works on it, `Timeout` or `Store` if it cannot be loaded.
    ///
    /// # Cancellation
    /// Dropping the future kills the CLI.
    pub async fn connect(options: Options) -> Result<Self> {
        Self::open(options, Plan::locate, ChildTransport).await
    }

    /// Connects over another transport than a child process; otherwise like
    /// [`connect`](Self::connect).
    ///
    /// ```
    /// use inhouse::{Client, Options};
    ///
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play_with(async |transport| {
    /// // `transport` is any `inhouse::transport::Transport`, here that of a fake CLI.
    /// let client = Client::connect_with(Options::new(), transport).await?;
    /// assert_eq!(client.control().pid(), None);
    /// # client.close().await }, async |mut cli| {
    /// #     cli.accept().await;
    /// #     cli.expect_end_of_input().await;
    /// # }));
    /// ```
    ///
    /// # Errors
    /// The errors of [`connect`](Self::connect), and those of the transport.
    pub async fn connect_with<T: Transport>(options: Options, transport: T) -> Result<Self> {
        Self::open(options, Plan::for_transport, transport).await
    }

    /// Sends a prompt and begins the turn that answers it.
    ///
    /// If an earlier turn was dropped before its result, this first reads and discards the rest of
    /// that turn, so that none of it appears in the new one. Call [`Control::interrupt`] before to
    /// shorten the wait.
    ///
    /// The turn of a prompt that [starts none](Prompt::should_query) has ended already: it has no messages and no result.
    ///
    /// ```
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// let turn = client.send("What is 15 + 27?").await?;
    /// assert_eq!(turn.text().await?, "42");
    /// # Ok(()) }, async |cli| {
    /// #     cli.expect_prompt().await;
    /// #     cli.turn("42").await;
    /// # }));
    /// ```
    ///
    /// # Errors
    /// `Closed` or `Exited` if the session has ended; `Timeout` if the CLI does not read its stdin in
    /// time.
    ///
    /// # Cancellation
    /// Until the future completes, the prompt may or may not have been sent.
    pub async fn send(&mut self, prompt: impl Into<Prompt>) -> Result<Turn<'_>> {
        Turn::begin(&mut self.messages, prompt.into()).await
    }

    /// Returns the control handle of the session.
    ///
    /// ```
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// // A clone works in any task.
    /// let control = client.control().clone();
    /// let changed = tokio::spawn(async move { control.set_model(Some("opus")).await });
    /// assert!(changed.await.unwrap().is_ok());
    /// # Ok(()) }, async |cli| cli.expect_request("set_model").await.succeed_empty().await));
    /// ```
    #[must_use]
    pub fn control(&self) -> &Control {
        self.messages.control()
    }

    /// Returns the id by which the session can be resumed.
    ///
    /// `None` until the CLI has reported it, which it does at the start of every turn. `/clear` changes
    /// the id. The id is still known after the session has ended.
    ///
    /// ```
    /// use inhouse::Options;
    ///
    /// # use inhouse_testkit::{FakeCli, run};
    /// # let (options, expected) = run(FakeCli::play(Options::new(), async |client| {
    /// client.send("What is 15 + 27?").await?.finish().await?;
    /// let id = client.session_id().expect("a turn has started");
    /// let options = Options::new().resume(&id);
    /// # Ok(options) }, async |cli| {
    /// #     cli.expect_prompt().await;
    /// #     cli.turn("42").await;
    /// #     cli.session_id().to_owned()
    /// # }));
    /// # assert!(inhouse_testkit::fake::launch(options).has_arg(&format!("--resume={expected}")));
    /// ```
    #[must_use]
    pub fn session_id(&self) -> Option<String> {
        self.control().session_id()
    }

    /// Returns the stream of all messages, those between turns included.
    ///
    /// Useful with background tasks, which send messages and start turns without a prompt.
    ///
    /// ```
    /// use inhouse::message::Message;
    ///
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// let message = client.messages().next().await.expect("the session runs")?;
    /// assert!(matches!(message, Message::Assistant(_)));
    /// # Ok(()) }, async |cli| cli.assistant("The build has finished.").await));
    /// ```
    pub fn messages(&mut self) -> &mut MessageStream {
        &mut self.messages
    }

    /// Returns warnings about options that probably do not do what was intended.
    ///
    /// ```
    /// use inhouse::permission::{CanUseTool, Decision};
    /// use inhouse::{Asked, Options, Warning};
    ///
    /// # use inhouse_testkit::{FakeCli, run};
    /// let options = Options::new()
    ///     .allow_tools(["Bash"])
    ///     .permissions(async |_: Asked<CanUseTool>| Ok(Decision::deny("no")));
    /// # run(FakeCli::play(options, async |client| {
    /// assert!(matches!(client.warnings(), [Warning::RulesBypassHandler(_)]));
    /// # Ok(()) }, async |_| ()));
    /// ```
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Splits the client into a control handle and the stream of all messages.
    ///
    /// For programs that read the messages in one task and send prompts from others.
    ///
    /// ```
    /// use inhouse::message::Message;
    /// # use inhouse::{Client, Options};
    /// # use inhouse_testkit::{FakeCli, run};
    ///
    /// # run(FakeCli::play_with(async |transport| {
    /// # let client = Client::connect_with(Options::new(), transport).await?;
    /// let (control, mut messages) = client.split();
    /// control.send("What is 15 + 27?").await?;
    /// while let Some(message) = messages.next().await {
    ///     if let Message::Result(result) = message? {
    ///         assert_eq!(result.result.as_deref(), Some("42"));
    ///         break;
    ///     }
    /// }
    /// # control.close().await }, async |mut cli| {
    /// #     cli.accept().await;
    /// #     cli.expect_prompt().await;
    /// #     cli.turn("42").await;
    /// #     cli.expect_end_of_input().await;
    /// # }));
    /// ```
    pub fn split(self) -> (Control, MessageStream) {
        (self.messages.control().clone(), self.messages)
    }

    /// Ends the session, waits until the CLI has exited, and returns its exit status.
    ///
    /// A running turn is interrupted, queued prompts are cancelled, handlers are dropped without an
    /// answer, and the CLI's stdin is closed. The CLI then exits by itself, with code 1 after an interrupted turn. If it does not
    /// exit within the grace period, it gets TERM and then KILL, together with every process that it
    /// has started. [`Options::shutdown`](crate::Options::shutdown) sets the time for each step.
    ///
    /// The status is `None` if the transport has none, or if the CLI did not exit even after KILL.
    ///
    /// ```
    /// # use inhouse::{Client, Options};
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play_with(async |transport| {
    /// # let client = Client::connect_with(Options::new(), transport).await?;
    /// let exit = client.close().await?;
    /// assert!(exit.is_some_and(|status| status.success()));
    /// # Ok(()) }, async |mut cli| {
    /// #     cli.accept().await;
    /// #     cli.expect_end_of_input().await;
    /// # }));
    /// ```
    ///
    /// # Errors
    /// [`Exited`](crate::ErrorKind::Exited) if the CLI had exited before, and no result explains why. With a store also `Store` if
    /// something could not be stored, and `Fenced` if the lease of the session was lost.
    ///
    /// # Cancellation
    /// Dropping the future does not stop the shutdown.
    pub async fn close(self) -> Result<Option<ExitStatus>> {
        self.control().close().await
    }

    async fn open<T: Transport>(
        options: Options,
        plan: fn(&Options) -> Result<Plan>,
        transport: T,
    ) -> Result<Self> {
        let purpose = Purpose::Conversation;
        let (messages, warnings) = session::open(options, plan, transport, purpose).await?;
        Ok(Self { messages, warnings })
    }
}
