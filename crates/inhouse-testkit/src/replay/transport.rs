use std::{future::Future, io, path::Path, pin::Pin, time::Duration};

use inhouse::{
    ExitStatus, Result,
    launch::Launch,
    record::{Recording, RecordingError},
    transport::{Connection, Peer, Transport},
};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream},
    sync::watch,
    task::AbortHandle,
    time::{Instant, sleep_until},
};

use super::{
    ReplayReport,
    playback::{Next, Playback, Received},
};

/// The capacity of each stream.
const PIPE_BYTES: usize = 64 * 1024;

/// A transport that plays a recording back; see the [module](super) for an example.
///
/// A line of the CLI is sent once the host has written all lines that precede it in the recording, in any order. Ids that
/// the host chooses for its requests and prompts are translated.
///
/// # If the host differs
///
/// - A strict replay ends: the session fails with `Exited`, whose stderr tail is the difference.
/// - A lenient replay continues. It refuses requests that are not in the recording, and ends at a prompt that is not.
/// - If the host does not write a recorded line, nothing more is sent. If it waits for a control request meanwhile, the error
///   of the timeout has the awaited line in its stderr tail.
///
/// [`report`](Self::report) has the differences in all cases.
#[derive(Debug)]
#[must_use = "a replay does nothing until a session opens it"]
pub struct Replay {
    recording: Recording,
    is_lenient: bool,
    is_timed: bool,
    report: ReplayReport,
}

impl Replay {
    /// Creates a strict replay of a recording, without its timing.
    ///
    /// ```
    /// use inhouse::record::Recording;
    /// use inhouse_testkit::Replay;
    ///
    /// let header = r#"{"inhouse_recording":1,"started":"2026-11-17T09:30:00Z"}"#;
    /// let replay = Replay::new(Recording::parse(header)?);
    /// # let _ = replay;
    /// # Ok::<(), inhouse::record::RecordingError>(())
    /// ```
    pub fn new(recording: Recording) -> Self {
        Self {
            recording,
            is_lenient: false,
            is_timed: false,
            report: ReplayReport::default(),
        }
    }

    /// Reads a recording and creates a strict replay of it, without its timing.
    ///
    /// # Errors
    /// As for [`Recording::load`].
    ///
    /// ```
    /// use inhouse_testkit::Replay;
    ///
    /// assert!(Replay::load("no/such.jsonl").is_err());
    /// ```
    pub fn load(path: impl AsRef<Path>) -> Result<Self, RecordingError> {
        Recording::load(path).map(Self::new)
    }

    /// Continues after a difference, and only reports it.
    ///
    /// The tools run again, and the conversation goes as it went when it was recorded, whatever they return.
    ///
    /// ```
    /// use inhouse::tool::{Tool, ToolServer};
    /// use inhouse::{Client, Options};
    /// use inhouse_testkit::{FakeCli, Replay, run};
    /// use serde_json::json;
    ///
    /// fn options(time: &'static str) -> Options {
    ///     let now = Tool::new("now", "The time", async move || time);
    ///     Options::new().tool_server(ToolServer::new("clock").tool(now))
    /// }
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("clock.jsonl");
    /// # run(FakeCli::play(options("noon").record(&path), async |client| {
    /// #     client.send("What time is it?").await?.finish().await.map(drop)
    /// # }, async |cli| {
    /// #     cli.expect_prompt().await;
    /// #     cli.call_tool("clock", "now", json!({})).await;
    /// #     cli.turn("It is noon.").await;
    /// # }));
    /// let replay = Replay::load(&path)?.lenient();
    /// let report = replay.report();
    /// run(async {
    ///     let mut client = Client::connect_with(options("midnight"), replay).await?;
    ///     client.send("What time is it?").await?.finish().await?;
    ///     client.close().await
    /// })?;
    /// assert_eq!(report.differences()[0].what, "the result of the tool `now` of the server `clock`");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn lenient(mut self) -> Self {
        self.is_lenient = true;
        self
    }

    /// Sends the lines of the CLI with the recorded pauses, on tokio's clock.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use inhouse::{Client, Options};
    /// use inhouse_testkit::{FakeCli, Replay, run};
    /// use tokio::time::{Instant, sleep};
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("slow.jsonl");
    /// # run(FakeCli::play(Options::new().record(&path), async |client| {
    /// #     client.send("Think.").await?.finish().await.map(drop)
    /// # }, async |cli| {
    /// #     cli.expect_prompt().await;
    /// #     sleep(Duration::from_secs(60)).await;
    /// #     cli.turn("Done.").await;
    /// # }));
    /// // In the recording, the answer took a minute. `run` pauses the clock, so the replay takes no time.
    /// let replay = Replay::load(&path)?.timed();
    /// run(async {
    ///     let start = Instant::now();
    ///     let mut client = Client::connect_with(Options::new(), replay).await?;
    ///     client.send("Think.").await?.finish().await?;
    ///     assert_eq!(start.elapsed().as_secs(), 60);
    ///     client.close().await
    /// })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn timed(mut self) -> Self {
        self.is_timed = true;
        self
    }

    /// Returns a handle to the differences, which stays valid after the session.
    ///
    /// ```
    /// use inhouse::record::Recording;
    /// use inhouse_testkit::Replay;
    ///
    /// let header = r#"{"inhouse_recording":1,"started":"2026-11-17T09:30:00Z"}"#;
    /// let report = Replay::new(Recording::parse(header)?).report();
    /// assert!(!report.is_complete());
    /// # Ok::<(), inhouse::record::RecordingError>(())
    /// ```
    #[must_use]
    pub fn report(&self) -> ReplayReport {
        self.report.clone()
    }
}

