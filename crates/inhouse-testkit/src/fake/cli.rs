use std::fmt;
use std::time::Duration;

use inhouse::ExitStatus;
use tokio::io::duplex;

use super::conversation::Conversation;
use super::failure::Failure;
use super::launched::Launched;
use super::life::Life;
use super::mortal::WhileAlive;
use super::script::{Body, Script, play};
use super::transport::FakeTransport;

/// As much as a pipe of the system holds.
const PIPE: usize = 64 * 1024;

/// The CLI's side of a conversation, in memory; see the [module](super).
///
/// Dropping it is an exit with code 0.
pub struct FakeCli {
    pub(super) conversation: Conversation,
    pub(super) life: Life,
    pub(super) launched: Launched,
    pub(super) terminations: u32,
    pub(super) tool_calls: u64,
}

impl FakeCli {
    /// A CLI, and the transport by which the host reaches it.
    #[must_use]
    pub fn new() -> (FakeTransport, Self) {
        let life = Life::new();
        let (host_stdin, stdin) = duplex(PIPE);
        let (host_stdout, stdout) = duplex(PIPE);
        let conversation = Conversation::new(
            WhileAlive::new(stdin, &life),
            WhileAlive::new(stdout, &life),
        );
        let transport = FakeTransport {
            stdin: host_stdin,
            stdout: host_stdout,
            life: life.clone(),
        };
        let cli = Self {
            conversation,
            life,
            launched: Launched::default(),
            terminations: 0,
            tool_calls: 0,
        };
        (transport, cli)
    }

    /// Sets how long the host may take for each thing that is expected of it; 10 s unless set.
    ///
    /// The time is real, also in a test with a paused clock.
    pub fn set_deadline(&mut self, deadline: Duration) {
        self.conversation.set_patience(deadline);
    }

    /// Passes over lines of this kind from now on: a type such as `control_response`, or the subtype
    /// of a request such as `set_model`, which then gets no answer.
    pub fn ignore(&mut self, kind: &str) {
        self.conversation.ignore(kind);
    }

    /// Outlives being asked to end.
    pub fn ignore_terminate(&mut self) {
        self.life.ignore_terminate();
    }

    /// Outlives even being killed, as a process does that hangs in the kernel.
    pub fn ignore_kill(&mut self) {
        self.life.ignore_kill();
    }

    /// Keeps stdout open after the exit, as something does that a CLI has started and left behind. It
    /// ends when the host kills it.
    pub fn hold_stdout(&mut self) {
        self.life.hold_stdout();
    }

    /// Closes stdout and lives on.
    pub async fn close_stdout(&mut self) {
        self.conversation.output().close().await;
    }

    /// Closes stdin and lives on.
    pub fn close_stdin(&mut self) {
        self.conversation.close_input();
    }

    /// Writes to stderr, of which the host sees the last part in errors.
    ///
    /// The callback of `Options::stderr` is for real processes and does not get it.
    pub fn stderr(&mut self, text: &str) {
        self.conversation.transcript().event(text);
        self.life.write_stderr(text);
    }

    /// The id of the session in everything that it says.
    #[must_use]
    pub fn session_id(&self) -> &str {
        self.conversation.session_id()
    }

    /// Returns how the host started the CLI: command line, environment and `initialize` request.
    ///
    /// Empty before [`accept`](Self::accept).
    #[must_use]
    pub fn launched(&self) -> &Launched {
        &self.launched
    }

    /// What was said so far, one line for each line, long ones cut.
    #[must_use]
    pub fn transcript(&self) -> String {
        self.conversation.transcript().render()
    }

    /// Ends.
    pub fn exit(self, status: ExitStatus) {
        self.life.exit(status);
    }

    /// Plays a script to its end, which is also the fake's.
    ///
    /// # Panics
    /// When the host does not do its part. A host that kills the fake ends the play, not the test.
    pub async fn play_script(mut self, script: &Script) {
        let mut body = InMemory(self.life.clone());
        match play(script, &mut self.conversation, &mut body).await {
            Ok(status) => self.exit(status),
            Err(failure) if failure.is_killed() => {}
            Err(failure) => panic!("{failure}"),
        }
    }
}

impl Drop for FakeCli {
    fn drop(&mut self) {
        self.life.exit(ExitStatus::with_code(0));
    }
}

impl fmt::Debug for FakeCli {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FakeCli")
            .field("session_id", &self.session_id())
            .field("ended", &self.life.has_ended())
            .finish_non_exhaustive()
    }
}

/// The part of a process in memory.
struct InMemory(Life);

impl Body for InMemory {
    fn write_stderr(&mut self, text: &str) -> std::io::Result<()> {
        self.0.write_stderr(text);
        Ok(())
    }

    fn ignore_terminate(&mut self) -> std::io::Result<()> {
        self.0.ignore_terminate();
        Ok(())
    }

    fn leave_grandchild(&mut self, _stubborn: bool) -> std::io::Result<()> {
        self.0.hold_stdout();
        Ok(())
    }

    fn stdout_closed(&mut self) {}

    async fn hang(&mut self) {
        self.0.ended().await;
    }
}

pub(super) fn done<T>(outcome: Result<T, Failure>) -> T {
    outcome.unwrap_or_else(|failure| panic!("{failure}"))
}
