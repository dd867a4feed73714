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
    playback::{Heard, Next, Playback},
    tape::Tape,
};

/// How much either side may write ahead of the other.
const PIPE: usize = 64 * 1024;

/// A transport that plays a recording back.
///
/// It says what the CLI said, in step with the host: a line is held back until the host has written everything that it
/// had written before that line when the recording was made, in whatever order. Ids that the host chooses anew in each
/// run are translated: those of its requests, and those of its prompts.
///
/// *What* the host writes is not compared. A test that cares asserts on what its own handlers got and gave.
///
/// # When the host takes another course
///
/// - A request that the recording does not have is refused, in words that say so.
/// - A prompt that it does not have ends the replay; the error of the session says why.
/// - When the host does not write what it wrote then, nothing more comes, as with a CLI that waits. The error of whoever loses
///   patience says in its stderr tail what was being waited for.
#[derive(Clone, Debug)]
pub struct Replay {
    tape: Tape,
}

impl Replay {
    /// Plays a conversation back.
    #[must_use]
    pub fn new(tape: Tape) -> Self {
        Self { tape }
    }

    /// Plays a recording from its files back; `path` is as in [`Tape::load`].
    ///
    /// # Errors
    ///
    /// Like [`Tape::load`].
    pub fn load(path: impl AsRef<Path>) -> io::Result<Self> {
        Tape::load(path).map(Self::new)
    }
}

impl Transport for Replay {
    async fn open(self, _: &Launch) -> Result<Connection> {
        let (reader, stdout) = tokio::io::duplex(PIPE);
        let (writer, stdin) = tokio::io::duplex(PIPE);
        let (running, ended) = watch::channel(());
        let remark = Arc::new(Mutex::new(String::new()));
        let player = Player {
            playback: Playback::new(&self.tape),
            stdin: BufReader::new(stdin),
            stdout,
            remark: Arc::clone(&remark),
        };
        let task = tokio::spawn(async move {
            // A host that no longer reads has lost interest, and there is nobody to tell.
            let _ = player.play().await;
            drop(running);
        });
        Ok(Connection {
            reader: Box::new(reader),
            writer: Box::new(writer),
            peer: Box::new(Recorded {
                task: task.abort_handle(),
                ended,
                remark,
            }),
        })
    }
}

/// The task that plays.
struct Player {
    playback: Playback,
    stdin: BufReader<DuplexStream>,
    stdout: DuplexStream,
    remark: Arc<Mutex<String>>,
}

impl Player {
    async fn play(mut self) -> io::Result<()> {
        loop {
            match self.playback.next() {
                Next::Say(line) => self.say(&line).await?,
                Next::Await(owed) => {
                    self.remark(format!("the replay waits for the host to write {owed}"));
                    if let Err(astray) = self.listen().await? {
                        self.remark(astray);
                        return Ok(());
                    }
                }
                Next::End => {
                    self.remark(String::new());
                    return Ok(());
                }
            }
        }
    }

    async fn say(&mut self, line: &str) -> io::Result<()> {
        self.stdout.write_all(line.as_bytes()).await?;
        self.stdout.write_all(b"\n").await
    }

    /// Takes the next line of the host; the inner error is the reason why the replay cannot go on.
    async fn listen(&mut self) -> io::Result<Result<(), String>> {
        let mut line = String::new();
        if self.stdin.read_line(&mut line).await? == 0 {
            self.playback.hear_end();
            return Ok(Ok(()));
        }
        match self.playback.hear(line.trim_end()) {
            Heard::Fine => {}
            Heard::Unknown { answer } => self.say(&answer).await?,
            Heard::Astray(reason) => return Ok(Err(reason)),
        }
        Ok(Ok(()))
    }

    fn remark(&self, text: String) {
        *self.remark.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }
}

/// The peer of a replay, which ends with its task.
struct Recorded {
    task: AbortHandle,
    ended: watch::Receiver<()>,
    remark: Arc<Mutex<String>>,
}

impl Peer for Recorded {
    fn stderr_tail(&self) -> String {
        self.remark
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn exited(&mut self) -> Pin<Box<dyn Future<Output = Option<ExitStatus>> + Send>> {
        let mut ended = self.ended.clone();
        Box::pin(async move {
            // Nothing is ever sent: what ends the wait is that the sender goes away with the task.
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

impl Drop for Recorded {
    fn drop(&mut self) {
        self.task.abort();
    }
}