impl Transport for Replay {
    async fn open(self, _: &Launch) -> Result<Connection> {
        let (reader, stdout) = tokio::io::duplex(PIPE_BYTES);
        let (writer, stdin) = tokio::io::duplex(PIPE_BYTES);
        let (running, exit) = watch::channel(None);
        let playback = Playback::new(&self.recording, self.is_lenient);
        let player = Player {
            playback,
            stdin: BufReader::new(stdin),
            stdout,
            report: self.report.clone(),
            pace: self.is_timed.then(|| Pace {
                position: Duration::ZERO,
                reached: Instant::now(),
            }),
        };
        let task = tokio::spawn(async move {
            // An I/O error means that the host has dropped its side.
            if let Ok(status) = player.play().await {
                running.send_replace(status);
            }
        });
        Ok(Connection {
            reader: Box::new(reader),
            writer: Box::new(writer),
            peer: Box::new(ReplayPeer {
                task: task.abort_handle(),
                exit,
                report: self.report,
            }),
        })
    }
}

/// The state of the playing task.
struct Player {
    playback: Playback,
    stdin: BufReader<DuplexStream>,
    stdout: DuplexStream,
    report: ReplayReport,
    /// `None` without the recorded timing.
    pace: Option<Pace>,
}

/// When a time of the recording was reached.
struct Pace {
    position: Duration,
    reached: Instant,
}

impl Player {
    /// Plays the recording; returns the recorded exit status if it was played to its end.
    async fn play(mut self) -> io::Result<Option<ExitStatus>> {
        loop {
            match self.playback.next() {
                Next::Send { line, time } => {
                    if let Some(pace) = &mut self.pace {
                        pace.wait_for(time).await;
                    }
                    self.send(&line).await?;
                }
                Next::Await(awaited) => {
                    self.set_status(format!("the replay waits for the host to write {awaited}"));
                    if !self.listen().await? {
                        return Ok(None);
                    }
                    if let Some(pace) = &mut self.pace {
                        pace.reached = Instant::now();
                        pace.position = self.playback.time();
                    }
                }
                Next::End => {
                    self.report.set_complete();
                    return Ok(self.playback.exit());
                }
                Next::Fail(reason) => {
                    self.set_status(reason);
                    return Ok(None);
                }
                Next::Differ(difference) => {
                    self.set_status(difference.to_string());
                    self.report.add(difference);
                    return Ok(None);
                }
            }
        }
    }

    async fn send(&mut self, line: &str) -> io::Result<()> {
        self.stdout.write_all(line.as_bytes()).await?;
        self.stdout.write_all(b"\n").await
    }

    /// Receives the next line of the host; returns whether the replay continues.
    async fn listen(&mut self) -> io::Result<bool> {
        let mut line = String::new();
        if self.stdin.read_line(&mut line).await? == 0 {
            self.playback.receive_end();
            return Ok(true);
        }
        match self.playback.receive(line.trim_end()) {
            Received::Same => {}
            Received::Continue(difference, answer) => {
                self.report.add(difference);
                if let Some(answer) = answer {
                    self.send(&answer).await?;
                }
            }
            Received::End(difference) => {
                self.set_status(difference.to_string());
                self.report.add(difference);
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn set_status(&self, status: String) {
        self.report.set_status(status);
    }
}

impl Pace {
    /// Waits as long as the recording did since the last time that was reached.
    async fn wait_for(&mut self, time: Duration) {
        self.reached += time.saturating_sub(self.position);
        self.position = self.position.max(time);
        sleep_until(self.reached).await;
    }
}

/// The host's handle to the playing task.
struct ReplayPeer {
    task: AbortHandle,
    exit: watch::Receiver<Option<ExitStatus>>,
    report: ReplayReport,
}

impl Peer for ReplayPeer {
    fn stderr_tail(&self) -> String {
        self.report.status()
    }

    fn exited(&mut self) -> Pin<Box<dyn Future<Output = Option<ExitStatus>> + Send>> {
        let mut exit = self.exit.clone();
        Box::pin(async move {
            // The wait ends when the task has dropped the sender.
            while exit.changed().await.is_ok() {}
            *exit.borrow()
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
