use serde_json::Value;

use super::{Script, Step};

/// What the CLI does, step by step; each is explained at [`Step`].
impl Script {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Any step.
    #[must_use]
    pub fn step(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// All steps of another script.
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

    /// Expects a prompt.
    #[must_use]
    pub fn expect_prompt(self) -> Self {
        self.step(Step::ExpectPrompt)
    }

    /// Expects a request and answers it with success.
    #[must_use]
    pub fn answer(self, subtype: impl Into<String>, payload: Option<Value>) -> Self {
        let subtype = subtype.into();
        self.step(Step::Answer { subtype, payload })
    }

    /// Expects a request and refuses it.
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

    /// Expects a request and never answers it.
    #[must_use]
    pub fn leave_open(self, subtype: impl Into<String>) -> Self {
        let subtype = subtype.into();
        self.step(Step::LeaveOpen { subtype })
    }

    /// Makes a request of the host and waits for the answer, whatever it is.
    #[must_use]
    pub fn ask(self, request: Value) -> Self {
        self.step(Step::Ask { request })
    }

    /// Says a line.
    #[must_use]
    pub fn send(self, line: Value) -> Self {
        self.step(Step::Send { line })
    }

    /// Says a line many times.
    #[must_use]
    pub fn repeat(self, line: Value, times: u32) -> Self {
        self.step(Step::Repeat { line, times })
    }

    /// Says a message that makes a line of this length.
    #[must_use]
    pub fn line_of(self, bytes: usize) -> Self {
        self.step(Step::LineOf { bytes })
    }

    /// Writes bytes as they are.
    #[must_use]
    pub fn bytes(self, bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        self.step(Step::Bytes { bytes })
    }

    /// Says the state of the session.
    #[must_use]
    pub fn state(self, state: impl Into<String>) -> Self {
        let state = state.into();
        self.step(Step::State { state })
    }

    /// Says the init message.
    #[must_use]
    pub fn init(self) -> Self {
        self.step(Step::Init)
    }

    /// Says a message of the model.
    #[must_use]
    pub fn assistant(self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.step(Step::Assistant { text })
    }

    /// Ends a turn that went well.
    #[must_use]
    pub fn result(self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.step(Step::Result { text })
    }

    /// Ends a turn that failed.
    #[must_use]
    pub fn error_result(self, subtype: impl Into<String>, error: impl Into<String>) -> Self {
        self.step(Step::ErrorResult {
            subtype: subtype.into(),
            errors: vec![error.into()],
        })
    }

    /// Says all that makes a turn.
    #[must_use]
    pub fn turn(self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.step(Step::Turn { text })
    }

    /// Repeats every prompt until the end of input.
    #[must_use]
    pub fn echo(self) -> Self {
        self.step(Step::Echo)
    }

    /// Writes to stderr.
    #[must_use]
    pub fn stderr(self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.step(Step::Stderr { text })
    }

    /// Writes this many bytes to stderr.
    #[must_use]
    pub fn stderr_flood(self, bytes: usize) -> Self {
        self.step(Step::StderrFlood { bytes })
    }

    /// Starts something that keeps stdout open.
    #[must_use]
    pub fn grandchild(self) -> Self {
        self.step(Step::Grandchild { stubborn: false })
    }

    /// Starts something that keeps stdout open and ignores being asked to end.
    #[must_use]
    pub fn stubborn_grandchild(self) -> Self {
        self.step(Step::Grandchild { stubborn: true })
    }

    /// Ignores being asked to end.
    #[must_use]
    pub fn ignore_terminate(self) -> Self {
        self.step(Step::IgnoreTerminate)
    }

    /// Closes stdin and goes on.
    #[must_use]
    pub fn close_stdin(self) -> Self {
        self.step(Step::CloseStdin)
    }

    /// Closes stdout and goes on.
    #[must_use]
    pub fn close_stdout(self) -> Self {
        self.step(Step::CloseStdout)
    }

    /// Expects the end of input.
    #[must_use]
    pub fn expect_end_of_input(self) -> Self {
        self.step(Step::ExpectEndOfInput)
    }

    /// Reads on for ever.
    #[must_use]
    pub fn ignore_end_of_input(self) -> Self {
        self.step(Step::IgnoreEndOfInput)
    }

    /// Does nothing ever again.
    #[must_use]
    pub fn hang(self) -> Self {
        self.step(Step::Hang)
    }

    /// Ends by itself.
    #[must_use]
    pub fn exit(self, code: i32) -> Self {
        self.step(Step::Exit { code })
    }

    /// Ends by a signal.
    #[must_use]
    pub fn kill(self, signal: i32) -> Self {
        self.step(Step::Kill { signal })
    }
}
