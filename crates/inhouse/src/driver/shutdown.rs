//! Everything about the end of a session.
//!
//! # When does stdin close?
//!
//! | cause | stdin closes |
//! |---|---|
//! | a query's run has ended, and its stream of prompts if it has one | once every queued byte is written |
//! | the same, without session states and with fewer results than prompts | the same, after the ceiling without a message |
//! | `close` | the same, after an interrupt if a turn runs |
//! | every handle was dropped while the CLI is idle | the same |
//! | every handle was dropped while the CLI works, or `close` cannot stop it | after KILL |
//! | the grace period has passed | at once, together with TERM |
//! | the CLI closed its stdin or its stdout | at once |
//!
//! # How does the CLI end?
//!
//! End of input, grace period, TERM, KILL, give up: [`Step`]. Each step has a deadline, so no CLI
//! can keep a session from ending. Stdout is read until then, and the last messages reach the reader.

use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use inhouse_proto::control::encode;
use inhouse_proto::control::outgoing::Interrupt;
use inhouse_proto::engine::Frame;

use super::{CloseMode, Driver, SessionEnd, now};
use crate::error::{Error, ErrorKind, Result};
use crate::mirror::Mark;
use crate::process::ExitStatus;
use crate::record::Side;

/// How long each step may take with [`CloseMode::Short`].
const SHORT_STEP: Duration = Duration::from_secs(1);

/// How long stdout is read after the process has exited.
const DRAIN: Duration = Duration::from_secs(1);

/// How long a killed process may take to disappear.
const AFTER_KILL: Duration = Duration::from_secs(5);

/// Stands in for durations that overflow an [`Instant`].
const FAR_FUTURE: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);

impl Driver {
    /// Ends the session because `close` was called.
    pub(super) fn close(&mut self, mode: CloseMode) {
        self.shutdown.close_requested = true;
        match mode {
            CloseMode::Graceful => {}
            CloseMode::Short => {
                self.settings.shutdown = self.settings.shutdown.at_most(SHORT_STEP);
            }
            CloseMode::Kill => return self.kill(),
        }
        // An interrupt does not stop background tasks (2.1.325). A task with an open request would
        // take the end of its handler for an answer.
        if self.handlers.is_busy() && self.engine.has_tasks() {
            return self.kill();
        }
        // A CLI whose input ends in the middle of a turn fails the open tool calls and continues the
        // turn, and then runs the queued prompts (2.1.325). So an interrupt is written first, which also
        // removes them.
        if self.engine.turn_is_running() && self.shutdown.stdin_is_open() {
            match encode(&Interrupt::new().cancel_queued(true)) {
                Ok(interrupt) => drop(self.engine.request(&interrupt, None)),
                Err(error) => tracing::warn!(%error, "`interrupt` cannot be serialized"),
            }
        }
        // A cancelled handler sends nothing: the CLI would treat an error answer to a hook as no
        // objection, and continue.
        self.handlers.cancel_all();
        self.begin_shutdown();
    }

    /// Ends the session because its last handle was dropped.
    pub(super) fn handle_handles_dropped(&mut self) {
        tracing::debug!("session dropped");
        let is_closing = self.shutdown.close_requested;
        self.shutdown.close_requested = true;
        self.shutdown.handles_dropped = true;
        if is_closing {
            // Only the future of `close` was dropped; its steps continue.
            return;
        }
        // A turn, a request to the host or a background task must not continue without a host.
        if self.engine.turn_is_running() || self.handlers.is_busy() || self.engine.has_tasks() {
            return self.kill();
        }
        self.begin_shutdown();
    }

    /// Closes a query's stdin, unless a prompt is waiting for its turn.
    pub(super) fn handle_run_end(&mut self) {
        if !self.shutdown.input_ended {
            return;
        }
        if self.engine.has_queued_prompts() {
            // The result may have answered these prompts, too: CLI 2.1.197 reports neither that nor that it
            // is idle.
            let ceiling = self.settings.ceiling;
            self.shutdown.queue_deadline = ceiling.map(|ceiling| after(now(), ceiling));
            return;
        }
        self.end_query();
    }

