use serde_json::Value;

use super::{Script, Step};

/// Steps of the CLI; see [`Step`].
impl Script {
    /// Creates a script without steps.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a step to the script.
    #[must_use]
    pub fn step(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// Adds all steps of another script.
    #[must_use]
    pub fn then(mut self, script: Self) -> Self {
        self.steps.extend(script.steps);
        self
    }

    /// Expects `initialize` and accepts the session.
    #[must_use]
    pub fn accept(self) -> Self {
        self.step(Step::Accept)
    }

    /// Expects a prompt of the host.
    #[must_use]
    pub fn expect_prompt(self) -> Self {
        self.step(Step::ExpectPrompt)
    }

    /// Expects a control request and answers it with success.
    #[must_use]
    pub fn answer(self, subtype: impl Into<String>, payload: Option<Value>) -> Self {
        let subtype = subtype.into();
        self.step(Step::Answer { subtype, payload })
    }

    /// Expects a control request and answers it with an error.
    #[must_use]
    pub fn refuse(
        self,
        subtype: impl Into<String>,
        error: impl Into<String>,
        code: Option<&str>,
    ) -> Self {
        self.step(Step::Refuse {
            subtype: subtype.into(),
            error: error.into(),
            code: code.map(str::to_owned),
        })
    }

    /// Expects a control request and never answers it.
    #[must_use]
    pub fn leave_open(self, subtype: impl Into<String>) -> Self {
        let subtype = subtype.into();
        self.step(Step::LeaveOpen { subtype })
    }

    /// Sends a control request to the host and waits for any answer to it.
    #[must_use]
    pub fn ask(self, request: Value) -> Self {
        self.step(Step::Ask { request })
    }

    /// Sends a line to the host.
    #[must_use]
    pub fn send(self, line: Value) -> Self {
        self.step(Step::Send { line })
    }

    /// Sends the same line many times.
    #[must_use]
    pub fn repeat(self, line: Value, times: u32) -> Self {
        self.step(Step::Repeat { line, times })
    }

    /// Sends an assistant message whose line has this length.
    #[must_use]
    pub fn line_of(self, bytes: usize) -> Self {
        self.step(Step::LineOf { bytes })
    }

    /// Writes bytes to stdout unchanged.
    #[must_use]
    pub fn bytes(self, bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        self.step(Step::Bytes { bytes })
    }

    /// Sends the state of the session.
    #[must_use]
    pub fn state(self, state: impl Into<String>) -> Self {
        let state = state.into();
        self.step(Step::State { state })
    }

    /// Sends the init message.
    #[must_use]
    pub fn init(self) -> Self {
        self.step(Step::Init)
    }

    /// Sends an assistant message.
    #[must_use]
    pub fn assistant(self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.step(Step::Assistant { text })
    }

    /// Sends a successful result.
    #[must_use]
    pub fn result(self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.step(Step::Result { text })
    }

    /// Sends an error result.
    #[must_use]
    pub fn error_result(self, subtype: impl Into<String>, error: impl Into<String>) -> Self {
        self.step(Step::ErrorResult {
            subtype: subtype.into(),
            errors: vec![error.into()],
        })
    }

    /// Sends all lines of a turn, from `running` to `idle`.
    #[must_use]
    pub fn turn(self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.step(Step::Turn { text })
    }

    /// Answers every prompt with its own text until the end of input.
    #[must_use]
    pub fn echo(self) -> Self {
        self.step(Step::Echo)
    }

    /// Writes a text to stderr.
    #[must_use]
    pub fn stderr(self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.step(Step::Stderr { text })
    }

    /// Writes this many bytes to stderr, in lines.
    #[must_use]
    pub fn stderr_flood(self, bytes: usize) -> Self {
        self.step(Step::StderrFlood { bytes })
    }

    /// Starts a process that outlives the CLI and keeps its stdout open.
    #[must_use]
    pub fn grandchild(self) -> Self {
        self.step(Step::Grandchild { stubborn: false })
    }

    /// Starts a process that keeps stdout open and ignores TERM.
    #[must_use]
    pub fn stubborn_grandchild(self) -> Self {
        self.step(Step::Grandchild { stubborn: true })
    }

    /// Ignores TERM from now on.
    #[must_use]
    pub fn ignore_terminate(self) -> Self {
        self.step(Step::IgnoreTerminate)
    }

    /// Closes stdin without exiting.
    #[must_use]
    pub fn close_stdin(self) -> Self {
        self.step(Step::CloseStdin)
    }

    /// Closes stdout without exiting.
    #[must_use]
    pub fn close_stdout(self) -> Self {
        self.step(Step::CloseStdout)
    }

    /// Expects that the host closes stdin.
    #[must_use]
    pub fn expect_end_of_input(self) -> Self {
        self.step(Step::ExpectEndOfInput)
    }

    /// Reads and ignores everything, and does not exit at the end of input.
    #[must_use]
    pub fn ignore_end_of_input(self) -> Self {
        self.step(Step::IgnoreEndOfInput)
    }

    /// Does nothing any more; does not read either.
    #[must_use]
    pub fn hang(self) -> Self {
        self.step(Step::Hang)
    }

    /// Exits with this code.
    #[must_use]
    pub fn exit(self, code: i32) -> Self {
        self.step(Step::Exit { code })
    }

    /// Ends by this signal.
    #[must_use]
    pub fn kill(self, signal: i32) -> Self {
        self.step(Step::Kill { signal })
    }
}
