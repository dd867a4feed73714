use std::{
    io,
    path::Path,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
};

use inhouse::{
    Result,
    launch::Launch,
    transport::{Connection, Transport},
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::tape::{Log, Side};

/// A transport that records the lines of another one.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use inhouse::{Client, Options, transport::ChildTransport};
/// use inhouse_testkit::recording::Recording;
///
/// let recording = Recording::create("recordings/greeting", ChildTransport)?;
/// // With a custom transport the CLI is not searched: set its path.
/// let options = Options::new().cli_path("/usr/local/bin/claude");
/// let mut client = Client::connect_with(options, recording).await?;
/// client.send("Hello").await?.finish().await?;
/// client.close().await?;
/// # Ok(()) }
/// ```
///
/// A line is recorded when the host reads or writes it. So an answer always follows its request, but the order in which
/// lines of both sides cross in the pipes is not recorded.
///
/// A write error of the recording fails the connection. The files are written synchronously on the calling thread.
#[derive(Debug)]
pub struct Recording<T> {
    inner: T,
    log: Log,
}

impl<T: Transport> Recording<T> {
    /// Creates the files of the recording, and replaces existing ones.
    ///
    /// `path` is without the extensions `.out.jsonl`, `.in.jsonl` and `.order`; see the [module](super). Its directory must exist.
    ///
    /// # Errors
    ///
    /// If a file cannot be created.
    pub fn create(path: impl AsRef<Path>, inner: T) -> io::Result<Self> {
        let log = Log::create(path.as_ref())?;
        Ok(Self { inner, log })
    }
}

impl<T: Transport> Transport for Recording<T> {
    async fn open(self, launch: &Launch) -> Result<Connection> {
        let log = Arc::new(Mutex::new(self.log));
        let connection = self.inner.open(launch).await?;
        Ok(Connection {
            reader: Box::new(RecordedReader::new(connection.reader, Arc::clone(&log))),
            writer: Box::new(RecordedWriter::new(connection.writer, log)),
            peer: connection.peer,
        })
    }
}

/// The CLI's stdout, recorded as the host reads it.
struct RecordedReader<R> {
    inner: R,
    lines: LineRecorder,
}

/// The CLI's stdin, recorded as the host writes it.
struct RecordedWriter<W> {
    inner: W,
    lines: LineRecorder,
}

/// Splits the bytes of one side into lines and writes them to the log.
struct LineRecorder {
    side: Side,
    partial: Vec<u8>,
    ended: bool,
    log: Arc<Mutex<Log>>,
}

impl<R> RecordedReader<R> {
    fn new(inner: R, log: Arc<Mutex<Log>>) -> Self {
        let lines = LineRecorder::new(Side::Cli, log);
        Self { inner, lines }
    }
}

impl<W> RecordedWriter<W> {
    fn new(inner: W, log: Arc<Mutex<Log>>) -> Self {
        let lines = LineRecorder::new(Side::Host, log);
        Self { inner, lines }
    }
}

impl LineRecorder {
    fn new(side: Side, log: Arc<Mutex<Log>>) -> Self {
        Self {
            side,
            partial: Vec::new(),
            ended: false,
            log,
        }
    }

    fn record(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            self.partial.extend_from_slice(&bytes[..end]);
            bytes = &bytes[end + 1..];
            let line = std::mem::take(&mut self.partial);
            self.log().line(self.side, &line)?;
        }
        self.partial.extend_from_slice(bytes);
        Ok(())
    }

    fn record_end(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.ended, true) {
            return Ok(());
        }
        let partial = std::mem::take(&mut self.partial);
        self.log().end(self.side, &partial)
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for RecordedReader<R> {
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
            self.lines.record_end()
        } else {
            self.lines.record(read)
        })
    }
}

impl<W: AsyncWrite + Unpin> AsyncWrite for RecordedWriter<W> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.inner).poll_write(cx, bytes))?;
        self.lines.record(&bytes[..written])?;
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.inner).poll_shutdown(cx))?;
        Poll::Ready(self.lines.record_end())
    }
}

/// A host closes the CLI's stdin by dropping it.
impl<W> Drop for RecordedWriter<W> {
    fn drop(&mut self) {
        if let Err(error) = self.lines.record_end() {
            tracing::error!(%error, "the end of a recording could not be written");
        }
    }
}