    /// Closes stdin if no turn of a queued prompt has started before the ceiling.
    pub(super) fn handle_queue_deadline(&mut self, now: Instant) {
        let deadline = self.shutdown.queue_deadline;
        if deadline.is_some_and(|until| until <= now) {
            self.shutdown.queue_deadline = None;
            // Messages of another turn open the run again, and its end calls `handle_run_end`.
            if !self.engine.run_is_open() {
                self.end_query();
            }
        }
    }

    /// Closes a query's stdin. A CLI with background tasks may work until the ceiling.
    fn end_query(&mut self) {
        self.shutdown.query_done = true;
        self.shutdown.close_stdin_when_flushed();
        let wait = match self.engine.has_tasks() {
            true => self.settings.ceiling,
            false => Some(self.settings.shutdown.grace),
        };
        if let Some(wait) = wait {
            self.shutdown.begin_grace(now(), wait);
        }
    }

    /// Handles the end of stdout. A CLI without stdout cannot be used any more, so it is shut down.
    pub(super) fn handle_stdout_end(&mut self) {
        let now = now();
        self.engine.receive_end(now);
        if let Some(recorder) = &self.recorder {
            recorder.ended(Side::Cli, now);
        }
        self.shutdown.stdout_ended = true;
        self.handle_broken_pipe();
    }

    /// Handles a stream that the CLI has closed.
    ///
    /// The CLI is about to exit. Its exit status says more than a broken pipe, so callers that wait
    /// for it keep waiting and get the cause of the exit.
    pub(super) fn handle_broken_pipe(&mut self) {
        if self.shutdown.stdin != StdinState::Closed {
            self.record_stdin_end();
            self.shutdown.stdin = StdinState::Broken;
            self.stdin.close();
        }
        self.begin_shutdown();
    }

    /// Closes stdin if that was put off until everything is written.
    pub(super) fn handle_stdin_flushed(&mut self) {
        if self.shutdown.stdin == StdinState::Closing {
            self.close_stdin();
        }
    }

    /// Starts the next step if the time of the current one is up.
    pub(super) fn handle_shutdown_deadline(&mut self, now: Instant) {
        if self.shutdown.deadline().is_some_and(|until| until <= now) {
            self.shutdown.advance(now, self.settings.shutdown.term);
            self.enter_step();
        }
    }

    pub(super) fn poll_exit(&mut self, cx: &mut Context<'_>) {
        if self.shutdown.exit.is_some() {
            return;
        }
        if let Poll::Ready(exit) = self.exit.poll(cx) {
            tracing::debug!(?exit, "CLI exited");
            if let Some(recorder) = &self.recorder {
                recorder.exited(exit, now());
            }
            self.shutdown.exit = Some(exit);
            self.shutdown.step = Some((Step::Killed, now() + DRAIN));
            // Kills what the CLI has left behind and what may keep stdout open. The transport for child
            // processes has done so by now, others may not have.
            self.peer.kill();
        }
    }

    /// Ends a session whose transcript cannot be stored any more.
    ///
    /// What the CLI does from now on would be lost, and with a new owner it would be done twice.
    pub(super) fn handle_store_failure(&mut self, error: &Error) {
        tracing::error!(%error, "session store failed");
        self.kill();
    }

    /// Fails every waiting call and ends the message stream. Called once, at the end.
    pub(super) fn finish(mut self, stored: Result<()>) {
        let stderr = self.peer.stderr_tail();
        let mut end = self.shutdown.conclude(self.engine.awaits_result(), stderr);
        match stored {
            Ok(()) => self.messages.release(Mark::MAX),
            Err(error) => {
                // A host that has lost the session delivers no result.
                let held = self.messages.discard_held();
                let result = held.filter(|_| self.session_lost.is_none());
                end = end.with_store_failure(error, result);
            }
        }
        tracing::debug!(exit = ?end.exit, failed = end.failure.is_some(), "session ended");
        self.telemetry.end_session(&end);
        let (failure, cause) = (end.failure.clone(), end.cause.clone());
        // Set first: the callers that are woken below read it.
        self.shared.set_ended(end);
        self.waiters.fail_all(&cause);
        self.messages.end(failure);
        for closer in self.closers {
            // Fails if the future of `close` was dropped.
            let _ = closer.send(());
        }
    }

