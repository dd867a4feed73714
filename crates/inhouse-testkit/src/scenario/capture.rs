use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use inhouse::launch::Launch;
use inhouse::transport::{Connection, Transport};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::recording::{Side, Tape, TapeStep};

/// A transport that keeps the lines of both sides.
///
/// Not [`Options::record`](inhouse::Options::record), which is an option of the agent under test.
pub(super) struct Captured<T> {
    transport: T,
    lines: CapturedLines,
}

/// The lines of both sides, in the order in which the host wrote and read them.
#[derive(Clone, Default)]
pub(super) struct CapturedLines(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    steps: Vec<TapeStep>,
    /// The starts of lines whose rest is missing.
    host: Vec<u8>,
    cli: Vec<u8>,
}

impl<T> Captured<T> {
    pub(super) fn new(transport: T, lines: &CapturedLines) -> Self {
        Self {
            transport,
            lines: lines.clone(),
        }
    }
}

impl<T: Transport> Transport for Captured<T> {
    async fn open(self, launch: &Launch) -> inhouse::Result<Connection> {
        let Connection {
            reader,
            writer,
            peer,
        } = self.transport.open(launch).await?;
        Ok(Connection {
            reader: Box::new(Reader {
                reader,
                lines: self.lines.clone(),
            }),
            writer: Box::new(Writer {
                writer,
                lines: self.lines,
            }),
            peer,
        })
    }
}

impl CapturedLines {
    /// Returns the complete lines so far.
    pub(super) fn tape(&self) -> Tape {
        self.lock().steps.iter().cloned().collect()
    }

    fn add(&self, by: Side, bytes: &[u8]) {
        let mut state = self.lock();
        let state = &mut *state;
        let partial = match by {
            Side::Host => &mut state.host,
            Side::Cli => &mut state.cli,
        };
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            partial.extend_from_slice(part);
            if let Some(line) = partial.strip_suffix(b"\n") {
                let line = String::from_utf8_lossy(line).into_owned();
                state.steps.push(TapeStep::Line { by, line });
                partial.clear();
            }
        }
    }

    fn end(&self, side: Side) {
        self.lock().steps.push(TapeStep::End(side));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The CLI's stdout.
struct Reader {
    reader: Box<dyn AsyncRead + Send + Unpin>,
    lines: CapturedLines,
}

impl AsyncRead for Reader {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.reader).poll_read(cx, buffer))?;
        match &buffer.filled()[before..] {
            [] => self.lines.end(Side::Cli),
            bytes => self.lines.add(Side::Cli, bytes),
        }
        Poll::Ready(Ok(()))
    }
}

/// The CLI's stdin, which ends when it is dropped.
struct Writer {
    writer: Box<dyn AsyncWrite + Send + Unpin>,
    lines: CapturedLines,
}

impl AsyncWrite for Writer {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let count = ready!(Pin::new(&mut self.writer).poll_write(cx, bytes))?;
        self.lines.add(Side::Host, &bytes[..count]);
        Poll::Ready(Ok(count))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.writer).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.writer).poll_shutdown(cx)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.lines.end(Side::Host);
    }
}
