use std::future::{self, Future};
use std::pin::Pin;

use tokio::io::{AsyncRead, AsyncWrite};

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
        Ok(Connection {
            reader: Box::new(self.reader),
            writer: Box::new(self.writer),
            peer: Box::new(Nobody),
        })
    }
}

/// The peer of a bare stream.
struct Nobody;

impl Peer for Nobody {
    fn exited(&mut self) -> Pin<Box<dyn Future<Output = Option<ExitStatus>> + Send + '_>> {
        Box::pin(future::ready(None))
    }

    fn terminate(&mut self) {}

    fn kill(&mut self) {}
}
