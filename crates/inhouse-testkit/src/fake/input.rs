use std::io;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

type Stdin = Box<dyn AsyncRead + Send + Unpin>;

/// The CLI's stdin, in lines.
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

    /// The next line that is not blank; `None` at the end. Dropping the future loses nothing.
    pub(super) async fn line(&mut self) -> io::Result<Option<String>> {
        let Some(stdin) = &mut self.stdin else {
            return Err(io::Error::other("its stdin is closed"));
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

    /// Reads no more, so that the host can write no more.
    pub(super) fn close(&mut self) {
        self.stdin = None;
    }
}