    fn begin_shutdown(&mut self) {
        self.shutdown.close_stdin_when_flushed();
        self.shutdown
            .begin_grace(now(), self.settings.shutdown.grace);
    }

    /// Kills the CLI, and only then drops the handlers and closes stdin.
    ///
    /// In the other order the CLI would see its tool calls fail and send another request to the
    /// model.
    fn kill(&mut self) {
        self.shutdown.skip_to_kill(now());
        self.enter_step();
        self.handlers.cancel_all();
        self.close_stdin();
    }

    fn close_stdin(&mut self) {
        if self.shutdown.stdin != StdinState::Broken {
            self.record_stdin_end();
            self.shutdown.stdin = StdinState::Closed;
            self.stdin.close();
            self.waiters.fail_unwritten();
        }
    }

    /// Records that stdin closes, if it is open.
    fn record_stdin_end(&mut self) {
        if let Some(recorder) = &self.recorder
            && self.shutdown.stdin_is_connected()
        {
            recorder.ended(Side::Host, now());
        }
    }

    fn enter_step(&mut self) {
        match self.shutdown.step() {
            Some(Step::Terminated) => {
                tracing::debug!("grace period passed, sending TERM");
                // A CLI that has not read its input by now will not read it.
                self.close_stdin();
                self.peer.terminate();
            }
            Some(Step::Killed) => {
                tracing::debug!("sending KILL");
                self.peer.kill();
            }
            Some(Step::Grace | Step::GivenUp) | None => {}
        }
    }
}

/// The state of a session's end, from the first cause to the exit.
#[derive(Debug, Default)]
pub(super) struct Shutdown {
    /// The current step and its deadline; `None` while the session runs.
    step: Option<(Step, Instant)>,
    stdin: StdinState,
    stdout_ended: bool,
    /// Set once the process has exited, with its status if that is known.
    exit: Option<Option<ExitStatus>>,
    /// Whether the host ends the session, by `close` or by dropping it.
    close_requested: bool,
    /// Whether no handle is left that could send commands.
    handles_dropped: bool,
    /// Whether a query has its last prompt and its handshake, so that stdin closes at the end of the run.
    input_ended: bool,
    /// Whether the run of a query has ended, so that the exit is expected.
    query_done: bool,
    /// When a query ends although prompts seem to be queued.
    queue_deadline: Option<Instant>,
    /// Why a prompt of a query's stream was not sent.
    input_error: Option<Error>,
    /// Whether the CLI did not exit by itself within the grace period.
    forced: bool,
    /// Whether the last result was an error, after which the CLI exits with code 1.
    last_turn_failed: bool,
}

/// The steps of a shutdown, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    /// Stdin is closed, or closes when it is flushed; the CLI should exit by itself.
    Grace,
    /// TERM was sent.
    Terminated,
    /// KILL was sent, or the process has exited; stdout may still be open.
    Killed,
    /// The session ends without an exit or an end of stdout.
    GivenUp,
}

/// Whether stdin takes bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum StdinState {
    #[default]
    Open,
    /// Takes no new commands and closes when every queued byte is written.
    Closing,
    /// Closed by this side.
    Closed,
    /// Closed by the CLI.
    Broken,
}

impl Shutdown {
    pub(super) fn is_complete(&self) -> bool {
        (self.exit.is_some() && self.stdout_ended) || self.step() == Some(Step::GivenUp)
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.step.map(|(_, until)| until)
    }

    pub(super) fn queue_deadline(&self) -> Option<Instant> {
        self.queue_deadline
    }

    /// Lets stdin close at the end of the run. The error is the last item of the message stream unless
    /// the end has another one.
    pub(super) fn end_input(&mut self, error: Option<Error>) {
        self.input_ended = true;
        self.input_error = error;
    }

    pub(super) fn stdout_ended(&self) -> bool {
        self.stdout_ended
    }

    pub(super) fn close_requested(&self) -> bool {
        self.close_requested
    }

    pub(super) fn handles_dropped(&self) -> bool {
        self.handles_dropped
    }

    pub(super) fn stdin_is_open(&self) -> bool {
        self.stdin == StdinState::Open
    }

    /// Returns whether bytes would reach the CLI.
    pub(super) fn stdin_is_connected(&self) -> bool {
        matches!(self.stdin, StdinState::Open | StdinState::Closing)
    }

