use std::{io, time::Duration};

use inhouse::ExitStatus;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    time::{Instant, sleep_until, timeout},
};

use super::{
    Difference, ReplayReport,
    playback::{Next, Playback, Received},
};

/// Plays a recording on the stdin and the stdout of a CLI.
pub(super) struct Player<R, W, F> {
    playback: Playback,
    stdin: BufReader<R>,
    stdout: W,
    report: ReplayReport,
    observe: F,
    /// `None` without the recorded timing.
    pace: Option<Pace>,
    /// How long the host may write nothing; `None` is no limit.
    patience: Option<Duration>,
}

/// A change of a [`ReplayReport`].
#[doc(hidden)]
#[derive(Debug)]
pub enum ReplayProgress<'a> {
    /// The host differs from the recording.
    Difference(&'a Difference),
    /// The replay waits for this, or has ended for this reason.
    Status(&'a str),
    /// The recording was played to its end.
    Complete,
}

/// When a time of the recording was reached.
struct Pace {
    position: Duration,
    reached: Instant,
}

impl<R: AsyncRead + Unpin, W, F> Player<R, W, F> {
    pub(super) fn new(
        playback: Playback,
        stdin: R,
        stdout: W,
        report: ReplayReport,
        observe: F,
    ) -> Self {
        Self {
            playback,
            stdin: BufReader::new(stdin),
            stdout,
            report,
            observe,
            pace: None,
            patience: None,
        }
    }

    /// Sends the lines of the CLI with the recorded pauses.
    pub(super) fn timed(mut self) -> Self {
        self.pace = Some(Pace {
            position: Duration::ZERO,
            reached: Instant::now(),
        });
        self
    }

    /// Ends the replay if the host writes nothing for this time.
    pub(super) fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = Some(patience);
        self
    }
}

impl<R, W, F> Player<R, W, F>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
    F: FnMut(ReplayProgress<'_>),
{
    /// Plays the recording; returns the recorded exit status if it was played to its end.
    pub(super) async fn play(mut self) -> io::Result<Option<ExitStatus>> {
        loop {
            match self.playback.next() {
                Next::Send { line, time } => {
                    if let Some(pace) = &mut self.pace {
                        pace.wait_for(time).await;
                    }
                    // Before the last line: the host may kill this process as soon as it has read it.
                    if self.playback.is_at_end() {
                        self.complete();
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
                    self.complete();
                    return Ok(self.playback.exit());
                }
                Next::Fail(reason) => {
                    self.set_status(reason);
                    return Ok(None);
                }
                Next::Differ(difference) => {
                    self.end_with(difference);
                    return Ok(None);
                }
            }
        }
    }

    async fn send(&mut self, line: &str) -> io::Result<()> {
        self.stdout.write_all(line.as_bytes()).await?;
        self.stdout.write_all(b"\n").await?;
        self.stdout.flush().await
    }

    /// Receives the next line of the host; returns whether the replay continues.
    async fn listen(&mut self) -> io::Result<bool> {
        let mut line = String::new();
        let reading = self.stdin.read_line(&mut line);
        let read = match self.patience {
            Some(patience) => match timeout(patience, reading).await {
                Ok(read) => read,
                Err(_) => {
                    let awaited = self.report.status();
                    self.set_status(format!(
                        "the host wrote nothing for {patience:?}: {awaited}"
                    ));
                    return Ok(false);
                }
            },
            None => reading.await,
        };
        if read? == 0 {
            self.playback.receive_end();
            return Ok(true);
        }
        match self.playback.receive(line.trim_end()) {
            Received::Same => {}
            Received::Continue(difference, answer) => {
                self.add(difference);
                if let Some(answer) = answer {
                    self.send(&answer).await?;
                }
            }
            Received::End(difference) => {
                self.end_with(difference);
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn end_with(&mut self, difference: Difference) {
        self.set_status(difference.to_string());
        self.add(difference);
    }

    fn add(&mut self, difference: Difference) {
        (self.observe)(ReplayProgress::Difference(&difference));
        self.report.add(difference);
    }

    fn set_status(&mut self, status: String) {
        (self.observe)(ReplayProgress::Status(&status));
        self.report.set_status(status);
    }

    fn complete(&mut self) {
        (self.observe)(ReplayProgress::Complete);
        self.report.set_complete();
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
