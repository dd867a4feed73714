use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use inhouse_proto::control::outgoing::InitializeReply;
use inhouse_proto::control::{ControlRequest, encode};
use inhouse_proto::message::Prompt;
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;
use tracing::{Instrument, Span};
use uuid::Uuid;

use crate::driver::{CloseMode, Command, ControlCall};
use crate::error::{Error, ErrorKind, Result};
use crate::process::ExitStatus;
use crate::resume::PromptState;
use crate::session::Shared;

/// The prompt that continues a turn which was cut off.
///
/// The CLI could continue it by itself (`CLAUDE_CODE_RESUME_INTERRUPTED_TURN`), but then it begins no turn and reports nothing if it takes the
/// turn for complete, as after the last entry of a turn whose result is lost (2.1.325).
const CONTINUE: &str =
    "The turn was interrupted before it ended. Continue from where you left off.";

/// A handle that sends prompts and control requests to the CLI of a session. Cheap to clone, usable
/// from any task at any time.
///
/// Control requests are independent of the messages: they work in the middle of a turn, and while no
/// task reads the messages. Each has a timeout of 60 s unless
/// [`Options::control_timeout`](crate::Options::control_timeout) or
/// [`with_timeout`](Self::with_timeout) sets another, and fails at once when the CLI exits.
///
/// The session does not end while a `Control` is kept, unless it is [closed](Self::close).
///
/// # Cancellation
/// Dropping the future of a request withdraws it. The CLI may have acted on it by then.
#[derive(Clone)]
pub struct Control {
    commands: UnboundedSender<Command>,
    shared: Arc<Shared>,
    pub(super) timeout: Option<Duration>,
}

impl Control {
    pub(crate) fn new(
        commands: UnboundedSender<Command>,
        shared: Arc<Shared>,
        timeout: Duration,
    ) -> Self {
        Self {
            commands,
            shared,
            timeout: Some(timeout),
        }
    }

    /// Returns a handle to the same session with another timeout for each request.
    ///
    /// `None` waits until the CLI answers or exits.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// let control = client.control().with_timeout(Duration::from_secs(2));
    /// let error = control.models().await.unwrap_err();
    /// assert!(error.is_timeout());
    /// # Ok(()) }, async |cli| {
    /// #     cli.expect_request("list_models").await;
    /// #     cli.expect_cancel().await;
    /// # }));
    /// ```
    #[must_use]
    pub fn with_timeout(&self, timeout: impl Into<Option<Duration>>) -> Self {
        Self {
            timeout: timeout.into(),
            ..self.clone()
        }
    }

    /// Sends a control request, one of [`outgoing`](super::outgoing) or your own, and returns the reply.
    ///
    /// ```
    /// use inhouse::control::outgoing::RenameSession;
    ///
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// client.control().request(RenameSession::new("Sums")).await?;
    /// # Ok(()) }, async |cli| {
    /// #     let request = cli.expect_request("rename_session").await;
    /// #     assert_eq!(request.body()["title"], "Sums");
    /// #     request.succeed_empty().await;
    /// # }));
    /// ```
    ///
    /// # Errors
    /// [`Refused`](ErrorKind::Refused) with the error text of the CLI; `Timeout`; `Exited` or `Closed`
    /// if the session has ended; `Protocol` if the reply has an unexpected shape.
    pub async fn request<R: ControlRequest>(&self, request: R) -> Result<R::Reply> {
        let span = tracing::debug_span!("inhouse::control", subtype = R::SUBTYPE);
        let body = encode(&request).map_err(|error| {
            let text = format!("the request `{}` cannot be serialized", R::SUBTYPE);
            Error::new(ErrorKind::Config, text).with_source(error)
        })?;
        let payload = self.call(R::SUBTYPE, body).instrument(span).await?;
        let payload = payload
            .as_deref()
            .map(|payload| std::str::from_utf8(payload).expect("the engine has checked the line"));
        R::reply(payload).map_err(|error| {
            let text = format!(
                "the CLI's reply to `{}` has an unexpected shape; `request` with `Reply = Value` \
                 accepts any",
                R::SUBTYPE
            );
            Error::new(ErrorKind::Protocol, text).with_source(error)
        })
    }

