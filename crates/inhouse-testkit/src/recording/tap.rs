//! Byte streams that are listened to.

use std::{
    io,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{log::Log, tape::Side};

/// What the CLI writes, noted as it is read.
pub(super) struct TappedReader<R> {
    inner: R,
    tap: Tap,
}

/// What the host writes, noted as it is taken.
pub(super) struct TappedWriter<W> {
    inner: W,
    tap: Tap,
}

/// Cuts what one side writes into lines and notes them.
struct Tap {
    side: Side,
    unfinished: Vec<u8>,
    ended: bool,
    log: Arc<Mutex<Log>>,
}

impl<R> TappedReader<R> {
    pub(super) fn new(inner: R, log: Arc<Mutex<Log>>) -> Self {
        let tap = Tap::new(Side::Cli, log);
        Self { inner, tap }
    }
}

impl<W> TappedWriter<W> {
    pub(super) fn new(inner: W, log: Arc<Mutex<Log>>) -> Self {
        let tap = Tap::new(Side::Host, log);
        Self { inner, tap }
    }
}

impl Tap {
    fn new(side: Side, log: Arc<Mutex<Log>>) -> Self {
        Self {
            side,
            unfinished: Vec::new(),
            ended: false,
            log,
        }
    }

    fn note(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            self.unfinished.extend_from_slice(&bytes[..end]);
            bytes = &bytes[end + 1..];
            let line = std::mem::take(&mut self.unfinished);
            self.log().line(self.side, &line)?;
        }
        self.unfinished.extend_from_slice(bytes);
        Ok(())
    }

    fn note_end(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.ended, true) {
            return Ok(());
        }
        let unfinished = std::mem::take(&mut self.unfinished);
        self.log().end(self.side, &unfinished)
    }

    fn log(&self) -> std::sync::MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for TappedReader<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let had_room = buffer.remaining() > 0;
        ready!(Pin::new(&mut self.inner).poll_read(cx, buffer))?;
        let read = &buffer.filled()[before..];
        Poll::Ready(if read.is_empty() && had_room {
            self.tap.note_end()
        } else {
            self.tap.note(read)
        })
    }
}

impl<W: AsyncWrite + Unpin> AsyncWrite for TappedWriter<W> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.inner).poll_write(cx, bytes))?;
        self.tap.note(&bytes[..written])?;
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.inner).poll_shutdown(cx))?;
        Poll::Ready(self.tap.note_end())
    }
}

/// Dropping is how a host closes the CLI's stdin.
impl<W> Drop for TappedWriter<W> {
    fn drop(&mut self) {
        if let Err(error) = self.tap.note_end() {
            tracing::error!(%error, "the end of a recording could not be written");
        }
    }
}
