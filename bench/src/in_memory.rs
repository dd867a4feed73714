//! A CLI without a process: it answers each line of the host when the line is written.
//!
//! Only the library runs between a request and its response.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use inhouse::transport::{Duplex, duplex};
use memchr::{memchr, memmem};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::generator::answer::request_id_text;
use crate::generator::lines;
use crate::generator::operation::Operation;
use crate::servers::name_of;

/// The load of the session's only turn.
#[derive(Clone, Copy, Debug)]
pub enum Load {
    /// Small tool calls, one after the other.
    Calls(u64),
    /// Messages with this many bytes of text.
    Messages(u64, usize),
    /// Entries that are mirrored, each in a separate frame.
    Frames {
        /// The number of frames.
        count: u64,
        /// The length of an entry.
        bytes: usize,
        /// Whether every frame but the first waits for [`InMemoryCli::continue_turn`].
        one_by_one: bool,
    },
}

/// A CLI in memory, for one session.
#[derive(Clone)]
pub struct InMemoryCli(Arc<Mutex<State>>);

/// The CLI's stdout, as the host reads it.
pub struct Output(Arc<Mutex<State>>);

/// The CLI's stdin, as the host writes it.
pub struct Input(Arc<Mutex<State>>);

struct State {
    load: Load,
    servers: usize,
    /// The handshake messages that have not been sent yet.
    handshakes: VecDeque<String>,
    /// The line of every frame.
    frame: Option<Vec<u8>>,
    /// The lines of the turn, instead of a load.
    turn: Option<Vec<Vec<u8>>>,
    calls: u64,
    open: Option<u64>,
    begun: Option<Instant>,
    elapsed: Option<Duration>,
    line: Vec<u8>,
    unread: VecDeque<Vec<u8>>,
    /// The number of bytes read from the first unread line.
    read: usize,
    closed: bool,
    reader: Option<Waker>,
}

impl InMemoryCli {
    /// Creates a CLI for a host with this many servers.
    #[must_use]
    pub fn new(load: Load, servers: usize) -> Self {
        Self(Arc::new(Mutex::new(State {
            load,
            servers,
            handshakes: VecDeque::new(),
            frame: None,
            turn: None,
            calls: 0,
            open: None,
            begun: None,
            elapsed: None,
            line: Vec::new(),
            unread: VecDeque::new(),
            read: 0,
            closed: false,
            reader: None,
        })))
    }

    /// Creates a CLI that sends these lines in its turn, the last of which is the result.
    #[must_use]
    pub fn with_turn(lines: Vec<Vec<u8>>) -> Self {
        let cli = Self::new(Load::Calls(0), 0);
        lock(&cli.0).turn = Some(lines);
        cli
    }

    /// Returns the transport to this CLI.
    #[must_use]
    pub fn transport(&self) -> Duplex<Output, Input> {
        duplex(Output(Arc::clone(&self.0)), Input(Arc::clone(&self.0)))
    }

    /// Returns the time from the first call to the response of the last one, or `None` before that.
    #[must_use]
    pub fn elapsed(&self) -> Option<Duration> {
        lock(&self.0).elapsed
    }

    /// Sends the next frame, or the result after the last one.
    pub fn continue_turn(&self) {
        lock(&self.0).next();
    }

    /// Returns the time at which the load began.
    #[must_use]
    pub fn begun(&self) -> Option<Instant> {
        lock(&self.0).begun
    }
}

impl State {
    fn take(&mut self, line: &[u8]) {
        if self.turn.is_some() {
            if memmem::find(line, b"\"subtype\":\"initialize\"").is_some() {
                self.initialize(line);
            } else if memmem::find(line, b"\"type\":\"user\"").is_some() {
                self.send_turn();
            }
            return;
        }
        if let Some(id) = self.open.take() {
            assert!(
                Operation::Add.is_answered_by(line, id),
                "not the response to {id}: {}",
                String::from_utf8_lossy(line)
            );
        } else if memmem::find(line, b"\"subtype\":\"initialize\"").is_some() {
            return self.initialize(line);
        } else if memmem::find(line, b"\"type\":\"user\"").is_some() {
            self.send(lines::state("running"));
            self.send(lines::INIT);
        }
        self.next();
    }

    fn initialize(&mut self, line: &[u8]) {
        let id = request_id_text(line).expect("every request has an id");
        let (known, unknown): (Vec<String>, Vec<String>) = (0..self.servers)
            .map(name_of)
            .partition(|name| lines::has_manifest(line, name));
        for server in unknown {
            let steps = 0..lines::HANDSHAKE_STEPS;
            self.handshakes
                .extend(steps.map(|step| lines::handshake(&server, "handshake", step)));
        }
        self.send(lines::initialized(id, &known));
    }

    /// Sends what comes next: a handshake message, a call, all messages, or the result.
    fn next(&mut self) {
        if let Some(message) = self.handshakes.pop_front() {
            self.send(message);
            return;
        }
        self.begun.get_or_insert_with(Instant::now);
        match self.load {
            Load::Calls(count) if self.calls < count => {
                self.calls += 1;
                self.open = Some(self.calls);
                let mut line = Vec::with_capacity(512);
                Operation::Add.write(&mut line, self.calls);
                self.send(line);
                return;
            }
            Load::Calls(_) => {}
            Load::Messages(count, bytes) => {
                let line = lines::message(bytes);
                (0..count).for_each(|_| self.send(line.clone()));
            }
            Load::Frames {
                count,
                bytes,
                one_by_one,
            } => {
                let frame = self
                    .frame
                    .get_or_insert_with(|| lines::frame(bytes))
                    .clone();
                while self.calls < count {
                    self.calls += 1;
                    self.send(frame.clone());
                    if one_by_one {
                        return;
                    }
                }
            }
        }
        self.elapsed = self.begun.map(|begun| begun.elapsed());
        self.send(lines::RESULT);
        self.send(lines::state("idle"));
    }

    fn send_turn(&mut self) {
        self.send(lines::state("running"));
        self.send(lines::INIT);
        let lines = self.turn.as_mut().map(std::mem::take);
        lines.into_iter().flatten().for_each(|line| self.send(line));
        self.send(lines::state("idle"));
    }

    fn send(&mut self, line: impl Into<Vec<u8>>) {
        self.unread.push_back(line.into());
        self.wake();
    }

    fn wake(&mut self) {
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
    }
}

impl AsyncRead for Output {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut state = lock(&self.0);
        let Some(line) = state.unread.front() else {
            if state.closed {
                return Poll::Ready(Ok(()));
            }
            state.reader = Some(cx.waker().clone());
            return Poll::Pending;
        };
        let rest = &line[state.read..];
        let count = rest.len().min(buffer.remaining());
        buffer.put_slice(&rest[..count]);
        if count == rest.len() {
            state.unread.pop_front();
            state.read = 0;
        } else {
            state.read += count;
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Input {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let mut state = lock(&self.0);
        let mut rest = bytes;
        while let Some(end) = memchr(b'\n', rest) {
            let (line, after) = (&rest[..end], &rest[end + 1..]);
            if state.line.is_empty() {
                state.take(line);
            } else {
                let mut whole = std::mem::take(&mut state.line);
                whole.extend_from_slice(line);
                state.take(&whole);
            }
            rest = after;
        }
        state.line.extend_from_slice(rest);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        let mut state = lock(&self.0);
        state.closed = true;
        state.wake();
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
