use std::{
    io,
    path::Path,
    sync::{Arc, Mutex},
};

use inhouse::{
    Result,
    launch::Launch,
    transport::{Connection, Transport},
};

use super::{
    log::Log,
    tap::{TappedReader, TappedWriter},
};

/// A transport that writes down what passes through another one.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use inhouse::{Client, Options, transport::ChildTransport};
/// use inhouse_testkit::recording::Recording;
///
/// let recording = Recording::create("recordings/greeting", ChildTransport)?;
/// // With a transport of one's own the CLI is not searched for: say where it is.
/// let options = Options::new().cli_path("/usr/local/bin/claude");
/// let mut client = Client::connect_with(options, recording).await?;
/// client.send("Hello").await?.finish().await?;
/// client.close().await?;
/// # Ok(()) }
/// ```
///
/// The lines are noted when the host reads and writes them. So an answer always stands behind what it answers, but how
/// lines overtake each other inside of the pipes stays unknown.
///
/// A recording that cannot be written fails the connection: a session that goes on without its recording would be
/// noticed too late. The files are written in place, without going through another thread.
#[derive(Debug)]
pub struct Recording<T> {
    inner: T,
    log: Log,
}

impl<T: Transport> Recording<T> {
    /// Creates the files of the recording, over those that are there.
    ///
    /// The path is that of the files without `.out.jsonl` and so on; the [module](super) tells which they are. Its directory must exist.
    ///
    /// # Errors
    ///
    /// When a file cannot be created.
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
            reader: Box::new(TappedReader::new(connection.reader, Arc::clone(&log))),
            writer: Box::new(TappedWriter::new(connection.writer, log)),
            peer: connection.peer,
        })
    }
}
