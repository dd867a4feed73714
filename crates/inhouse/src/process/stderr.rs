use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::{Instant, timeout_at};

use super::tail::Tail;

/// Gets every line of stderr as it is, unmasked, without its end.
pub(crate) type StderrCallback = Arc<dyn Fn(&str) + Send + Sync>;

/// How long an exit waits for the rest of stderr. Only a process that has left the group can still
/// hold it open then.
const SETTLE_LIMIT: Duration = Duration::from_millis(200);

/// Of a longer line only this much is kept.
const LINE_LIMIT: usize = 8 * 1024;

const CUT_MARK: &str = " … [cut]";

/// The stderr of a process, read to its end whether anybody wants it or not.
pub(super) struct Stderr {
    tail: Arc<Mutex<Tail>>,
    reader: AbortHandle,
    /// Closed when the reader has come to the end.
    at_end: watch::Receiver<()>,
    /// Until when the rest is waited for, from the first time that somebody did.
    settle_deadline: Arc<OnceLock<Instant>>,
}

impl Stderr {
    /// Starts to read. Must be called inside a runtime.
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

    /// The last lines, with secrets masked.
    pub(super) fn tail(&self) -> String {
        lock(&self.tail).text()
    }

    /// Gives the reader a short time to come to the end, once.
    ///
    /// Dropping the future does not stop that time: whoever has to begin anew again and again, like
    /// a loop that reads stdout meanwhile, waits no longer than others.
    pub(super) fn settled(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut at_end = self.at_end.clone();
        let deadline = Arc::clone(&self.settle_deadline);
        async move {
            let deadline = *deadline.get_or_init(|| Instant::now() + SETTLE_LIMIT);
            // Nothing is ever sent: an error tells that the sender is gone.
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
    // An error is an end: there is nothing that could be read after it.
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
        && catch_unwind(AssertUnwindSafe(|| callback(line))).is_err()
    {
        tracing::warn!("the stderr callback panicked; the line is kept in the tail");
    }
}

fn lock(tail: &Mutex<Tail>) -> MutexGuard<'_, Tail> {
    tail.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A line as it comes in; what is too much of it is dropped and marked.
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
    async fn lines_are_whole_in_any_chunking() {
        let (lines, tail) = drained(&[b"on", b"e\r\n\ntw\xc3", b"\xb6 \xff\nlast"]).await;
        assert_eq!(lines, ["one", "", "twö \u{fffd}", "last"]);
        assert_eq!(tail, "one\n\ntwö \u{fffd}\nlast");
    }

    #[tokio::test]
    async fn an_endless_line_is_cut_and_the_next_one_is_whole() {
        let long = vec![b'x'; 100_000];
        let (lines, _) = drained(&[&long, b"\nnext\n"]).await;
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0].len(), LINE_LIMIT + CUT_MARK.len());
        assert!(lines[0].ends_with(CUT_MARK));
        assert_eq!(lines[1], "next");
    }

    #[tokio::test]
    async fn a_line_without_an_end_is_in_the_tail_while_the_stream_is_open() {
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
    async fn settling_that_is_dropped_and_begun_again_takes_no_longer() {
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
