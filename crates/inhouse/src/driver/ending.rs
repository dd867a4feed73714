use std::time::{Duration, Instant};

use inhouse_proto::engine::Frame;

use crate::error::{Error, ErrorKind};
use crate::process::ExitStatus;

/// How long stdout may stay open after the process has ended.
const DRAIN: Duration = Duration::from_secs(1);

/// How long a killed process may take to disappear.
const AFTER_KILL: Duration = Duration::from_secs(5);

/// Longer than any process lives.
const FOR_EVER: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);

/// The way of a session from its last word to its end.
///
/// It is complete when the process has ended and its output has been read, and in any case when
/// the last step's time is up: no CLI can keep a session from ending.
#[derive(Debug, Default)]
pub(super) struct Ending {
    step: Option<(Step, Instant)>,
    output_ended: bool,
    exit: Option<Option<ExitStatus>>,
    close_requested: bool,
    abandoned: bool,
    expected: bool,
    forced: bool,
    last_turn_failed: bool,
}

/// How far an ending has gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    /// Its input has ended: it should end by itself.
    Grace,
    /// It was asked to.
    Terminated,
    /// It was killed, or has ended; its output may still be coming.
    Killed,
    /// Whatever holds it is not worth waiting for.
    GivenUp,
}

/// What a session's end means to those who held it.
pub(crate) struct End {
    pub(crate) exit: Option<ExitStatus>,
    /// What the reader of messages gets last: only an end that nothing explains.
    pub(crate) failure: Option<Error>,
    /// What everyone else gets who wanted something of the session.
    pub(crate) cause: Error,
}

impl Ending {
    pub(super) fn is_complete(&self) -> bool {
        (self.exit.is_some() && self.output_ended) || self.step() == Some(Step::GivenUp)
    }

    pub(super) fn step(&self) -> Option<Step> {
        self.step.map(|(step, _)| step)
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.step.map(|(_, until)| until)
    }

    pub(super) fn output_ended(&self) -> bool {
        self.output_ended
    }

    pub(super) fn has_exited(&self) -> bool {
        self.exit.is_some()
    }

    pub(super) fn close_requested(&self) -> bool {
        self.close_requested
    }

    pub(super) fn abandoned(&self) -> bool {
        self.abandoned
    }

    /// Begins the grace time, or shortens it when it has begun already.
    pub(super) fn begin(&mut self, now: Instant, grace: Duration) {
        let until = after(now, grace);
        match &mut self.step {
            None => self.step = Some((Step::Grace, until)),
            Some((Step::Grace, earlier)) => *earlier = until.min(*earlier),
            Some(_) => {}
        }
    }

    /// Skips to the kill, unless the CLI has ended or was killed already.
    pub(super) fn hurry(&mut self, now: Instant) {
        if self.step() >= Some(Step::Killed) {
            return;
        }
        self.forced = true;
        self.step = Some((Step::Killed, now + AFTER_KILL));
    }

    /// The time of a step is up: the next one begins.
    pub(super) fn advance(&mut self, now: Instant, terminate_wait: Duration) {
        self.step = match self.step() {
            None => None,
            Some(Step::Grace) => {
                self.forced = true;
                Some((Step::Terminated, after(now, terminate_wait)))
            }
            Some(Step::Terminated) => Some((Step::Killed, now + AFTER_KILL)),
            Some(Step::Killed | Step::GivenUp) => Some((Step::GivenUp, now)),
        };
    }

    pub(super) fn exited(&mut self, exit: Option<ExitStatus>, now: Instant) {
        self.exit = Some(exit);
        self.step = Some((Step::Killed, now + DRAIN));
    }

    pub(super) fn output_end(&mut self) {
        self.output_ended = true;
    }

    /// The host wants no more of the session.
    pub(super) fn request_close(&mut self) {
        self.close_requested = true;
    }

    /// Nobody holds the session any more.
    pub(super) fn abandon(&mut self) {
        self.close_requested = true;
        self.abandoned = true;
    }

    /// The session has done what it was for.
    pub(super) fn expect_end(&mut self) {
        self.expected = true;
    }

    pub(super) fn saw(&mut self, frame: &Frame) {
        if frame.ends_turn() {
            self.last_turn_failed = frame.ends_turn_badly();
        }
    }

    pub(super) fn conclude(&self, unanswered: bool, stderr: String) -> End {
        let exit = self.exit.flatten();
        if self.close_requested {
            let cause = Error::new(ErrorKind::Closed, "the session was closed by the host");
            return End {
                exit,
                failure: None,
                cause: cause.with_exit(exit, stderr),
            };
        }
        let cause = Error::new(ErrorKind::Exited, self.describe(exit, unanswered, &stderr))
            .with_exit(exit, stderr);
        End {
            exit,
            failure: (!self.is_explained(exit, unanswered)).then(|| cause.clone()),
            cause,
        }
    }

    /// Whether the reader of messages has seen all there is to know.
    fn is_explained(&self, exit: Option<ExitStatus>, unanswered: bool) -> bool {
        if self.expected && self.forced {
            return true;
        }
        match exit {
            // An error result is followed by exit code 1: the result has told the story.
            Some(status) if status.code() == Some(1) => self.last_turn_failed && !unanswered,
            Some(status) => status.success() && !unanswered,
            None => !unanswered,
        }
    }

    fn describe(&self, exit: Option<ExitStatus>, unanswered: bool, stderr: &str) -> String {
        let mut text = match exit {
            Some(exit) => format!("the CLI ended with {exit}"),
            None => "the connection to the CLI ended".to_owned(),
        };
        if unanswered {
            text.push_str(" before its turn had a result");
        }
        match stderr.trim_end().lines().next_back() {
            Some(last) => text.push_str(&format!("; the last line on its stderr: {last}")),
            None => text.push_str("; it wrote nothing to stderr"),
        }
        text
    }
}

/// A moment that exists for the longest of waits, too.
fn after(now: Instant, wait: Duration) -> Instant {
    now.checked_add(wait).unwrap_or(now + FOR_EVER)
}

/// A prompt that has no JSON form.
pub(super) fn unsendable(error: serde_json::Error) -> Error {
    Error::new(ErrorKind::Config, "the prompt has no JSON form").with_source(error)
}
