use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One thing that a CLI does in a [`Script`](super::Script).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Step {
    /// Expects `initialize` and accepts the session.
    Accept,
    /// Expects a prompt.
    ExpectPrompt,
    /// Expects a request and answers it with success.
    Answer {
        /// The subtype.
        subtype: String,
        /// The payload, if there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        payload: Option<Value>,
    },
    /// Expects a request and refuses it.
    Refuse {
        /// The subtype.
        subtype: String,
        /// The words.
        error: String,
        /// The code for programs, if there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<String>,
    },
    /// Expects a request and never answers it.
    LeaveOpen {
        /// The subtype.
        subtype: String,
    },
    /// Makes a request of the host and waits for the answer, whatever it is.
    Ask {
        /// The request, with its subtype.
        request: Value,
    },
    /// Says a line.
    Send {
        /// The line.
        line: Value,
    },
    /// Says a line many times.
    Repeat {
        /// The line.
        line: Value,
        /// How often.
        times: u32,
    },
    /// Says a message that makes a line of this length, without its end.
    LineOf {
        /// The length.
        bytes: usize,
    },
    /// Writes bytes as they are.
    Bytes {
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// Says the state of the session.
    State {
        /// `running`, `requires_action` or `idle`.
        state: String,
    },
    /// Says the init message.
    Init,
    /// Says a message of the model.
    Assistant {
        /// The text.
        text: String,
    },
    /// Ends a turn that went well.
    Result {
        /// The text.
        text: String,
    },
    /// Ends a turn that failed.
    ErrorResult {
        /// How it failed.
        subtype: String,
        /// The reasons.
        errors: Vec<String>,
    },
    /// Says all that makes a turn, from `running` to `idle`.
    Turn {
        /// The text of the answer.
        text: String,
    },
    /// Until the end of input: answers every prompt with a turn that repeats it, and every request
    /// with success.
    Echo,
    /// Writes to stderr.
    Stderr {
        /// The text, with its ends of lines.
        text: String,
    },
    /// Writes this much to stderr, in lines.
    StderrFlood {
        /// How much.
        bytes: usize,
    },
    /// Starts something that outlives the CLI and keeps its stdout open.
    Grandchild {
        /// Whether it also ignores being asked to end.
        stubborn: bool,
    },
    /// Ignores being asked to end from now on.
    IgnoreTerminate,
    /// Closes stdin and goes on.
    CloseStdin,
    /// Closes stdout and goes on.
    CloseStdout,
    /// Expects the end of input.
    ExpectEndOfInput,
    /// Reads on and does nothing ever again, not even end when its input does.
    IgnoreEndOfInput,
    /// Does nothing ever again, and does not read either.
    Hang,
    /// Ends by itself.
    Exit {
        /// The exit code.
        code: i32,
    },
    /// Ends by a signal, all at once.
    Kill {
        /// The number of the signal.
        signal: i32,
    },
}
