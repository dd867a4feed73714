use std::io;

use bytes::{Buf, Bytes};
use tokio::io::{AsyncWrite, AsyncWriteExt, sink};

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

    /// Writes some of what is there, or pushes on what was written before. To be told to
    /// [`progressed`](Self::progressed).
    pub(super) async fn work(&mut self) -> io::Result<usize> {
        if self.unwritten.is_empty() {
            return self.writer.flush().await.map(|()| 0);
        }
        self.writer.write(&self.unwritten).await
    }

    /// Takes note of what [`work`](Self::work) came to; false when the CLI has hung up.
    pub(super) fn progressed(&mut self, written: io::Result<usize>) -> bool {
        match written {
            Ok(_) if self.unwritten.is_empty() => self.unflushed = false,
            Ok(count) if count > 0 => {
                self.unwritten.advance(count);
                self.unflushed = true;
            }
            _ => return false,
        }
        true
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
