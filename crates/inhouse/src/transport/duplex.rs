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

/// A transport over any pair of byte streams; see [`duplex`].
pub struct Duplex<R, W> {
    reader: R,
    writer: W,
}

/// Creates a transport over a reader (the CLI's stdout) and a writer (its stdin).
///
/// The session has no process to kill and no exit status: it ends when the reader ends.
///
/// ```
/// use inhouse::transport::duplex;
/// use inhouse::{Client, Options};
///
/// # inhouse_testkit::run(async {
/// let (host, cli) = tokio::io::duplex(4096);
/// drop(cli);
/// let (reader, writer) = tokio::io::split(host);
/// let error = Client::connect_with(Options::new(), duplex(reader, writer)).await.unwrap_err();
/// assert_eq!(error.kind(), inhouse::ErrorKind::Exited);
/// # });
/// ```
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
            reader: Box::new(EofReader {
                reader: self.reader,
                ended,
            }),
            writer: Box::new(self.writer),
            peer: Box::new(StreamPeer { end }),
        })
    }
}

/// A reader that signals its end of file or error.
struct EofReader<R> {
    reader: R,
    ended: watch::Sender<bool>,
}

impl<R: AsyncRead + Unpin> AsyncRead for EofReader<R> {
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

/// The peer of a stream without a process; exits at the end of the stream.
struct StreamPeer {
    end: watch::Receiver<bool>,
}

impl Peer for StreamPeer {
    fn exited(&mut self) -> Pin<Box<dyn Future<Output = Option<ExitStatus>> + Send>> {
        let mut end = self.end.clone();
        Box::pin(async move {
            // An error means that the reader is dropped, which ends the session as well.
            let _ = end.wait_for(|ended| *ended).await;
            None
        })
    }

    fn terminate(&mut self) {}

    fn kill(&mut self) {}
}