    /// Sends a prompt and returns its id.
    ///
    /// The CLI accepts prompts at any time: one that arrives during a turn is queued, or joins the
    /// turn. To read the answer as a [`Turn`](crate::Turn), use [`Client::send`](crate::Client::send).
    ///
    /// ```
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// let id = client.control().send("Use metric units.").await?;
    /// let turn = client.send("How far is the moon?").await?;
    /// assert_ne!(turn.prompt_id(), id);
    /// # turn.finish().await?;
    /// # Ok(()) }, async |cli| {
    /// #     cli.expect_prompt().await;
    /// #     cli.expect_prompt().await;
    /// #     cli.turn("Noted.").await;
    /// #     cli.turn("384,400 km").await;
    /// # }));
    /// ```
    ///
    /// # Errors
    /// `Closed` or `Exited` if the session has ended; `Timeout` if the CLI does not read its stdin in
    /// time; `Config` if the session has a [store](crate::Options::store), a prompt with the same id was sent to it before, and that
    /// one has no result yet.
    ///
    /// # Cancellation
    /// Until the future completes, the prompt may or may not have been sent.
    pub async fn send(&self, prompt: impl Into<Prompt>) -> Result<String> {
        let mut prompt = prompt.into();
        prompt.client_composed |= self.shared.verbatim_prompts;
        let id = prompt
            .uuid
            .get_or_insert_with(|| Uuid::new_v4().to_string())
            .clone();
        let (done, written) = oneshot::channel();
        let state = self.note_prompt(&id);
        let state = match self.timeout {
            Some(timeout) => tokio::time::timeout(timeout, state).await.map_err(|_| {
                let text =
                    "the session store did not return the results of earlier prompts in time";
                Error::new(ErrorKind::Timeout, text)
            })?,
            None => state.await,
        };
        let (id, command) = match state? {
            PromptState::New => {
                let command = Command::Send {
                    id: id.clone(),
                    starts_turn: prompt.should_query != Some(false),
                    prompt: encode_prompt(&prompt)?,
                    continues: None,
                    caller: Span::current(),
                    done,
                };
                (id, command)
            }
            PromptState::CutOff => {
                let new = Uuid::new_v4().to_string();
                let prompt = Prompt::from(CONTINUE).uuid(&new);
                let command = Command::Send {
                    id: new.clone(),
                    starts_turn: true,
                    prompt: encode_prompt(&prompt)?,
                    continues: Some(id),
                    caller: Span::current(),
                    done,
                };
                (new, command)
            }
            PromptState::Continued => return Ok(id),
            PromptState::Answered { prompt, result } => (prompt, Command::Deliver { result, done }),
        };
        self.command(command)?;
        let written = self.outcome(written);
        let result = match self.timeout {
            Some(timeout) => tokio::time::timeout(timeout, written).await.map_err(|_| {
                Error::new(
                    ErrorKind::Timeout,
                    "the CLI did not take the prompt in time: it has stopped reading its input",
                )
            })?,
            None => written.await,
        };
        result.unwrap_or_else(|| Err(self.shared.cause_of_end()))?;
        Ok(id)
    }

