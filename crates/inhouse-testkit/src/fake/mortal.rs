//! Streams that end with the fake, whoever holds their other ends.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf};

use super::life::Life;

/// The host's end of a stdout: it ends when the fake has ended, after everything that was written.
pub(super) struct UntilEnd {
    stream: DuplexStream,
    life: Life,
    end: Moment,
}

/// The fake's own end of a stream: of no use when the fake has ended.
pub(super) struct WhileAlive {
    stream: DuplexStream,
    end: Moment,
}

/// Something that happens once.
struct Moment(Option<Pin<Box<dyn Future<Output = ()> + Send>>>);

impl UntilEnd {
    pub(super) fn new(stream: DuplexStream, life: Life) -> Self {
        let end = Moment::new(life.stdout_ended());
        Self { stream, life, end }
    }
}

impl WhileAlive {
    pub(super) fn new(stream: DuplexStream, life: &Life) -> Self {
        let ended = life.ended();
        let end = Moment::new(async move { _ = ended.await });
        Self { stream, end }
    }

    fn killed() -> io::Error {
        io::ErrorKind::ConnectionAborted.into()
    }
}

impl AsyncRead for UntilEnd {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        if let Poll::Ready(read) = Pin::new(&mut self.stream).poll_read(cx, buf) {
            // The fake is dropped, but a process that it has left behind has the stream, too.
            let is_held = buf.filled().len() == before && self.life.holds_stdout();
            if read.is_err() || !is_held {
                return Poll::Ready(read);
            }
        }
        ready!(self.end.poll(cx));
        Poll::Ready(Ok(()))
    }
}

impl AsyncRead for WhileAlive {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        // What the host had said before it ended the fake, its end of input included, comes first.
        if let Poll::Ready(read) = Pin::new(&mut self.stream).poll_read(cx, buf) {
            return Poll::Ready(read);
        }
        ready!(self.end.poll(cx));
        Poll::Ready(Err(Self::killed()))
    }
}

impl AsyncWrite for WhileAlive {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.end.poll(cx).is_ready() {
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

impl Moment {
    fn new(moment: impl Future<Output = ()> + Send + 'static) -> Self {
        Self(Some(Box::pin(moment)))
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if let Some(moment) = &mut self.0 {
            ready!(moment.as_mut().poll(cx));
            self.0 = None;
        }
        Poll::Ready(())
    }
}
