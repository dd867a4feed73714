//! Stream halves that end with the process state of a fake, even if their other halves are still held.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf};

use super::process_state::ProcessState;

/// The host's half of stdout: ends after the fake has exited and everything written has been read.
pub(super) struct HostStdout {
    stream: DuplexStream,
    process: ProcessState,
    closed: Once,
}

/// The fake's half of a stream: fails after the fake has exited.
pub(super) struct CliStream {
    stream: DuplexStream,
    exited: Once,
}

/// A fused future.
struct Once(Option<Pin<Box<dyn Future<Output = ()> + Send>>>);

impl HostStdout {
    pub(super) fn new(stream: DuplexStream, process: ProcessState) -> Self {
        let closed = Once::new(process.stdout_closed());
        Self {
            stream,
            process,
            closed,
        }
    }
}

impl CliStream {
    pub(super) fn new(stream: DuplexStream, process: &ProcessState) -> Self {
        let exited = process.exited();
        let exited = Once::new(async move { _ = exited.await });
        Self { stream, exited }
    }

    fn killed() -> io::Error {
        io::ErrorKind::ConnectionAborted.into()
    }
}

impl AsyncRead for HostStdout {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        if let Poll::Ready(read) = Pin::new(&mut self.stream).poll_read(cx, buf) {
            // The fake is dropped, but a simulated grandchild holds the stream too.
            let is_held = buf.filled().len() == before && self.process.holds_stdout();
            if read.is_err() || !is_held {
                return Poll::Ready(read);
            }
        }
        ready!(self.closed.poll(cx));
        Poll::Ready(Ok(()))
    }
}

impl AsyncRead for CliStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        // Everything that the host wrote before the exit comes first, including the end of input.
        if let Poll::Ready(read) = Pin::new(&mut self.stream).poll_read(cx, buf) {
            return Poll::Ready(read);
        }
        ready!(self.exited.poll(cx));
        Poll::Ready(Err(Self::killed()))
    }
}

impl AsyncWrite for CliStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.exited.poll(cx).is_ready() {
            return Poll::Ready(Err(Self::killed()));
        }
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

impl Once {
    fn new(future: impl Future<Output = ()> + Send + 'static) -> Self {
        Self(Some(Box::pin(future)))
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if let Some(future) = &mut self.0 {
            ready!(future.as_mut().poll(cx));
            self.0 = None;
        }
        Poll::Ready(())
    }
}
