use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::{Instant, timeout_at};

use super::tail::Tail;
use crate::user_code;

/// Called with every line of stderr, unredacted and without its line break.
pub(crate) type StderrCallback = Arc<dyn Fn(&str) + Send + Sync>;

/// How long the report of an exit waits for the rest of stderr. Only a process that has left the group
/// can keep stderr open longer.
const SETTLE_LIMIT: Duration = Duration::from_millis(200);

/// How many bytes of a line are kept.
const LINE_LIMIT: usize = 8 * 1024;

/// The end of a line that was cut.
pub(crate) const CUT_MARK: &str = " … [cut]";

/// The stderr of a process, read to its end so that the process never blocks on it.
pub(super) struct Stderr {
    tail: Arc<Mutex<Tail>>,
    reader: AbortHandle,
    /// Closed when the reader has reached the end.
    at_end: watch::Receiver<()>,
    /// When [`settled`](Self::settled) gives up, set by its first call.
    settle_deadline: Arc<OnceLock<Instant>>,
}

impl Stderr {
    /// Starts reading in a task. Must be called inside a runtime.
    pub(super) fn drain(
        stream: impl AsyncRead + Send + Unpin + 'static,
        callback: Option<StderrCallback>,
    ) -> Self {
        let tail = Arc::new(Mutex::new(Tail::default()));
        let (reading, at_end) = watch::channel(());
        let read = read(stream, Arc::clone(&tail), callback);
        let reader = tokio::spawn(async move {
            read.await;
            drop(reading);
        });
        Self {
            tail,
            reader: reader.abort_handle(),
            at_end,
            settle_deadline: Arc::default(),
        }
    }

    /// Returns the last lines, with secrets redacted.
    pub(super) fn tail(&self) -> String {
        lock(&self.tail).text()
    }

    /// Waits a short time for the reader to reach the end.
    ///
    /// The time starts with the first call. Dropping the future and calling again does not extend it.
    pub(super) fn settled(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut at_end = self.at_end.clone();
        let deadline = Arc::clone(&self.settle_deadline);
        async move {
            let deadline = *deadline.get_or_init(|| Instant::now() + SETTLE_LIMIT);
            // Nothing is ever sent; an error means that the sender was dropped.
            let _ = timeout_at(deadline, at_end.changed()).await;
        }
    }
}

impl Drop for Stderr {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

async fn read(
    mut stream: impl AsyncRead + Unpin,
    tail: Arc<Mutex<Tail>>,
    callback: Option<StderrCallback>,
) {
    let mut buffer = vec![0; 8 * 1024];
    let mut line = Line::default();
    // An error ends the stream like the end of file.
    while let Ok(read @ 1..) = stream.read(&mut buffer).await {
        let mut rest = &buffer[..read];
        while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
            line.push(&rest[..end]);
            deliver(&line.take(), &tail, callback.as_ref());
            rest = &rest[end + 1..];
        }
        line.push(rest);
        if !line.is_empty() {
            lock(&tail).set_unfinished(&line.text());
        }
    }
    if !line.is_empty() {
        deliver(&line.take(), &tail, callback.as_ref());
    }
}

fn deliver(line: &str, tail: &Mutex<Tail>, callback: Option<&StderrCallback>) {
    lock(tail).push(line);
    if let Some(callback) = callback
        && user_code::call(|| callback(line)).is_none()
    {
        tracing::warn!("stderr callback panicked");
    }
}

fn lock(tail: &Mutex<Tail>) -> MutexGuard<'_, Tail> {
    tail.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A line that is being read; bytes beyond the limit are dropped and marked.
#[derive(Default)]
struct Line {
    bytes: Vec<u8>,
    cut: bool,
}

impl Line {
    fn push(&mut self, bytes: &[u8]) {
        let room = LINE_LIMIT - self.bytes.len();
        self.cut |= bytes.len() > room;
        self.bytes.extend(bytes.iter().take(room));
    }

    fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    fn text(&self) -> String {
        let bytes = self.bytes.strip_suffix(b"\r").unwrap_or(&self.bytes);
        let mut text = String::from_utf8_lossy(bytes).into_owned();
        if self.cut {
            text.push_str(CUT_MARK);
        }
        text
    }

    fn take(&mut self) -> String {
        let text = self.text();
        self.bytes.clear();
        self.cut = false;
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn drained(chunks: &[&[u8]]) -> (Vec<String>, String) {
        let (mut theirs, ours) = tokio::io::duplex(1024 * 1024);
        let lines = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&lines);
        let callback: StderrCallback =
            Arc::new(move |line: &str| seen.lock().unwrap().push(line.to_owned()));
        let stderr = Stderr::drain(ours, Some(callback));
        for chunk in chunks {
            tokio::io::AsyncWriteExt::write_all(&mut theirs, chunk)
                .await
                .unwrap();
            tokio::task::yield_now().await;
        }
        drop(theirs);
        stderr.settled().await;
        assert!(stderr.reader.is_finished());
        let lines = lines.lock().unwrap().clone();
        (lines, stderr.tail())
    }

    #[tokio::test]
    async fn lines_are_complete_in_any_chunking() {
        let (lines, tail) = drained(&[b"on", b"e\r\n\ntw\xc3", b"\xb6 \xff\nlast"]).await;
        assert_eq!(lines, ["one", "", "twö \u{fffd}", "last"]);
        assert_eq!(tail, "one\n\ntwö \u{fffd}\nlast");
    }

    #[tokio::test]
    async fn long_line_is_cut_and_the_next_is_complete() {
        let long = vec![b'x'; 100_000];
        let (lines, _) = drained(&[&long, b"\nnext\n"]).await;
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0].len(), LINE_LIMIT + CUT_MARK.len());
        assert!(lines[0].ends_with(CUT_MARK));
        assert_eq!(lines[1], "next");
    }

    #[tokio::test]
    async fn line_of_8_kib_is_complete() {
        let line = vec![b'x'; 8 * 1024];
        let (lines, _) = drained(&[&line, b"\n"]).await;
        assert_eq!(lines, [String::from_utf8(line).unwrap()]);
    }

    #[tokio::test]
    async fn unfinished_line_is_in_the_tail_while_the_stream_is_open() {
        let (mut theirs, ours) = tokio::io::duplex(64);
        let stderr = Stderr::drain(ours, None);
        tokio::io::AsyncWriteExt::write_all(&mut theirs, b"first\nwaiting for")
            .await
            .unwrap();
        while stderr.tail().is_empty() {
            tokio::task::yield_now().await;
        }
        assert_eq!(stderr.tail(), "first\nwaiting for");
    }

    #[tokio::test(start_paused = true)]
    async fn settling_is_bounded_and_happens_once() {
        let (_theirs, ours) = tokio::io::duplex(64);
        let stderr = Stderr::drain(ours, None);
        let start = Instant::now();
        stderr.settled().await;
        stderr.settled().await;
        assert_eq!(start.elapsed(), SETTLE_LIMIT);
    }

    #[tokio::test(start_paused = true)]
    async fn dropped_and_repeated_settling_takes_no_longer() {
        let (_theirs, ours) = tokio::io::duplex(64);
        let stderr = Stderr::drain(ours, None);
        let start = Instant::now();
        while tokio::time::timeout(SETTLE_LIMIT / 4, stderr.settled())
            .await
            .is_err()
        {
            assert!(start.elapsed() < SETTLE_LIMIT);
        }
        assert_eq!(start.elapsed(), SETTLE_LIMIT);
    }
}
