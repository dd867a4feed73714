use std::fmt;
use std::time::Duration;

use inhouse::ExitStatus;
use serde_json::Value;
use tokio::io::duplex;

use super::conversation::{Conversation, Failure};
use super::host::{HostAnswer, HostRequest, Prompt};
use super::launched::Launched;
use super::process_state::ProcessState;
use super::script::{Process, Script, play};
use super::streams::CliStream;
use super::transport::FakeTransport;

/// The capacity of a pipe on Linux.
const PIPE_BYTES: usize = 64 * 1024;

/// A CLI in memory, as the test controls it; see the [module](super).
///
/// Dropping it is an exit with code 0.
pub struct FakeCli {
    pub(super) conversation: Conversation,
    pub(super) process: ProcessState,
    pub(super) launched: Launched,
    pub(super) terminations: u32,
    pub(super) tool_calls: u64,
}

impl FakeCli {
    /// Creates a fake CLI, and the transport that connects a host to it.
    #[must_use]
    pub fn new() -> (FakeTransport, Self) {
        let process = ProcessState::new();
        let (host_stdin, stdin) = duplex(PIPE_BYTES);
        let (host_stdout, stdout) = duplex(PIPE_BYTES);
        let conversation = Conversation::new(
            CliStream::new(stdin, &process),
            CliStream::new(stdout, &process),
        );
        let transport = FakeTransport {
            stdin: host_stdin,
            stdout: host_stdout,
            process: process.clone(),
        };
        let cli = Self {
            conversation,
            process,
            launched: Launched::default(),
            terminations: 0,
            tool_calls: 0,
        };
        (transport, cli)
    }

    /// Sets the time limit of the host for each expectation; 10 s by default.
    ///
    /// The time is real, even if the clock of the test is paused.
    pub fn set_deadline(&mut self, deadline: Duration) {
        self.conversation.set_deadline(deadline);
    }

    /// Skips lines of this kind from now on: a type such as `control_response`, or the subtype of a
    /// request such as `set_model`, which then gets no answer.
    pub fn ignore(&mut self, kind: &str) {
        self.conversation.ignore(kind);
    }

    /// Ignores TERM from now on.
    pub fn ignore_terminate(&mut self) {
        self.process.ignore_terminate();
    }

    /// Ignores KILL from now on, like a process that hangs in the kernel.
    pub fn ignore_kill(&mut self) {
        self.process.ignore_kill();
    }

    /// Keeps stdout open after the exit until the host kills the process group, like a process that the
    /// CLI has started.
    pub fn hold_stdout(&mut self) {
        self.process.hold_stdout();
    }

    /// Closes stdout without exiting.
    pub async fn close_stdout(&mut self) {
        self.conversation.output().close().await;
    }

    /// Closes stdin without exiting.
    pub fn close_stdin(&mut self) {
        self.conversation.close_input();
    }

    /// Writes to stderr, whose tail is in the host's errors.
    ///
    /// The callback of `Options::stderr` is for real processes only and is not called.
    pub fn stderr(&mut self, text: &str) {
        self.conversation.transcript().event(text);
        self.process.write_stderr(text);
    }

    /// Returns the session id, which is in every message.
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

    /// Returns the lines of both sides so far; long lines are cut.
    #[must_use]
    pub fn transcript(&self) -> String {
        self.conversation.transcript().render()
    }

    /// Exits with this status.
    pub fn exit(self, status: ExitStatus) {
        self.process.exit(status);
    }

    /// Plays a script to its end, then exits.
    ///
    /// # Panics
    /// If the host deviates from the script. A host that kills the fake ends the script and is not a failure.
    pub async fn play_script(mut self, script: &Script) {
        let mut process = self.process.clone();
        match play(script, &mut self.conversation, &mut process).await {
            Ok(status) => self.exit(status),
            Err(failure) if failure.is_killed() => {}
            Err(failure) => panic!("{failure}"),
        }
    }
}

/// Expectations.
///
/// Any other line of the host fails the test, unless [`ignore`](Self::ignore) names its kind. A failure
/// panics with what was expected, what was received, and the conversation so far; so does a host that
/// sends nothing within the deadline.
impl FakeCli {
    /// Expects `initialize` and accepts the session; returns the request.
    ///
    /// To answer differently, call [`expect_request`](Self::expect_request) with `initialize`.
    pub async fn accept(&mut self) -> Value {
        let initialize = done(self.conversation.accept().await);
        self.launched = self.process.launched();
        self.launched.initialize = initialize.clone();
        initialize
    }

    /// Expects a prompt of the host.
    pub async fn expect_prompt(&mut self) -> Prompt {
        done(self.conversation.prompt().await)
    }

