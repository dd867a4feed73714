//! The CLI's stdin and stdout, in lines.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::Mutex;

use super::conversation::Failure;
use super::deadline::within;
use super::transcript::Transcript;

type Stdin = Box<dyn AsyncRead + Send + Unpin>;
type Stdout = Box<dyn AsyncWrite + Send + Unpin>;

/// The CLI's stdin.
pub(super) struct Input {
    stdin: Option<BufReader<Stdin>>,
    partial: Vec<u8>,
}

impl Input {
    pub(super) fn new(stdin: Stdin) -> Self {
        Self {
            stdin: Some(BufReader::new(stdin)),
            partial: Vec::new(),
        }
    }

    /// Reads the next line that is not blank; returns `None` at the end of input. Cancel safe.
    pub(super) async fn line(&mut self) -> io::Result<Option<String>> {
        let Some(stdin) = &mut self.stdin else {
            return Err(io::Error::other("the CLI has closed its stdin"));
        };
        loop {
            let read = stdin.read_until(b'\n', &mut self.partial).await?;
            let line = String::from_utf8_lossy(&self.partial).trim_end().to_owned();
            self.partial.clear();
            if !line.is_empty() {
                return Ok(Some(line));
            }
            if read == 0 {
                return Ok(None);
            }
        }
    }

    /// Closes stdin, so that writes of the host fail.
    pub(super) fn close(&mut self) {
        self.stdin = None;
    }
}

/// The CLI's stdout. Clones write to the same stream, one whole line at a time.
#[derive(Clone)]
pub(super) struct Output {
    stdout: Arc<Mutex<Option<Stdout>>>,
    transcript: Transcript,
    deadline: Duration,
}

impl Output {
    pub(super) fn new(stdout: Stdout, transcript: Transcript, deadline: Duration) -> Self {
        Self {
            stdout: Arc::new(Mutex::new(Some(stdout))),
            transcript,
            deadline,
        }
    }

    pub(super) fn set_deadline(&mut self, deadline: Duration) {
        self.deadline = deadline;
    }

    pub(super) async fn line(&self, line: &Value) -> Result<(), Failure> {
        let mut bytes = line.to_string().into_bytes();
        bytes.push(b'\n');
        self.bytes(&bytes).await
    }

    pub(super) async fn bytes(&self, bytes: &[u8]) -> Result<(), Failure> {
        self.transcript.cli(bytes);
        match within(self.deadline, self.write(bytes)).await {
            Some(Ok(())) => Ok(()),
            Some(Err(error)) if error.kind() == io::ErrorKind::ConnectionAborted => {
                Err(Failure::killed(self.explain("the host has ended the CLI")))
            }
            Some(Err(error)) => Err(Failure::new(self.explain(&error.to_string()))),
            None => Err(Failure::new(self.explain("the host does not read"))),
        }
    }

    /// Closes stdout while the CLI keeps running.
    pub(super) async fn close(&self) {
        self.transcript.event("the CLI closes its stdout");
        self.stdout.lock().await.take();
    }

    async fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let mut stdout = self.stdout.lock().await;
        let stdout = stdout
            .as_mut()
            .ok_or_else(|| io::Error::other("the CLI has closed its stdout"))?;
        stdout.write_all(bytes).await?;
        stdout.flush().await
    }

    fn explain(&self, reason: &str) -> String {
        format!(
            "the fake CLI could not write the last line of this conversation: {reason}\n{}",
            self.transcript.render()
        )
    }
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Output").finish_non_exhaustive()
    }
}
