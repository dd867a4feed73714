//! The one task that owns a conversation.
//!
//! It reads, writes, keeps deadlines and hands out work, and never waits for anyone: not for the
//! reader of messages, who has a [backlog](crate::stream), and not for a handler, which runs in a
//! task of its own. It ends when the CLI is gone, and tells everyone who waits.

mod alarm;
mod command;
mod dispatch;
mod ending;
mod input;
mod waiters;
mod workers;

use std::future::{Future as _, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use inhouse_proto::engine::{Config, Engine, Event, Notice};
use inhouse_proto::message::{Gap, GapReason};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use self::alarm::Alarm;
pub(crate) use self::command::{Asked, Close, Command};
use self::dispatch::Dispatch;
pub(crate) use self::ending::End;
use self::ending::{Ending, Step};
use self::input::{HungUp, Input};
use self::waiters::Waiters;
pub(crate) use self::workers::Answering;
use crate::handlers::Handlers;
use crate::process::{ExitStatus, ShutdownTiming};
use crate::session::Shared;
use crate::stream::{Item, Sender};
use crate::transport::{Connection, Peer};

/// How often a driver reads before others have their turn.
const ROUNDS: usize = 32;

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

/// Whether the answers that are ready go to the CLI now.
#[derive(PartialEq, Eq)]
enum Answers {
    All,
    /// Others are about to be ready, and go into the same write.
    MoreAtOnce,
}

/// See the [module](self).
pub(crate) struct Driver {
    engine: Engine,
    settings: Settings,
    output: Box<dyn AsyncRead + Send + Unpin>,
    input: Input,
    peer: Box<dyn Peer>,
    exit: JoinHandle<Option<ExitStatus>>,
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
            // In a task of its own, so that the driver need not ask at every turn.
            exit: tokio::spawn(connection.peer.exited()),
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

    /// Does whatever can be done now; ready when the session is over.
    ///
    /// By hand and not with `select!`, which would ask everyone again after each thing that happens:
    /// most of what a small call costs.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.poll_commands(cx);
        if self.poll_answers(cx) == Answers::MoreAtOnce {
            return Poll::Pending;
        }
        self.poll_exit(cx);
        for _ in 0..ROUNDS {
            let has_read = self.poll_output(cx);
            while let Some(event) = self.engine.poll_event() {
                self.on_event(event);
            }
            self.messages.flush();
            self.poll_input(cx);
            let is_late = self.poll_deadline(cx);
            if self.ending.is_complete() {
                return Poll::Ready(());
            }
            if !(has_read || is_late) {
                return Poll::Pending;
            }
        }
        // Others want their turn, too.
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    fn poll_commands(&mut self, cx: &mut Context<'_>) {
        // What is asked meanwhile waits, so that nobody who asks without end keeps the driver from
        // reading and writing.
        for _ in 0..=self.commands.len() {
            if self.ending.abandoned() {
                return;
            }
            match self.commands.poll_recv(cx) {
                Poll::Ready(command) => self.on_command(command),
                Poll::Pending => return,
            }
        }
        cx.waker().wake_by_ref();
    }

    /// Takes the answers of handlers: as many as there are go into one write.
    fn poll_answers(&mut self, cx: &mut Context<'_>) -> Answers {
        let mut is_any = false;
        while let Poll::Ready((ticket, answer)) = self.dispatch.poll_answer(cx) {
            // What the handler has said on its way comes before its answer.
            self.obey_all();
            self.engine.respond(ticket, answer);
            is_any = true;
        }
        if is_any && self.dispatch.expects_more_at_once() {
            // Behind the tasks that wait for their first turn.
            cx.waker().wake_by_ref();
            return Answers::MoreAtOnce;
        }
        Answers::All
    }

    fn poll_exit(&mut self, cx: &mut Context<'_>) {
        if self.ending.has_exited() {
            return;
        }
        if let Poll::Ready(exit) = Pin::new(&mut self.exit).poll(cx) {
            // A watch that fails tells no more than that.
            let exit = exit.unwrap_or_default();
            tracing::debug!(?exit, "the CLI has ended");
            self.ending.exited(exit, now());
            // A child has taken its group along; behind another transport something may be left
            // that holds stdout open.
            self.peer.kill();
        }
    }

    /// Reads what is there; false when that is nothing.
    fn poll_output(&mut self, cx: &mut Context<'_>) -> bool {
        if self.ending.output_ended() {
            return false;
        }
        let read = pin!(self.output.read_buf(self.engine.space())).poll(cx);
        match read {
            Poll::Ready(read) => self.on_read(read),
            Poll::Pending => return false,
        }
        true
    }

    /// Writes what waits, as far as there is room for it.
    fn poll_input(&mut self, cx: &mut Context<'_>) {
        while !self.input.is_idle() || self.next_write() {
            match self.input.poll_work(cx) {
                Poll::Ready(Ok(())) => {}
                Poll::Ready(Err(HungUp)) => return self.on_hang_up(),
                Poll::Pending => return,
            }
        }
    }

    /// Acts on a deadline; false when none has come.
    fn poll_deadline(&mut self, cx: &mut Context<'_>) -> bool {
        let deadline = [self.engine.poll_timeout(), self.ending.deadline()];
        let deadline = deadline.into_iter().flatten().min();
        let is_late = self.alarm.poll_at(deadline, cx).is_ready();
        if is_late {
            self.on_deadline();
        }
        is_late
    }

    fn on_read(&mut self, read: std::io::Result<usize>) {
        match read {
            Ok(0) => self.on_output_end(),
            Ok(_) => self.engine.receive(now()),
            Err(error) => {
                tracing::warn!(%error, "reading from the CLI failed");
                self.on_output_end();
            }
        }
    }

    /// What was to be written is written, and flushed: on to the next, or to the end. False when
    /// there is no next.
    fn next_write(&mut self) -> bool {
        let next = self.engine.poll_transmit();
        if self.input.is_refused() {
            return false;
        }
        self.waiters.written();
        match next {
            Some(bytes) if self.input.is_connected() => {
                self.input.load(bytes);
                // A prompt may stand behind an answer that is sent in parts.
                if !self.engine.has_transmit() {
                    self.waiters.writing();
                }
                return true;
            }
            _ if self.input.is_ending() => self.close_input(),
            _ => {}
        }
        false
    }

    fn on_output_end(&mut self) {
        self.engine.receive_end(now());
        self.ending.output_end();
        // Without its stdout a CLI is of no use: it is given the time of a close to end.
        self.on_hang_up();
    }

    /// The CLI has closed one of its streams: it is about to end, and its end tells more than a broken
    /// pipe, so that everyone who wants something of it waits for that.
    fn on_hang_up(&mut self) {
        self.input.refuse();
        self.begin_ending(self.settings.shutdown.grace);
    }

    fn on_command(&mut self, command: Option<Command>) {
        let Some(command) = command else {
            tracing::debug!("the session was dropped");
            self.ending.abandon();
            self.dispatch.cancel_all();
            return self.begin_ending(self.settings.shutdown.grace);
        };
        self.obey(command);
    }

    /// Obeys what has been asked so far.
    fn obey_all(&mut self) {
        for _ in 0..self.commands.len() {
            let Ok(command) = self.commands.try_recv() else {
                return;
            };
            self.obey(command);
        }
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Send { prompt, done } => {
                if !self.input.takes_more() {
                    return drop(done.send(Err(self.waiters.input_closed())));
                }
                match self.engine.send(&prompt) {
                    Ok(()) => {
                        self.messages.prompted();
                        self.waiters.await_written(done);
                    }
                    Err(error) => drop(done.send(Err(ending::unsendable(error)))),
                }
            }
            Command::Request(request) => {
                if !self.input.takes_more() {
                    let error = self.waiters.input_closed();
                    return drop(request.reply.send(Err(error)));
                }
                let id = self.engine.request(&request.body, request.deadline);
                self.waiters.await_reply(id, request);
            }
            Command::Post { body, timeout } => {
                if self.input.is_open() {
                    self.engine.request(&body, now().checked_add(timeout));
                }
            }
            Command::Abandon { key } => {
                if let Some(id) = self.waiters.abandon(key) {
                    self.engine.withdraw(id);
                }
            }
            Command::Close { how, done } => {
                self.closers.extend(done);
                self.close(how);
            }
        }
    }

    fn close(&mut self, how: Close) {
        self.ending.request_close();
        self.dispatch.cancel_all();
        match how {
            Close::Gently => self.begin_ending(self.settings.shutdown.grace),
            Close::Now => {
                self.close_input();
                self.ending.hurry(now());
                self.on_step();
            }
        }
    }

    /// Closes stdin once everything is written, and gives the CLI some time to end.
    fn begin_ending(&mut self, grace: Duration) {
        self.input.end();
        self.ending.begin(now(), grace);
    }

    fn close_input(&mut self) {
        if self.input.close() {
            self.waiters.input_ended();
        }
    }

    fn on_deadline(&mut self) {
        let now = now();
        self.engine.handle_timeout(now);
        if self
            .ending
            .deadline()
            .is_some_and(|deadline| deadline <= now)
        {
            self.ending.advance(now, self.settings.shutdown.term);
            self.on_step();
        }
    }

    fn on_step(&mut self) {
        match self.ending.step() {
            Some(Step::Terminated) => {
                tracing::debug!("the CLI did not end by itself, asking it to");
                // Whatever it has not read by now it will not read.
                self.close_input();
                self.peer.terminate();
            }
            Some(Step::Killed) => {
                tracing::debug!("killing the CLI");
                self.peer.kill();
            }
            Some(Step::Grace | Step::GivenUp) | None => {}
        }
    }

    fn on_event(&mut self, event: Event) {
        match event {
            Event::Message(frame) => {
                self.ending.saw(&frame);
                self.messages.message(frame);
            }
            Event::Request(ticket, request) => {
                if self.ending.close_requested() {
                    return;
                }
                if let Some((ticket, answer)) = self.dispatch.request(ticket, request) {
                    self.engine.respond(ticket, answer);
                }
            }
            Event::Withdrawn(ticket) => self.dispatch.cancel(&ticket),
            Event::Reply { id, outcome } => self.waiters.reply(id, outcome),
            Event::Session(id) => self.shared.name(id),
            Event::State(state) => tracing::trace!(%state, "session state"),
            Event::RunEnded { answered } => {
                self.messages.push(Item::RunEnded { answered });
                if self.settings.one_shot {
                    self.end_run();
                }
            }
            Event::Notice(notice) => self.on_notice(notice),
            _ => {}
        }
    }

    /// The only run is over. A CLI with tasks in the background waits for them, as long as it may.
    fn end_run(&mut self) {
        self.ending.expect_end();
        self.input.end();
        let patience = match self.engine.has_tasks() {
            true => self.settings.ceiling,
            false => Some(self.settings.shutdown.grace),
        };
        if let Some(patience) = patience {
            self.ending.begin(now(), patience);
        }
    }

    fn on_notice(&mut self, notice: Notice) {
        let (reason, bytes, sample) = match notice {
            Notice::NotJson { bytes, sample } => (GapReason::NotJson, bytes, sample),
            Notice::TooLong { bytes, sample } => (GapReason::LineTooLong, bytes, sample),
            notice => return tracing::trace!(?notice, "passed over"),
        };
        tracing::warn!(%reason, bytes, "a line of the CLI was passed over");
        let gap = Gap::new(reason, 1, bytes).sample(sample);
        self.messages.push(Item::Gap(gap));
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
        self.exit.abort();
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