    /// Expects a control request of this subtype.
    pub async fn expect_request(&mut self, subtype: &str) -> HostRequest {
        done(self.conversation.request(subtype).await)
    }

    /// Expects that the host cancels one of its requests; returns the id.
    pub async fn expect_cancel(&mut self) -> String {
        done(self.conversation.cancelled_request().await)
    }

    /// Expects the answer to the request with this id.
    pub async fn expect_answer(&mut self, id: &str) -> HostAnswer {
        done(self.conversation.answer(id).await)
    }

    /// Expects the answer to any request; returns the request id and the answer.
    pub async fn expect_any_answer(&mut self) -> (String, HostAnswer) {
        done(self.conversation.any_answer().await)
    }

    /// Expects that the host closes stdin.
    pub async fn expect_end_of_input(&mut self) {
        done(self.conversation.end_of_input().await);
    }

    /// Expects another TERM. The fake has exited then, unless it [ignores](Self::ignore_terminate) TERM.
    pub async fn expect_terminate(&mut self) {
        let terminated = self.process.terminated_more_than(self.terminations);
        done(self.conversation.event("TERM", terminated).await);
        self.terminations += 1;
    }

    /// Expects that the host kills the CLI.
    pub async fn expect_kill(&mut self) {
        let killed = self.process.killed();
        done(self.conversation.event("KILL", killed).await);
    }
}

/// Lines of the CLI.
///
/// Every method panics if the line cannot be written: the host is gone or does not read.
impl FakeCli {
    /// Sends a line to the host.
    pub async fn send(&mut self, line: Value) {
        done(self.conversation.send(&line).await);
    }

    /// Writes bytes unchanged: garbage, partial lines, lines in pieces.
    pub async fn send_bytes(&mut self, bytes: &[u8]) {
        done(self.conversation.output().bytes(bytes).await);
    }

    /// Sends a whole turn: the state `running`, the init message, the text, its result, the state `idle`.
    ///
    /// Results, here and in the methods below, refer to the expected prompts in order.
    pub async fn turn(&mut self, text: &str) {
        done(self.conversation.turn(text).await);
    }

    /// Sends the state of the session: `running`, `requires_action` or `idle`.
    pub async fn state(&mut self, state: &str) {
        let line = self.conversation.session().state(state);
        self.send(line).await;
    }

    /// Sends the init message, the first of every turn: model, tools, servers.
    pub async fn init(&mut self) {
        let line = self.conversation.session().init();
        self.send(line).await;
    }

    /// Sends an assistant message with this text.
    pub async fn assistant(&mut self, text: &str) {
        let line = self.conversation.session().assistant(text);
        self.send(line).await;
    }

    /// Sends a successful result, which ends a turn.
    pub async fn result(&mut self, text: &str) {
        let line = self.conversation.session().result(text);
        self.send(line).await;
    }

    /// Sends an error result such as `error_during_execution` or `error_max_turns`, which ends a turn.
    pub async fn error_result(&mut self, subtype: &str, errors: &[&str]) {
        let errors: Vec<_> = errors.iter().map(|&error| error.to_owned()).collect();
        let line = self.conversation.session().error_result(subtype, &errors);
        self.send(line).await;
    }

    /// Sends a control request with this body, including its subtype; returns the request id.
    pub async fn ask(&mut self, request: Value) -> String {
        done(self.conversation.ask(&request).await)
    }

    /// Cancels a request to the host.
    pub async fn cancel(&mut self, id: &str) {
        done(self.conversation.cancel(id).await);
    }
}

impl Drop for FakeCli {
    fn drop(&mut self) {
        self.process.exit(ExitStatus::with_code(0));
    }
}

impl fmt::Debug for FakeCli {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FakeCli")
            .field("session_id", &self.session_id())
            .field("exited", &self.process.has_exited())
            .finish_non_exhaustive()
    }
}

impl Process for ProcessState {
    fn write_stderr(&mut self, text: &str) -> std::io::Result<()> {
        Self::write_stderr(self, text);
        Ok(())
    }

    fn ignore_terminate(&mut self) -> std::io::Result<()> {
        Self::ignore_terminate(self);
        Ok(())
    }

    fn leave_grandchild(&mut self, _stubborn: bool) -> std::io::Result<()> {
        self.hold_stdout();
        Ok(())
    }

    fn stdout_closed(&mut self) {}

    async fn hang(&mut self) {
        self.exited().await;
    }
}

/// Returns the value of a step that succeeded.
///
/// # Panics
/// With the explanation of one that failed.
pub(super) fn done<T>(outcome: Result<T, Failure>) -> T {
    outcome.unwrap_or_else(|failure| panic!("{failure}"))
}
