use std::{future::Future, io, path::Path, pin::Pin, time::Duration};

use inhouse::{
    ExitStatus, Options, Result,
    launch::{Launch, Plan},
    record::{Recording, RecordingError, Secrets},
    transport::{Connection, Peer, Transport},
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::watch,
    task::AbortHandle,
};

use super::{
    ReplayReport,
    playback::Playback,
    player::{Player, ReplayProgress},
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
    /// Values that were redacted, besides those of the options and of the environment.
    redacted: Vec<String>,
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
            redacted: Vec::new(),
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

    /// Names a value that was redacted in the recording and that the host still writes.
    ///
    /// The lines of the host are redacted before they are compared: by the [same rules](inhouse::record#secrets), with the values of the
    /// current options and environment. Values that were named with [`Record::redact`](inhouse::record::Record::redact) are named again,
    /// here or in the options, and so are those that were only known on the machine of the recording.
    ///
    /// ```
    /// use inhouse::record::Record;
    /// use inhouse::{Client, Options};
    /// use inhouse_testkit::{FakeCli, Replay, run};
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("letter.jsonl");
    /// let record = Record::file(&path).redact("Ada Lovelace");
    /// # run(FakeCli::play(Options::new().record(record), async |client| {
    /// #     client.send("Write to Ada Lovelace.").await?.finish().await.map(drop)
    /// # }, async |cli| {
    /// #     cli.expect_prompt().await;
    /// #     cli.turn("Done.").await;
    /// # }));
    /// let replay = Replay::load(&path)?.redact("Ada Lovelace");
    /// let report = replay.report();
    /// run(async {
    ///     let mut client = Client::connect_with(Options::new(), replay).await?;
    ///     client.send("Write to Ada Lovelace.").await?.finish().await?;
    ///     client.close().await
    /// })?;
    /// report.assert_same();
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn redact(mut self, value: impl Into<String>) -> Self {
        self.redacted.push(value.into());
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

    /// Plays the recording on two streams, for a host in another process; returns the recorded exit status if it was played
    /// to its end.
    ///
    /// The replay ends if the host writes nothing for `patience` while it has to. `observe` is called with every change of the
    /// [report](Self::report), because the process may be killed at any time.
    #[doc(hidden)]
    pub async fn play_on(
        self,
        stdin: impl AsyncRead + Unpin,
        stdout: impl AsyncWrite + Unpin,
        patience: Duration,
        observe: impl FnMut(ReplayProgress<'_>),
    ) -> io::Result<Option<ExitStatus>> {
        // The options of the host are in another process, which names its secrets with `redact`.
        let plan = Plan::for_transport(&Options::new()).map_err(io::Error::other)?;
        let secrets = plan.launch.secrets(&self.redacted);
        let player = self.player(secrets, stdin, stdout, observe);
        player.with_patience(patience).play().await
    }

    fn player<R, W, F>(self, secrets: Secrets, stdin: R, stdout: W, observe: F) -> Player<R, W, F>
    where
        R: AsyncRead + Unpin,
        F: FnMut(ReplayProgress<'_>),
    {
        let playback = Playback::new(&self.recording, secrets, self.is_lenient);
        let player = Player::new(playback, stdin, stdout, self.report, observe);
        match self.is_timed {
            true => player.timed(),
            false => player,
        }
    }
}

impl Transport for Replay {
    async fn open(self, launch: &Launch) -> Result<Connection> {
        let secrets = launch.secrets(&self.redacted);
        let (reader, stdout) = tokio::io::duplex(PIPE_BYTES);
        let (writer, stdin) = tokio::io::duplex(PIPE_BYTES);
        let (running, exit) = watch::channel(None);
        let report = self.report.clone();
        let player = self.player(secrets, stdin, stdout, |_| {});
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
                report,
            }),
        })
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
