use super::Options;
use crate::record::Record;

/// Options for recordings.
impl Options {
    /// Records the session: every line of both sides with its time, stderr, and the exit.
    ///
    /// A path creates a file, or replaces one; [`Record`] has more. Secrets are redacted. The module
    /// [`record`](crate::record) describes the file, and how a recording is read and replayed.
    ///
    /// The recording is complete when [`Client::close`](crate::Client::close) or the end of a stream is returned. A recording
    /// that cannot be written ends with one event of `tracing` at level `ERROR`; the session continues.
    /// So does one that is slower than its session: up to 64 MiB of lines wait in memory to be redacted, and never in a file, because they may
    /// contain secrets.
    /// Default: no recording.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::record::{RecordedEvent, Recording};
    /// # use inhouse_testkit::{FakeCli, run};
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("trace.jsonl");
    /// let options = Options::new().record(&path);
    /// # run(FakeCli::play(options, async |client| {
    /// assert_eq!(client.send("What is 15 + 27?").await?.text().await?, "42");
    /// # Ok(()) }, async |cli| {
    /// #     cli.expect_prompt().await;
    /// #     cli.turn("42").await;
    /// # }));
    ///
    /// let recording = Recording::load(&path)?;
    /// let is_answer = |event: &RecordedEvent| matches!(event, RecordedEvent::Cli(line) if line.contains("42"));
    /// assert!(recording.entries().iter().any(|entry| is_answer(&entry.event)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn record(mut self, recording: impl Into<Record>) -> Self {
        self.record = Some(recording.into());
        self
    }
}
