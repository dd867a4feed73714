use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use tokio::io::{AsyncWrite, sink};

/// The CLI's stdin: what is on its way there, and whether more may follow.
pub(super) struct Input {
    writer: Box<dyn AsyncWrite + Send + Unpin>,
    unwritten: Bytes,
    /// Whether the writer may hold back some of what was written.
    unflushed: bool,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    /// To be closed as soon as everything is written.
    Ending,
    /// Closed by the CLI, whose end will tell why.
    Refused,
    Closed,
}

/// The CLI reads no more.
pub(super) struct HungUp;

impl Input {
    pub(super) fn new(writer: Box<dyn AsyncWrite + Send + Unpin>) -> Self {
        Self {
            writer,
            unwritten: Bytes::new(),
            unflushed: false,
            state: State::Open,
        }
    }

    /// Whether everything is written, and flushed.
    pub(super) fn is_idle(&self) -> bool {
        self.unwritten.is_empty() && !self.unflushed
    }

    /// Whether bytes would reach the CLI.
    pub(super) fn is_connected(&self) -> bool {
        matches!(self.state, State::Open | State::Ending)
    }

    /// Whether it is over as soon as it is idle.
    pub(super) fn is_ending(&self) -> bool {
        self.state == State::Ending
    }

    pub(super) fn is_refused(&self) -> bool {
        self.state == State::Refused
    }

    /// Whether somebody may still ask for something. What is asked of a CLI that refuses its input is
    /// answered by its end.
    pub(super) fn takes_more(&self) -> bool {
        matches!(self.state, State::Open | State::Refused)
    }

    pub(super) fn is_open(&self) -> bool {
        self.state == State::Open
    }

    /// Takes the next bytes. Only when idle.
    pub(super) fn load(&mut self, bytes: Bytes) {
        self.unwritten = bytes;
    }

    /// Writes some of what is there, and pushes on what was written before.
    pub(super) fn poll_work(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), HungUp>> {
        if !self.unwritten.is_empty() {
            let written = Pin::new(&mut self.writer).poll_write(cx, &self.unwritten);
            match ready!(written) {
                Ok(count) if count > 0 => self.unwritten.advance(count),
                _ => return Poll::Ready(Err(HungUp)),
            }
            self.unflushed = true;
            if !self.unwritten.is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
        let flushed = ready!(Pin::new(&mut self.writer).poll_flush(cx));
        self.unflushed = false;
        Poll::Ready(flushed.map_err(|_| HungUp))
    }

    /// Ends it once everything is written.
    pub(super) fn end(&mut self) {
        if self.state == State::Open {
            self.state = State::Ending;
        }
    }

    /// The CLI has closed it.
    pub(super) fn refuse(&mut self) {
        if self.state != State::Closed {
            self.state = State::Refused;
            self.drop_writer();
        }
    }

    /// Ends it now; false when the CLI had closed it before.
    pub(super) fn close(&mut self) -> bool {
        if self.state == State::Refused {
            return false;
        }
        self.state = State::Closed;
        self.drop_writer();
        true
    }

    fn drop_writer(&mut self) {
        self.unwritten = Bytes::new();
        self.unflushed = false;
        self.writer = Box::new(sink());
    }
}
