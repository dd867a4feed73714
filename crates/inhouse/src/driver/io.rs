//! The poll loop: reads stdout, writes stdin, handles events of the engine and deadlines.

use std::future::Future as _;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};
use std::time::Instant;

use bytes::{Buf, Bytes};
use inhouse_proto::engine::{Event, Notice};
use inhouse_proto::message::{Gap, GapReason};
use tokio::io::{AsyncReadExt as _, AsyncWrite, sink};
use tokio::time::{Sleep, sleep_until};

use super::{Driver, now};
use crate::record::Side;
use crate::stream::Item;

/// How often stdout is read in one poll.
///
/// A CLI that writes without pause would otherwise keep the driver's thread from all other tasks:
/// tokio's pipes yield by themselves only after 128 reads, each of which may hold many lines. Eight
/// reads are enough to amortize the wake-up.
const READS_PER_POLL: usize = 8;

impl Driver {
    /// Does everything that can be done now; ready when the session has ended.
    ///
    /// Written by hand because `select!` polls every branch again after each event, which was most
    /// of the cost of a small tool call.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.poll_commands(cx);
        let more_answers_expected = self.poll_answers(cx);
        if more_answers_expected {
            // `poll_answers` has woken the task, which runs again after the handlers.
            return Poll::Pending;
        }
        self.poll_exit(cx);
        // Commands, answers, the exit or the timer may have produced events or bytes to write.
        let mut has_changed = true;
        for _ in 0..READS_PER_POLL {
            let has_read = self.poll_stdout(cx);
            if !(has_read || has_changed) {
                return Poll::Pending;
            }
            self.handle_events();
            // After the events, so that an answer that needs no handler is written in this round.
            self.poll_stdin(cx);
            has_changed = self.poll_timer(cx);
            if self.shutdown.is_complete() {
                // The timer may have produced events.
                self.handle_events();
                return Poll::Ready(());
            }
            // Every source is pending and has registered the waker.
            if !(has_read || has_changed) {
                return Poll::Pending;
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    /// Reads from stdout once; returns whether the read completed.
    fn poll_stdout(&mut self, cx: &mut Context<'_>) -> bool {
        if self.shutdown.stdout_ended() {
            return false;
        }
        let space = self.engine.space();
        let Poll::Ready(read) = pin!(self.stdout.read_buf(space)).poll(cx) else {
            return false;
        };
        match read {
            Ok(0) => self.handle_stdout_end(),
            Ok(count) => {
                let now = now();
                if let Some(recorder) = &self.recorder {
                    recorder.bytes(Side::Cli, &space[space.len() - count..], now);
                }
                self.engine.receive(now);
            }
            Err(error) => {
                tracing::warn!(%error, "reading from the CLI failed");
                self.handle_stdout_end();
            }
        }
        true
    }

    /// Writes to stdin until it is full or nothing is left.
    fn poll_stdin(&mut self, cx: &mut Context<'_>) {
        while !self.stdin.is_flushed() || self.load_next_write() {
            match self.stdin.poll_write(cx) {
                Poll::Ready(Ok(())) => {}
                Poll::Ready(Err(BrokenPipe)) => return self.handle_broken_pipe(),
                Poll::Pending => return,
            }
        }
    }

    /// Loads the next bytes after the previous ones were flushed; returns whether there are any.
    fn load_next_write(&mut self) -> bool {
        let next = self.engine.poll_transmit();
        if self.shutdown.stdin_is_broken() {
            // Discarded. The callers that wait for these bytes get the cause of the exit.
            return false;
        }
        self.waiters.notify_written();
        match next {
            Some(bytes) if self.shutdown.stdin_is_connected() => {
                // Before the write: the CLI may answer the first line before the last one is written.
                if let Some(recorder) = &self.recorder {
                    recorder.bytes(Side::Host, &bytes, now());
                }
                self.stdin.load(bytes);
                self.waiters
                    .prompts_loaded(self.engine.prompts_transmitted());
                true
            }
            _ => {
                self.handle_stdin_flushed();
                false
            }
        }
    }

    /// Handles the next deadline if it has passed; returns whether it has.
    fn poll_timer(&mut self, cx: &mut Context<'_>) -> bool {
        let deadlines = [
            self.engine.poll_timeout(),
            self.shutdown.deadline(),
            self.shutdown.queue_deadline(),
        ];
        let next = deadlines.into_iter().flatten().min();
        if self.timer.poll_at(next, cx).is_pending() {
            return false;
        }
        let now = now();
        self.engine.handle_timeout(now);
        self.handle_shutdown_deadline(now);
        self.handle_queue_deadline(now);
        true
    }

    fn handle_events(&mut self) {
        while let Some(event) = self.engine.poll_event() {
            self.handle_event(event);
        }
        // The messages of one read reach the reader together, with one wake-up.
        self.messages.flush();
    }

    fn handle_event(&mut self, event: Event) {
        match event {
            Event::Message(frame) => {
                self.shutdown.note_message(&frame);
                self.telemetry.note_message(&frame);
                if let Some(mirror) = &mut self.mirror {
                    if frame.ends_turn() {
                        // A result that the reader has seen is in the store, with all that came before it.
                        self.messages.hold_until(mirror.end_turn(&frame));
                    } else {
                        mirror.note_message(&frame);
                    }
                }
                self.messages.push(Item::Message(frame));
            }
            Event::Request(ticket, request) => self.handle_request(ticket, request),
            Event::Withdrawn(ticket) => self.handlers.cancel(&ticket),
            Event::Reply { id, outcome } => self.waiters.reply(id, outcome),
            Event::Session(id) => {
                if let Some(mirror) = &self.mirror {
                    mirror.note_session(&id);
                }
                self.telemetry.note_session(&id);
                self.shared.set_session_id(id);
            }
            Event::Commands(commands) => self.shared.set_commands(commands),
            Event::State(state) => tracing::trace!(%state, "session state changed"),
            Event::RunEnded { answered } => {
                self.telemetry.end_run();
                self.messages.push(Item::RunEnded { answered });
                self.handle_run_end();
            }
            Event::Transcript(frame) => {
                if let Some(mirror) = &mut self.mirror {
                    mirror.push(frame);
                }
            }
            Event::Notice(notice) => self.handle_notice(notice),
            _ => {}
        }
    }

    /// Reports skipped lines to the reader as a [`Gap`].
    fn handle_notice(&mut self, notice: Notice) {
        let is_of_transcript = notice.is_of_transcript();
        let (reason, bytes, sample) = match notice {
            Notice::NotJson { bytes, sample } => (GapReason::NotJson, bytes, sample),
            Notice::TooLong { bytes, sample } => (GapReason::LineTooLong, bytes, sample),
            Notice::KeepAlive {
                startup_mark: Some(mark),
            } => return self.shared.set_startup_mark(mark),
            notice => return tracing::trace!(?notice, "line ignored"),
        };
        tracing::warn!(%reason, bytes, "line skipped");
        if let Some(mirror) = &mut self.mirror
            && is_of_transcript
        {
            mirror.note_lost_frame();
        }
        let gap = Gap::new(reason, 1, bytes).sample(sample);
        self.messages.push(Item::Gap(Box::new(gap)));
    }
}

/// The CLI's stdin and the bytes that are being written to it.
pub(super) struct StdinWriter {
    writer: Box<dyn AsyncWrite + Send + Unpin>,
    unwritten: Bytes,
    /// Whether the writer may buffer bytes that were written to it.
    needs_flush: bool,
}

/// The CLI has closed its end of stdin.
struct BrokenPipe;

impl StdinWriter {
    pub(super) fn new(writer: Box<dyn AsyncWrite + Send + Unpin>) -> Self {
        Self {
            writer,
            unwritten: Bytes::new(),
            needs_flush: false,
        }
    }

    fn is_flushed(&self) -> bool {
        self.unwritten.is_empty() && !self.needs_flush
    }

    /// Sets the next bytes. The previous ones must be [flushed](Self::is_flushed).
    fn load(&mut self, bytes: Bytes) {
        self.unwritten = bytes;
    }

    /// Writes some bytes, or flushes if all are written.
    fn poll_write(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BrokenPipe>> {
        if !self.unwritten.is_empty() {
            let written = Pin::new(&mut self.writer).poll_write(cx, &self.unwritten);
            match ready!(written) {
                Ok(count) if count > 0 => self.unwritten.advance(count),
                _ => return Poll::Ready(Err(BrokenPipe)),
            }
            self.needs_flush = true;
            if !self.unwritten.is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
        let flushed = ready!(Pin::new(&mut self.writer).poll_flush(cx));
        self.needs_flush = false;
        Poll::Ready(flushed.map_err(|_| BrokenPipe))
    }

    /// Drops the writer, which closes stdin, and the bytes that were not written.
    pub(super) fn close(&mut self) {
        *self = Self::new(Box::new(sink()));
    }
}

/// A timer whose deadline can change at every poll.
#[derive(Default)]
pub(super) struct Timer {
    sleep: Option<Pin<Box<Sleep>>>,
}

impl Timer {
    /// Ready once the deadline has passed; pending without a wake-up if there is none.
    fn poll_at(&mut self, deadline: Option<Instant>, cx: &mut Context<'_>) -> Poll<()> {
        let Some(deadline) = deadline.map(Into::into) else {
            self.sleep = None;
            return Poll::Pending;
        };
        let sleep = self
            .sleep
            .get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        if sleep.deadline() != deadline {
            sleep.as_mut().reset(deadline);
        }
        sleep.as_mut().poll(cx)
    }
}
