//! The one task that owns a conversation.
//!
//! It reads, writes, keeps deadlines and hands out work, and never waits for anyone: not for the
//! reader of messages, who has a [backlog](crate::stream), and not for a handler, which has a task to
//! itself. It ends when the CLI is gone, and tells everyone who waits.

mod alarm;
mod command;
mod dispatch;
mod ending;
mod events;
mod exit_watch;
mod input;
mod obeying;
mod polling;
mod waiters;
mod workers;

use std::future::poll_fn;
use std::sync::Arc;
use std::time::{Duration, Instant};

use inhouse_proto::engine::{Config, Engine};
use tokio::io::AsyncRead;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;

use self::alarm::Alarm;
pub(crate) use self::command::{Asked, Close, Command};
use self::dispatch::Dispatch;
pub(crate) use self::ending::End;
use self::ending::Ending;
use self::exit_watch::ExitWatch;
use self::input::Input;
use self::waiters::Waiters;
pub(crate) use self::workers::Answering;
use crate::handlers::Handlers;
use crate::process::ShutdownTiming;
use crate::session::Shared;
use crate::stream::Sender;
use crate::transport::{Connection, Peer};

/// How a driver behaves.
pub(crate) struct Settings {
    /// The longest line that is read.
    pub(crate) max_line: usize,
    /// How long a run may be silent after its result while the session is not idle.
    pub(crate) ceiling: Option<Duration>,
    /// Whether the end of the first run is the end of input.
    pub(crate) one_shot: bool,
    /// How patiently the CLI is ended.
    pub(crate) shutdown: ShutdownTiming,
}

/// See the [module](self).
pub(crate) struct Driver {
    /// Dropped first, which kills the CLI: when the runtime is shut down, nothing else may reach it
    /// before, neither the end of its input nor the end of a handler.
    peer: Box<dyn Peer>,
    engine: Engine,
    settings: Settings,
    output: Box<dyn AsyncRead + Send + Unpin>,
    input: Input,
    exit: ExitWatch,
    alarm: Alarm,
    commands: UnboundedReceiver<Command>,
    waiters: Waiters,
    dispatch: Dispatch,
    messages: Sender,
    ending: Ending,
    shared: Arc<Shared>,
    closers: Vec<oneshot::Sender<()>>,
}

impl Driver {
    pub(crate) fn new(
        settings: Settings,
        mut connection: Connection,
        handlers: Handlers,
        commands: UnboundedReceiver<Command>,
        messages: Sender,
        shared: Arc<Shared>,
    ) -> Self {
        let engine = Engine::new(Config {
            max_line: settings.max_line,
            ceiling: settings.ceiling,
        });
        Self {
            engine,
            settings,
            output: connection.reader,
            input: Input::new(connection.writer),
            exit: ExitWatch::new(connection.peer.exited()),
            peer: connection.peer,
            alarm: Alarm::default(),
            commands,
            waiters: Waiters::default(),
            dispatch: Dispatch::new(handlers),
            messages,
            ending: Ending::default(),
            shared,
            closers: Vec::new(),
        }
    }

    /// Runs the conversation to its end.
    pub(crate) async fn run(mut self) {
        poll_fn(|cx| self.poll(cx)).await;
        self.finish();
    }

    fn finish(mut self) {
        let stderr = self.peer.stderr_tail();
        let end = self.ending.conclude(self.engine.awaits_result(), stderr);
        tracing::debug!(exit = ?end.exit, failed = end.failure.is_some(), "the session has ended");
        let (failure, cause) = (end.failure.clone(), end.cause.clone());
        // First, because it is where everyone looks who is told below, or comes later.
        self.shared.end(end);
        self.waiters.fail_all(&cause);
        self.messages.end(failure);
        for closer in self.closers {
            // Nobody waits any more if the future of `close` was dropped.
            let _ = closer.send(());
        }
    }
}

fn now() -> Instant {
    // tokio's clock and not the system's, so that a test can pause it.
    tokio::time::Instant::now().into_std()
}