    /// Returns the CLI's reply to `initialize`: commands, models, agents, account.
    ///
    /// The commands are those that the CLI reported last, also in a later `commands_changed` message;
    /// call this again to see a change. Empty in a handler that is called before the reply.
    ///
    /// ```
    /// # use inhouse_testkit::{FakeCli, run};
    /// # use serde_json::json;
    /// # run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// let before = client.control().initialization();
    /// assert!(before.commands.is_some());
    ///
    /// // In this turn the CLI finds a new skill, and sends `commands_changed`.
    /// client.send("Write the skill `deploy`.").await?.finish().await?;
    /// let after = client.control().initialization();
    /// let commands = after.commands.as_deref().unwrap_or_default();
    /// assert!(commands.iter().any(|command| command.name == "deploy"));
    /// # Ok(()) }, async |cli| {
    /// #     cli.expect_prompt().await;
    /// #     let commands = json!([{"name": "deploy", "description": "Deploys", "argumentHint": ""}]);
    /// #     cli.send(json!({
    /// #         "type": "system", "subtype": "commands_changed", "session_id": "s", "uuid": "u", "commands": commands,
    /// #     })).await;
    /// #     cli.turn("Written.").await;
    /// # }));
    /// ```
    #[must_use]
    pub fn initialization(&self) -> Arc<InitializeReply> {
        self.shared.initialized()
    }

    /// Returns the id by which the session can be resumed.
    ///
    /// `None` until the CLI has reported it, which it does at the start of every turn. `/clear` changes
    /// the id.
    ///
    /// ```
    /// # use inhouse_testkit::{FakeCli, run};
    /// # let (id, expected) = run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// assert_eq!(client.control().session_id(), None);
    /// client.send("What is 15 + 27?").await?.finish().await?;
    /// let id = client.control().session_id().expect("a turn has started");
    /// # Ok(id) }, async |cli| {
    /// #     cli.expect_prompt().await;
    /// #     cli.turn("42").await;
    /// #     cli.session_id().to_owned()
    /// # }));
    /// # assert_eq!(id, expected);
    /// ```
    #[must_use]
    pub fn session_id(&self) -> Option<String> {
        self.shared.session_id()
    }

