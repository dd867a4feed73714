use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::Mutex;

use super::failure::Failure;
use super::patience::within;
use super::transcript::Transcript;

type Stdout = Box<dyn AsyncWrite + Send + Unpin>;

/// The CLI's stdout. Clones write to the same one, each line whole.
#[derive(Clone)]
pub(super) struct Output {
    stdout: Arc<Mutex<Option<Stdout>>>,
    transcript: Transcript,
    patience: Duration,
}

impl Output {
    pub(super) fn new(stdout: Stdout, transcript: Transcript, patience: Duration) -> Self {
        Self {
            stdout: Arc::new(Mutex::new(Some(stdout))),
            transcript,
            patience,
        }
    }

    pub(super) fn set_patience(&mut self, patience: Duration) {
        self.patience = patience;
    }

    pub(super) async fn line(&self, line: &Value) -> Result<(), Failure> {
        let mut bytes = line.to_string().into_bytes();
        bytes.push(b'\n');
        self.bytes(&bytes).await
    }

    pub(super) async fn bytes(&self, bytes: &[u8]) -> Result<(), Failure> {
        self.transcript.cli(bytes);
        match within(self.patience, self.write(bytes)).await {
            Some(Ok(())) => Ok(()),
            Some(Err(error)) if error.kind() == io::ErrorKind::ConnectionAborted => {
                Err(Failure::killed(self.explain("the host had ended it")))
            }
            Some(Err(error)) => Err(Failure::new(self.explain(&error.to_string()))),
            None => Err(Failure::new(self.explain("the host does not read"))),
        }
    }

    /// Ends the stream while the CLI lives on.
    pub(super) async fn close(&self) {
        self.transcript.event("the CLI closes its stdout");
        self.stdout.lock().await.take();
    }

    async fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let mut stdout = self.stdout.lock().await;
        let stdout = stdout
            .as_mut()
            .ok_or_else(|| io::Error::other("its stdout is closed"))?;
        stdout.write_all(bytes).await?;
        stdout.flush().await
    }

    fn explain(&self, why: &str) -> String {
        format!(
            "the fake CLI could not write the last line of this conversation: {why}\n{}",
            self.transcript.render()
        )
    }
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Output").finish_non_exhaustive()
    }
}
