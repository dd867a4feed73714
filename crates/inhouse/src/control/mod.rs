//! Steering a session while it runs.
//!
//! [`Control`] has a method for what people use most. Everything else that the CLI understands is a
//! struct in [`outgoing`], sent with [`Control::request`]; and a request that inhouse does not know
//! is four lines of your own:
//!
//! ```no_run
//! use inhouse::control::{Control, ControlRequest};
//! use serde::Serialize;
//! use serde_json::Value;
//!
//! #[derive(Serialize)]
//! struct GetPlan {}
//!
//! impl ControlRequest for GetPlan {
//!     const SUBTYPE: &'static str = "get_plan";
//!     type Reply = Value;
//! }
//!
//! # async fn example(control: Control) -> inhouse::Result<()> {
//! let plan = control.request(GetPlan {}).await?;
//! # Ok(())
//! # }
//! ```

mod mcp_ready;
mod methods;
mod pending;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use inhouse_proto::control::encode;
use inhouse_proto::control::outgoing::InitializeReply;
pub use inhouse_proto::control::{ControlRequest, Empty, PermissionMode, outgoing};
use inhouse_proto::message::Prompt;
use serde_json::value::to_raw_value;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;
use tracing::Instrument;
use uuid::Uuid;

use self::pending::Pending;
use crate::driver::{CloseMode, Command, ControlCall, SessionEnd};
use crate::error::{Error, ErrorKind, Result};
use crate::process::ExitStatus;
use crate::session::Shared;

/// The controls of a session: cheap to clone, usable from any task at any time.
///
/// Control requests travel beside the messages and wait for nobody: they work in the middle of a
/// turn, and when nobody reads. Every one has a deadline, see [`with_timeout`](Self::with_timeout),
/// and fails at once when the CLI ends.
///
/// # Cancellation
/// Dropping the future of a request withdraws it. The CLI may have acted on it by then.
#[derive(Clone)]
pub struct Control {
    commands: UnboundedSender<Command>,
    shared: Arc<Shared>,
    timeout: Option<Duration>,
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

    /// The same controls with another deadline for each request; `None` waits as long as the CLI
    /// lives.
    #[must_use]
    pub fn with_timeout(&self, timeout: impl Into<Option<Duration>>) -> Self {
        Self {
            timeout: timeout.into(),
            ..self.clone()
        }
    }

    /// Makes a request of the CLI: one of [`outgoing`] or one of your own.
    ///
    /// # Errors
    /// `Refused` with the CLI's words, `Timeout`, `Exited` or `Closed` when the session has ended,
    /// `Protocol` when the reply has an unexpected shape.
    pub async fn request<R: ControlRequest>(&self, request: R) -> Result<R::Reply> {
        let span = tracing::debug_span!("inhouse::control", subtype = R::SUBTYPE);
        let body = encode(&request).map_err(|error| {
            let text = format!("the request `{}` has no JSON form", R::SUBTYPE);
            Error::new(ErrorKind::Config, text).with_source(error)
        })?;
        let payload = self.ask(R::SUBTYPE, body).instrument(span).await?;
        let payload = payload
            .as_deref()
            .map(|payload| std::str::from_utf8(payload).expect("the envelope was read as text"));
        R::reply(payload).map_err(|error| {
            let text = format!(
                "the CLI's reply to `{}` has an unexpected shape; `request` with `Reply = Value` \
                 takes any",
                R::SUBTYPE
            );
            Error::new(ErrorKind::Protocol, text).with_source(error)
        })
    }

    /// Sends a prompt and returns its id.
    ///
    /// The CLI takes prompts at any time: one that arrives during a turn is queued, or joins the
    /// turn. [`Client::send`](crate::Client::send) is the way to read the answer as a
    /// [`Turn`](crate::Turn) of its own.
    ///
    /// # Errors
    /// When the session has ended, or the CLI does not read its input in time.
    pub async fn send(&self, prompt: impl Into<Prompt>) -> Result<String> {
        let mut prompt = prompt.into();
        prompt.client_composed |= self.shared.verbatim_prompts;
        let id = prompt
            .uuid
            .get_or_insert_with(|| Uuid::new_v4().to_string())
            .clone();
        let prompt = to_raw_value(&prompt).map_err(|error| {
            Error::new(ErrorKind::Config, "the prompt has no JSON form").with_source(error)
        })?;
        let (done, written) = oneshot::channel();
        self.command(Command::Send { prompt, done })?;
        let written = self.within(self.answered(written)).await?;
        written.unwrap_or_else(|| Err(self.shared.cause_of_end()))?;
        Ok(id)
    }

    /// What the CLI said of itself when the session began: commands, models, agents, account.
    #[must_use]
    pub fn initialization(&self) -> &InitializeReply {
        self.shared.initialized()
    }

    /// The process id of the CLI, where it is a local process.
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        self.shared.pid
    }

    /// Ends the session and waits until the CLI is gone; see
    /// [`Client::close`](crate::Client::close).
    ///
    /// # Errors
    /// When the CLI had ended by itself before, in a way that no result explains.
    pub async fn close(&self) -> Result<Option<ExitStatus>> {
        self.end(CloseMode::Graceful).await;
        match self.shared.ended() {
            Some(SessionEnd {
                failure: Some(failure),
                ..
            }) => Err(failure.clone()),
            Some(SessionEnd { exit, .. }) => Ok(*exit),
            None => Err(self.shared.cause_of_end()),
        }
    }

    /// Ends the session and waits until it has ended.
    pub(crate) async fn end(&self, mode: CloseMode) {
        let (done, ended) = oneshot::channel();
        let done = Some(done);
        if self.command(Command::Close { mode, done }).is_ok() {
            // `None` means that it ended before it could say so.
            let _ = self.answered(ended).await;
        }
    }

    /// Ends the session without waiting for it.
    pub(crate) fn begin_end(&self, mode: CloseMode) {
        // A session that has ended already needs no ending.
        let _ = self.command(Command::Close { mode, done: None });
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    async fn ask(&self, subtype: &'static str, body: String) -> Result<Option<bytes::Bytes>> {
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
        let pending = Pending::new(&self.commands, key);
        let reply = self.answered(replied).await;
        pending.settled();
        reply.unwrap_or_else(|| Err(self.shared.cause_of_end()))
    }

    /// Waits for the driver's answer to a command; `None` when the driver is gone.
    ///
    /// A command that is sent at the moment at which the driver is dropped may stay in the channel, and
    /// its answer with it, as long as this handle lives. So the end of the channel counts as well.
    async fn answered<T>(&self, mut answer: oneshot::Receiver<T>) -> Option<T> {
        tokio::select! {
            biased;
            answer = &mut answer => answer.ok(),
            // The answer may have come between the two polls.
            () = self.commands.closed() => answer.try_recv().ok(),
        }
    }

    async fn within<F: Future>(&self, future: F) -> Result<F::Output> {
        let Some(timeout) = self.timeout else {
            return Ok(future.await);
        };
        tokio::time::timeout(timeout, future).await.map_err(|_| {
            Error::new(
                ErrorKind::Timeout,
                "the CLI did not take the prompt in time: it has stopped reading its input",
            )
        })
    }

    fn command(&self, command: Command) -> Result<()> {
        self.commands
            .send(command)
            .map_err(|_| self.shared.cause_of_end())
    }
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control")
            .field("pid", &self.pid())
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}
