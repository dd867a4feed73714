use inhouse_proto::message::Prompt;

use crate::control::Control;
use crate::error::Result;
use crate::launch::Launch;
use crate::options::Options;
use crate::process::ExitStatus;
use crate::session::{self, Purpose};
use crate::stream::MessageStream;
use crate::transport::{ChildTransport, Transport};
use crate::turn::Turn;
use crate::warning::Warning;

/// A conversation with a CLI that lasts over several prompts.
///
/// A client has one reader and any number of controllers: [`send`](Self::send) begins a [`Turn`]
/// that is read to its result, while clones of its [`Control`] interrupt it or change its settings
/// from other tasks.
///
/// ```no_run
/// # async fn example() -> inhouse::Result<()> {
/// use inhouse::{Client, Options};
///
/// let mut client = Client::connect(Options::new().model("opus")).await?;
/// println!("{}", client.send("What is 15 + 27?").await?.text().await?);
/// println!("{}", client.send("And doubled?").await?.text().await?);
/// client.close().await?;
/// # Ok(())
/// # }
/// ```
///
/// # Cancellation
/// Dropping a client ends its session in the background, once no clone of its [`Control`] is left
/// either. An idle CLI is given the time that [`close`](Self::close) gives it. A CLI in the middle of
/// a turn, or with a task in the background, is killed at once: it must not go on without a host
/// that answers its hooks, permission requests and tool calls.
#[derive(Debug)]
pub struct Client {
    messages: MessageStream,
    warnings: Vec<Warning>,
}

impl Client {
    /// Starts the CLI and waits until it has accepted the session.
    ///
    /// # Errors
    /// `Config` when the options are contradictory or the runtime has no I/O or time, `CliNotFound` or
    /// `Spawn` when there is no CLI to start, `Handshake`, `Timeout` or `Exited` when it does not accept the session.
    ///
    /// # Cancellation
    /// Dropping the future kills the CLI.
    pub async fn connect(options: Options) -> Result<Self> {
        let launch = Launch::new(&options)?;
        Self::open(options, launch, ChildTransport).await
    }

    /// Like [`connect`](Self::connect), over a transport of your own.
    ///
    /// # Errors
    /// As [`connect`](Self::connect), and whatever the transport reports.
    pub async fn connect_with<T: Transport>(options: Options, transport: T) -> Result<Self> {
        let launch = Launch::elsewhere(&options)?;
        Self::open(options, launch, transport).await
    }

    /// Sends a prompt and begins the turn that answers it.
    ///
    /// If an earlier turn was dropped before its result, this first waits for that result and
    /// passes over what belongs to it, so that nothing of it appears in the new turn. Call
    /// [`Control::interrupt`] before to make that quick.
    ///
    /// # Errors
    /// When the session has ended.
    ///
    /// # Cancellation
    /// Until the future resolves the prompt may or may not have been sent.
    pub async fn send(&mut self, prompt: impl Into<Prompt>) -> Result<Turn<'_>> {
        Turn::begin(&mut self.messages, prompt.into()).await
    }

    /// The controls of the session.
    #[must_use]
    pub fn control(&self) -> &Control {
        self.messages.control()
    }

    /// All messages of the session, as long as no turn is being read.
    ///
    /// For sessions that also speak unasked, such as those with background tasks.
    pub fn messages(&mut self) -> &mut MessageStream {
        &mut self.messages
    }

    /// What about the options is probably not meant.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Takes the client apart: controls for any number of tasks, and the messages for one.
    pub fn split(self) -> (Control, MessageStream) {
        (self.messages.control().clone(), self.messages)
    }

    /// Ends the session and waits until the CLI is gone.
    ///
    /// A running turn is interrupted, handlers are dropped without an answer, and the CLI's input
    /// ends. The CLI then exits by itself, with code 1 after an interrupted turn; the reader still
    /// gets the messages that it writes meanwhile. A CLI that does not exit within the grace period
    /// is asked to with TERM, and then killed, with all that it has started. The time for each step is
    /// set by [`Options::shutdown`](crate::Options::shutdown).
    ///
    /// # Errors
    /// When the CLI had ended by itself, in a way that no result explains.
    ///
    /// # Cancellation
    /// Dropping the future does not stop the closing.
    pub async fn close(self) -> Result<Option<ExitStatus>> {
        self.control().close().await
    }

    async fn open<T: Transport>(options: Options, launch: Launch, transport: T) -> Result<Self> {
        let warnings = launch.warnings.clone();
        let messages = session::open(options, launch, transport, Purpose::Conversation).await?;
        Ok(Self { messages, warnings })
    }
}