    pub(super) fn stdin_is_broken(&self) -> bool {
        self.stdin == StdinState::Broken
    }

    /// Returns whether prompts and requests are accepted. After a broken pipe they are, and fail with
    /// the cause of the exit.
    pub(super) fn accepts_input(&self) -> bool {
        matches!(self.stdin, StdinState::Open | StdinState::Broken)
    }

    /// Notes whether a message ends a turn with an error.
    pub(super) fn note_message(&mut self, frame: &Frame) {
        if frame.ends_turn() {
            self.last_turn_failed = frame.ends_turn_badly();
        }
    }

    fn step(&self) -> Option<Step> {
        self.step.map(|(step, _)| step)
    }

    fn close_stdin_when_flushed(&mut self) {
        if self.stdin == StdinState::Open {
            self.stdin = StdinState::Closing;
        }
    }

    /// Begins the grace period, or shortens one that has begun.
    fn begin_grace(&mut self, now: Instant, grace: Duration) {
        let until = after(now, grace);
        match &mut self.step {
            None => self.step = Some((Step::Grace, until)),
            Some((Step::Grace, earlier)) => *earlier = until.min(*earlier),
            Some(_) => {}
        }
    }

    /// Skips to KILL, unless the CLI has exited or was killed already.
    fn skip_to_kill(&mut self, now: Instant) {
        if self.step() >= Some(Step::Killed) {
            return;
        }
        self.forced = true;
        self.step = Some((Step::Killed, now + AFTER_KILL));
    }

    fn advance(&mut self, now: Instant, term: Duration) {
        self.step = match self.step() {
            None => None,
            Some(Step::Grace) => {
                self.forced = true;
                Some((Step::Terminated, after(now, term)))
            }
            Some(Step::Terminated) => Some((Step::Killed, now + AFTER_KILL)),
            Some(Step::Killed | Step::GivenUp) => Some((Step::GivenUp, now)),
        };
    }

    fn conclude(&self, unanswered: bool, stderr: String) -> SessionEnd {
        let exit = self.exit.flatten();
        if self.close_requested {
            let cause = Error::new(ErrorKind::Closed, "the session was closed by the host");
            return SessionEnd {
                exit,
                failure: None,
                cause: cause.with_exit(exit, stderr),
            };
        }
        let cause = Error::new(ErrorKind::Exited, describe(exit, unanswered, &stderr))
            .with_exit(exit, stderr);
        let failure = match self.is_explained(exit, unanswered) {
            true => self.input_error.clone(),
            false => Some(cause.clone()),
        };
        SessionEnd {
            exit,
            failure,
            cause,
        }
    }

    /// Returns whether the messages explain the exit, so that the stream needs no error.
    fn is_explained(&self, exit: Option<ExitStatus>, unanswered: bool) -> bool {
        // The query has its result; only the exit of the CLI took too long.
        if self.query_done && self.forced {
            return true;
        }
        match exit {
            // The CLI exits with code 1 after an error result, which says what failed.
            Some(status) if status.code() == Some(1) => self.last_turn_failed && !unanswered,
            Some(status) => status.success() && !unanswered,
            None => !unanswered,
        }
    }
}

fn describe(exit: Option<ExitStatus>, unanswered: bool, stderr: &str) -> String {
    let mut text = match exit {
        Some(exit) => format!("the CLI ended with {exit}"),
        None => "the connection to the CLI ended".to_owned(),
    };
    if unanswered {
        text.push_str(" before its turn had a result");
    }
    match stderr.trim_end().lines().next_back() {
        Some(last) => text.push_str(&format!("; the last line on its stderr: {last}")),
        None => text.push_str("; it wrote nothing to stderr"),
    }
    text
}

fn after(now: Instant, wait: Duration) -> Instant {
    now.checked_add(wait).unwrap_or(now + FAR_FUTURE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grace_period_without_an_end_lasts_for_years() {
        const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);
        let now = Instant::now();
        let mut shutdown = Shutdown::default();
        shutdown.begin_grace(now, Duration::MAX);
        let deadline = shutdown.deadline().expect("the grace period has begun");
        assert!(deadline > now + 10 * YEAR);
    }
}
