use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::watch;

use super::{Connection, Peer, Transport};
use crate::error::Result;
use crate::launch::Launch;
use crate::process::ExitStatus;

/// Reaches a CLI over any pair of byte streams; see [`duplex`].
pub struct Duplex<R, W> {
    reader: R,
    writer: W,
}

/// A transport over a reader (the CLI's stdout) and a writer (its stdin).
///
/// There is no process behind it that could be asked for a status or be killed: the end of the
/// reader is the end of the session.
#[must_use]
pub fn duplex<R, W>(reader: R, writer: W) -> Duplex<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    Duplex { reader, writer }
}

impl<R, W> Transport for Duplex<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    async fn open(self, _: &Launch) -> Result<Connection> {
        let (ended, end) = watch::channel(false);
        Ok(Connection {
            reader: Box::new(Watched {
                reader: self.reader,
                ended,
            }),
            writer: Box::new(self.writer),
            peer: Box::new(Nobody { end }),
        })
    }
}

/// A reader that tells when it has ended.
struct Watched<R> {
    reader: R,
    ended: watch::Sender<bool>,
}

impl<R: AsyncRead + Unpin> AsyncRead for Watched<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = ready!(Pin::new(&mut self.reader).poll_read(cx, buffer));
        if read.is_err() || (buffer.filled().len() == before && buffer.remaining() > 0) {
            self.ended.send_replace(true);
        }
        Poll::Ready(read)
    }
}

/// The peer of a bare stream: it ends with the stream.
struct Nobody {
    end: watch::Receiver<bool>,
}

impl Peer for Nobody {
    fn exited(&mut self) -> Pin<Box<dyn Future<Output = Option<ExitStatus>> + Send>> {
        let mut end = self.end.clone();
        Box::pin(async move {
            // An error means that the reader is gone, which is an end as well.
            let _ = end.wait_for(|ended| *ended).await;
            None
        })
    }

    fn terminate(&mut self) {}

    fn kill(&mut self) {}
}
