use std::{
    future::Future,
    io,
    path::Path,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
};

use inhouse::{
    ExitStatus, Result,
    launch::Launch,
    transport::{Connection, Peer, Transport},
};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream},
    sync::watch,
    task::AbortHandle,
};

use super::{
    playback::{Next, Playback, Received},
    tape::Tape,
};

/// The capacity of each stream.
const PIPE_BYTES: usize = 64 * 1024;

/// A transport that plays a recording back.
///
/// A line of the CLI is sent once the host has written all lines that precede it in the recording, in any order. Ids that
/// the host chooses for its requests and prompts are translated.
///
/// The *content* of the host's lines is not compared; assert on it in the handlers of the test.
///
/// # If the host deviates
///
/// - A request that is not in the recording is refused.
/// - A prompt that is not in the recording ends the replay; the error of the session has the reason.
/// - If the host does not write a recorded line, nothing more is sent. The error of the host's timeout has the awaited line
///   in its stderr tail.
#[derive(Clone, Debug)]
pub struct Replay {
    tape: Tape,
}

impl Replay {
    /// Creates a transport that plays this conversation.
    #[must_use]
    pub fn new(tape: Tape) -> Self {
        Self { tape }
    }

    /// Reads a recording and creates a transport that plays it; `path` is as in [`Tape::load`].
    ///
    /// # Errors
    ///
    /// As for [`Tape::load`].
    pub fn load(path: impl AsRef<Path>) -> io::Result<Self> {
        Tape::load(path).map(Self::new)
    }
}

impl Transport for Replay {
    async fn open(self, _: &Launch) -> Result<Connection> {
        let (reader, stdout) = tokio::io::duplex(PIPE_BYTES);
        let (writer, stdin) = tokio::io::duplex(PIPE_BYTES);
        let (running, ended) = watch::channel(());
        let status = Arc::new(Mutex::new(String::new()));
        let player = Player {
            playback: Playback::new(&self.tape),
            stdin: BufReader::new(stdin),
            stdout,
            status: Arc::clone(&status),
        };
        let task = tokio::spawn(async move {
            // An I/O error means that the host has dropped its side.
            let _ = player.play().await;
            drop(running);
        });
        Ok(Connection {
            reader: Box::new(reader),
            writer: Box::new(writer),
            peer: Box::new(ReplayPeer {
                task: task.abort_handle(),
                ended,
                status,
            }),
        })
    }
}

/// The state of the playing task.
struct Player {
    playback: Playback,
    stdin: BufReader<DuplexStream>,
    stdout: DuplexStream,
    status: Arc<Mutex<String>>,
}

impl Player {
    async fn play(mut self) -> io::Result<()> {
        loop {
            match self.playback.next() {
                Next::Send(line) => self.send(&line).await?,
                Next::Await(awaited) => {
                    self.set_status(format!("the replay waits for the host to write {awaited}"));
                    if let Err(reason) = self.listen().await? {
                        self.set_status(reason);
                        return Ok(());
                    }
                }
                Next::End => {
                    self.set_status(String::new());
                    return Ok(());
                }
            }
        }
    }

    async fn send(&mut self, line: &str) -> io::Result<()> {
        self.stdout.write_all(line.as_bytes()).await?;
        self.stdout.write_all(b"\n").await
    }

    /// Receives the next line of the host; the inner error is the reason why the replay cannot continue.
    async fn listen(&mut self) -> io::Result<Result<(), String>> {
        let mut line = String::new();
        if self.stdin.read_line(&mut line).await? == 0 {
            self.playback.receive_end();
            return Ok(Ok(()));
        }
        match self.playback.receive(line.trim_end()) {
            Received::Expected => {}
            Received::Unknown { answer } => self.send(&answer).await?,
            Received::Deviated(reason) => return Ok(Err(reason)),
        }
        Ok(Ok(()))
    }

    fn set_status(&self, text: String) {
        *self.status.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }
}

/// The host's handle to the playing task.
struct ReplayPeer {
    task: AbortHandle,
    ended: watch::Receiver<()>,
    status: Arc<Mutex<String>>,
}

impl Peer for ReplayPeer {
    fn stderr_tail(&self) -> String {
        self.status
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn exited(&mut self) -> Pin<Box<dyn Future<Output = Option<ExitStatus>> + Send>> {
        let mut ended = self.ended.clone();
        Box::pin(async move {
            // Nothing is sent; the wait ends when the task drops the sender.
            while ended.changed().await.is_ok() {}
            None
        })
    }

    fn terminate(&mut self) {
        self.task.abort();
    }

    fn kill(&mut self) {
        self.task.abort();
    }
}

impl Drop for ReplayPeer {
    fn drop(&mut self) {
        self.task.abort();
    }
}
