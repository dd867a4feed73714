use std::path::Path;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use inhouse_proto::redact::Secrets;
use tokio::task::spawn_blocking;

use super::encoder::Encoder;
use super::queue::{Batch, InputKind, Queue, Taken};
use super::sink::{Sink, SinkFailed};
use super::target::OpenTarget;
use super::{Record, Side};
use crate::error::{Error, ErrorKind, Result};
use crate::process::{ExitStatus, StderrCallback};

/// How long the end of a session waits until everything is written.
const FINISH_LIMIT: Duration = Duration::from_secs(10);

/// The session's end of a recording.
///
/// The driver copies the bytes of each read and write into a queue. A thread redacts and formats them, and another one writes them, so that
/// neither a slow disk nor a pipe without a reader delays the session.
pub(crate) struct Recorder {
    queue: Arc<Queue>,
}

impl Recorder {
    /// Opens the target and starts the threads. Lines of the CLI above `max_line` bytes are cut.
    ///
    /// # Errors
    /// `Config` if the file cannot be created, or the writer is used already.
    pub(crate) async fn start(
        record: &Record,
        secrets: Vec<String>,
        cli: Option<&Path>,
        max_line: usize,
        now: Instant,
    ) -> Result<Self> {
        let opened = record.clone();
        let target = spawn_blocking(move || opened.open()).await;
        let target = target.unwrap_or_else(|error| {
            let text = "the recording could not be opened";
            Err(Error::new(ErrorKind::Config, text).with_source(error))
        })?;
        let secrets = (!record.keeps_secrets).then(|| Secrets::new(secrets));
        let encoder = Encoder::new(secrets, cli, max_line, now);
        let queue = Arc::new(Queue::default());
        spawn_threads(target, encoder, Arc::clone(&queue)).map_err(|error| {
            Error::config("the threads of the recording could not be started").with_source(error)
        })?;
        Ok(Self { queue })
    }

    /// Records bytes that a side has written.
    pub(crate) fn bytes(&self, side: Side, bytes: &[u8], time: Instant) {
        self.queue.push(InputKind::Bytes(side), bytes, time);
    }

    /// Records that a side has closed its stream.
    pub(crate) fn ended(&self, side: Side, time: Instant) {
        self.queue.push(InputKind::End(side), b"", time);
    }

    pub(crate) fn exited(&self, status: Option<ExitStatus>, time: Instant) {
        self.queue.push(InputKind::Exit(status), b"", time);
    }

    /// Returns a callback for lines of stderr that records them and calls the one of the user.
    pub(crate) fn stderr_callback(&self, user: Option<StderrCallback>) -> StderrCallback {
        let queue = Arc::clone(&self.queue);
        Arc::new(move |line| {
            let time = tokio::time::Instant::now().into_std();
            queue.push(InputKind::Stderr, line.as_bytes(), time);
            if let Some(user) = &user {
                user(line);
            }
        })
    }

    /// Waits until everything is written, for a limited time.
    pub(crate) async fn finish(self) {
        self.queue.close();
        let queue = Arc::clone(&self.queue);
        // A blocking task, because the clock of a test does not advance while one runs.
        let done = spawn_blocking(move || queue.wait_done(FINISH_LIMIT)).await;
        if !done.unwrap_or(false) {
            tracing::warn!("the recording is not completely written yet");
        }
    }
}

/// The threads write what they have and end.
impl Drop for Recorder {
    fn drop(&mut self) {
        self.queue.close();
    }
}

fn spawn_threads(target: OpenTarget, encoder: Encoder, queue: Arc<Queue>) -> std::io::Result<()> {
    let sink = Arc::new(Sink::default());
    let written = Arc::clone(&sink);
    let writer = spawn("inhouse-record-write", move || written.write_to(target))?;
    let end = EndGuard {
        queue,
        sink,
        writer: Some(writer),
    };
    // If the thread cannot be started, `end` is dropped and ends the other one.
    spawn("inhouse-record", move || {
        // An error is reported by the sink.
        let _ = encode(encoder, &end.queue, &end.sink);
    })
    .map(drop)
}

/// Spawns a thread with the subscriber and the span of this one.
fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<JoinHandle<()>> {
    let dispatch = tracing::dispatcher::get_default(Clone::clone);
    let span = tracing::Span::current();
    thread::Builder::new().name(name.to_owned()).spawn(move || {
        tracing::dispatcher::with_default(&dispatch, || span.in_scope(work));
    })
}

/// Ends the recording once no line follows, also if the encoder panics.
struct EndGuard {
    queue: Arc<Queue>,
    sink: Arc<Sink>,
    writer: Option<JoinHandle<()>>,
}

impl Drop for EndGuard {
    fn drop(&mut self) {
        if thread::panicking() {
            tracing::error!("recording stopped: its encoder panicked");
        }
        self.queue.stop();
        self.sink.close();
        if let Some(writer) = self.writer.take() {
            // The sink reports a panic of the writer.
            let _ = writer.join();
        }
        self.queue.set_done();
    }
}

fn encode(mut encoder: Encoder, queue: &Queue, sink: &Sink) -> Result<(), SinkFailed> {
    let mut batch = Batch::default();
    let mut out = Vec::new();
    encoder.header(&mut out);
    loop {
        sink.push(&mut out, encoder.time())?;
        let taken = queue.take(&mut batch);
        for (input, bytes) in batch.iter() {
            encoder.push(input, bytes, &mut out);
            sink.push_if_large(&mut out, encoder.time())?;
        }
        match taken {
            Taken::Inputs => {}
            Taken::Last => {
                encoder.finish(&mut out);
                return sink.push(&mut out, encoder.time());
            }
            Taken::Overflow => {
                let reason = "the session was faster than its recording";
                tracing::error!(reason, "recording stopped");
                encoder.finish(&mut out);
                encoder.stopped(reason, &mut out);
                return sink.push(&mut out, encoder.time());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::sync::Mutex;

    use super::*;
    use crate::record::{RecordedEvent, Recording};

    /// A writer whose bytes the test reads.
    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn recording_that_is_slower_than_its_session_says_where_it_stopped() {
        let written = Written::default();
        let now = Instant::now();
        let queue = Arc::new(Queue::with_limit(100));
        let push = |text: &str| {
            let line = format!("{{\"type\":\"{text:>50}\"}}\n");
            queue.push(InputKind::Bytes(Side::Cli), line.as_bytes(), now);
        };
        // Everything up to the limit is recorded, also the line that exceeds it.
        for text in ["first", "second", "third"] {
            push(text);
        }
        let target = Record::writer(written.clone()).open().unwrap();
        let encoder = Encoder::new(Some(Secrets::new(Vec::new())), None, 1024, now);
        spawn_threads(target, encoder, Arc::clone(&queue)).unwrap();
        assert!(queue.wait_done(FINISH_LIMIT));

        let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
        let recording = Recording::parse(&text).unwrap();
        let events: Vec<_> = recording
            .entries()
            .iter()
            .map(|entry| &entry.event)
            .collect();
        let [
            RecordedEvent::Cli(first),
            RecordedEvent::Cli(second),
            RecordedEvent::Stopped(reason),
        ] = &events[..]
        else {
            panic!("{events:?}");
        };
        assert!(first.contains("first") && second.contains("second"));
        assert!(reason.contains("faster"), "{reason}");
        // The session continues, and later lines are dropped.
        push("fourth");
        assert_eq!(written.0.lock().unwrap().len(), text.len());
    }
}
