//! The task that owns a session: it reads stdout, writes stdin, keeps deadlines and starts handlers.
//!
//! | file | what it holds |
//! |---|---|
//! | `io` | the poll loop: reading, writing, events of the engine, the timer |
//! | `commands` | prompts, control requests and `close`, sent by [`Control`](crate::Control) and other handles |
//! | `handlers` | one task for each request of the CLI, and their answers |
//! | `shutdown` | end of input, grace period, TERM, KILL, exit, and the final notification |
//! | `exit_task` | the task that waits for the exit of the CLI |
//! | `session_end` | how the session ended, for every handle |
//! | `waiters` | the callers that wait for a reply or for a written prompt |
//!
//! The driver never blocks: messages go into a [backlog](crate::stream) that needs no reader, and
//! handlers run in separate tasks. The driver ends when the CLI is gone, and then every waiting caller
//! gets the cause.

mod commands;
mod exit_task;
mod handlers;
mod io;
mod session_end;
mod shutdown;
mod waiters;

use std::future::poll_fn;
use std::sync::Arc;
use std::time::{Duration, Instant};

use inhouse_proto::engine::{Config, Engine};
use tokio::io::AsyncRead;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;

pub(crate) use self::commands::{CloseMode, Command, ControlCall};
use self::exit_task::ExitTask;
pub(crate) use self::handlers::Answering;
use self::handlers::HandlerTasks;
use self::io::{StdinWriter, Timer};
pub(crate) use self::session_end::SessionEnd;
use self::shutdown::Shutdown;
use self::waiters::Waiters;
use crate::error::{Error, ErrorKind};
use crate::handlers::Handlers;
use crate::mirror::Mirror;
use crate::process::ShutdownTiming;
use crate::record::Recorder;
use crate::resume::StoredSession;
use crate::session::Shared;
use crate::stream::Sender;
use crate::telemetry::SessionTelemetry;
use crate::transport::{Connection, Peer};

/// Limits and timing of a driver.
pub(crate) struct DriverSettings {
    /// The longest line that is read, in bytes.
    pub(crate) max_line: usize,
    /// Time without activity after which a run with a result ends, although the CLI does not report
    /// that it is idle; `None` is no limit.
    pub(crate) ceiling: Option<Duration>,
    /// The grace period and the wait after TERM.
    pub(crate) shutdown: ShutdownTiming,
}

/// The state of a session's task; see the [module](self).
pub(crate) struct Driver {
    /// The first field, because fields are dropped in order and dropping the peer kills the CLI. If
    /// the runtime shuts down, the CLI must be dead before it can see the end of its stdin or the
    /// end of a handler: it would react to both with another request to the model (2.1.325).
    peer: Box<dyn Peer>,
    engine: Engine,
    settings: DriverSettings,
    stdout: Box<dyn AsyncRead + Send + Unpin>,
    stdin: StdinWriter,
    exit: ExitTask,
    timer: Timer,
    commands: UnboundedReceiver<Command>,
    waiters: Waiters,
    handlers: HandlerTasks,
    messages: Sender,
    telemetry: SessionTelemetry,
    /// `None` without a session store.
    mirror: Option<Mirror>,
    /// `None` if the session is not recorded.
    recorder: Option<Recorder>,
    /// Set once the lease of the session is lost, or its calls cannot be recorded.
    session_lost: Option<Error>,
    shutdown: Shutdown,
    shared: Arc<Shared>,
    /// The calls of `close` that wait for the end.
    closers: Vec<oneshot::Sender<()>>,
    /// The directory of the session, dropped after the peer; `None` without a session store.
    session: Option<StoredSession>,
}

impl Driver {
    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of a session, each made by another module"
    )]
    pub(crate) fn new(
        settings: DriverSettings,
        mut connection: Connection,
        handlers: Handlers,
        commands: UnboundedReceiver<Command>,
        messages: Sender,
        telemetry: SessionTelemetry,
        stored: Option<(Mirror, StoredSession)>,
        shared: Arc<Shared>,
    ) -> Self {
        let (mirror, session) = stored.unzip();
        let engine = Engine::new(Config {
            max_line: settings.max_line,
            ceiling: settings.ceiling,
        });
        Self {
            engine,
            settings,
            stdout: connection.reader,
            stdin: StdinWriter::new(connection.writer),
            exit: ExitTask::spawn(connection.peer.exited()),
            peer: connection.peer,
            timer: Timer::default(),
            commands,
            waiters: Waiters::default(),
            handlers: HandlerTasks::new(handlers),
            messages,
            telemetry,
            mirror,
            recorder: None,
            session_lost: None,
            shutdown: Shutdown::default(),
            shared,
            closers: Vec::new(),
            session,
        }
    }

    /// Records the session, if there is a recorder.
    pub(crate) fn recorded_by(mut self, recorder: Option<Recorder>) -> Self {
        self.recorder = recorder;
        self
    }

    /// Runs the session to its end.
    pub(crate) async fn run(mut self) {
        poll_fn(|cx| self.poll(cx)).await;
        let stored = match self.mirror.take() {
            Some(mirror) => mirror.finish().await,
            None => Ok(()),
        };
        // A turn that waits for its result is lost together with the lease: the watchdog may have killed the CLI before the host
        // could notice.
        let is_unfinished = self.messages.has_held() || self.engine.awaits_result();
        if self.session_lost.is_none() && is_unfinished {
            self.session_lost = self.lease_loss();
        }
        let stored = match (&self.session_lost, stored) {
            // The error of the store names the directory with what is not stored.
            (Some(_), Err(error)) if error.kind() == ErrorKind::Store => Err(error),
            (Some(lost), _) => Err(lost.clone()),
            (None, stored) => stored,
        };
        // Before the end is reported: a caller that resumes the session needs its directory.
        if let Some(session) = self.session.take() {
            session.finish(stored.is_ok()).await;
        }
        if let Some(recorder) = self.recorder.take() {
            recorder.finish().await;
        }
        self.finish(stored);
    }
}

/// Returns the current time of tokio's clock, which tests can pause.
fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}