    /// Returns the process id of the CLI; `None` if the transport started no local process.
    ///
    /// ```
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// // This session is connected to a fake CLI without a process.
    /// assert_eq!(client.control().pid(), None);
    /// # Ok(()) }, async |_| ()));
    /// ```
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        self.shared.pid
    }

    /// Ends the session, waits until the CLI has exited, and returns its exit status.
    ///
    /// See [`Client::close`](crate::Client::close) for the steps. Any other call then fails with
    /// [`Closed`](ErrorKind::Closed). The status is `None` if the transport has none, or if the CLI
    /// did not exit even after it was killed.
    ///
    /// ```
    /// use inhouse::ErrorKind;
    ///
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(FakeCli::play(inhouse::Options::new(), async |client| {
    /// let control = client.control();
    /// let exit = control.close().await?;
    /// assert!(exit.is_some_and(|status| status.success()));
    /// let error = control.send("Hello?").await.unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Closed);
    /// # Ok(()) }, async |_| ()));
    /// ```
    ///
    /// # Errors
    /// [`Exited`](ErrorKind::Exited) if the CLI had exited before, and no result explains why. With a store also `Store` if
    /// something could not be stored, and `Fenced` if the lease of the session was lost.
    ///
    /// # Cancellation
    /// Dropping the future does not stop the shutdown.
    pub async fn close(&self) -> Result<Option<ExitStatus>> {
        self.end(CloseMode::Graceful).await;
        let Some(end) = self.shared.ended() else {
            // The driver was dropped, together with its runtime.
            return Err(self.shared.cause_of_end());
        };
        match &end.failure {
            Some(failure) => Err(failure.clone()),
            None => Ok(end.exit),
        }
    }

    /// Kills the CLI at once, with everything that it has started, and waits until the session has ended.
    ///
    /// No handler is answered any more, and the CLI sends no further request to the model. With a [store](crate::Options::store), the
    /// transcript up to the kill is stored when this returns, and a resumed session continues the turn that was cut off. Use
    /// [`close`](Self::close) unless the CLI must stop in the middle of a turn.
    ///
    /// ```
    /// # use inhouse_testkit::{FakeCli, run};
    /// # run(async {
    /// # let (transport, mut cli) = FakeCli::new();
    /// # let host = async {
    /// # let client = inhouse::Client::connect_with(inhouse::Options::new(), transport).await?;
    /// client.control().send("Count to a million.").await?;
    /// client.control().kill().await;
    /// assert!(client.control().send("Hello?").await.is_err());
    /// # Ok::<_, inhouse::Error>(()) };
    /// # let cli = async { cli.accept().await; cli.expect_prompt().await; cli.expect_kill().await; };
    /// # inhouse_testkit::fake::join(host, cli).await.0.unwrap();
    /// # });
    /// ```
    ///
    /// # Cancellation
    /// Dropping the future does not stop the shutdown.
    pub async fn kill(&self) {
        self.end(CloseMode::Kill).await;
    }

    /// Ends the session and waits until it has ended.
    pub(crate) async fn end(&self, mode: CloseMode) {
        let (done, ended) = oneshot::channel();
        let done = Some(done);
        if self.command(Command::Close { mode, done }).is_ok() {
            // `None` means that the driver ended before it could notify this call.
            let _ = self.outcome(ended).await;
        }
    }

    /// Closes the CLI's stdin once the run of the last prompt has ended.
    ///
    /// `error` is the last item of the message stream unless another one is.
    pub(crate) fn end_input(&self, error: Option<Error>) {
        // Fails if the session has ended already.
        let _ = self.command(Command::EndInput { error });
    }

    /// Ends the session without waiting for it.
    pub(crate) fn begin_end(&self, mode: CloseMode) {
        // Fails if the session has ended already.
        let _ = self.command(Command::Close { mode, done: None });
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    async fn call(&self, subtype: &'static str, body: String) -> Result<Option<bytes::Bytes>> {
        let key = self.shared.next_key();
        let (reply, replied) = oneshot::channel();
        let deadline = self
            .timeout
            .and_then(|timeout| tokio::time::Instant::now().into_std().checked_add(timeout));
        self.command(Command::Request(ControlCall {
            key,
            subtype,
            body,
            deadline,
            reply,
        }))?;
        let guard = WithdrawOnDrop {
            commands: &self.commands,
            key: Some(key),
        };
        let reply = self.outcome(replied).await;
        guard.disarm();
        reply.unwrap_or_else(|| Err(self.shared.cause_of_end()))
    }

    /// Waits for the outcome of a command; `None` if the driver is gone.
    ///
    /// A command that is sent while the driver is being dropped may stay in the channel as long as
    /// this handle lives, and the sender of its outcome with it. Therefore the end of the command
    /// channel is awaited as well.
    async fn outcome<T>(&self, mut outcome: oneshot::Receiver<T>) -> Option<T> {
        tokio::select! {
            biased;
            outcome = &mut outcome => outcome.ok(),
            // The outcome may have arrived between the two polls.
            () = self.commands.closed() => outcome.try_recv().ok(),
        }
    }

    /// Notes that a prompt is sent; returns its state if a session of a store has it already.
    async fn note_prompt(&self, id: &str) -> Result<PromptState> {
        match &self.shared.prompts {
            Some(prompts) => prompts.send(id).await,
            None => Ok(PromptState::New),
        }
    }

    fn command(&self, command: Command) -> Result<()> {
        self.commands
            .send(command)
            .map_err(|_| self.shared.cause_of_end())
    }
}

fn encode_prompt(prompt: &Prompt) -> Result<Box<RawValue>> {
    to_raw_value(prompt).map_err(|error| {
        Error::new(ErrorKind::Config, "the prompt cannot be serialized").with_source(error)
    })
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control")
            .field("pid", &self.pid())
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// Withdraws a request if its future is dropped before the reply.
struct WithdrawOnDrop<'a> {
    commands: &'a UnboundedSender<Command>,
    key: Option<u64>,
}

impl WithdrawOnDrop<'_> {
    fn disarm(mut self) {
        self.key = None;
    }
}

impl Drop for WithdrawOnDrop<'_> {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            // Fails if the session has ended.
            let _ = self.commands.send(Command::Withdraw { key });
        }
    }
}
