use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One step of the CLI in a [`Script`](super::Script).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Step {
    /// Expects `initialize` and accepts the session.
    Accept,
    /// Expects a prompt of the host.
    ExpectPrompt,
    /// Expects a control request and answers it with success.
    Answer {
        /// The subtype of the request.
        subtype: String,
        /// The payload; `None` sends no payload.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        payload: Option<Value>,
    },
    /// Expects a control request and answers it with an error.
    Refuse {
        /// The subtype of the request.
        subtype: String,
        /// The error text of the answer.
        error: String,
        /// The error code, if there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<String>,
    },
    /// Expects a control request and never answers it.
    LeaveOpen {
        /// The subtype of the request.
        subtype: String,
    },
    /// Sends a control request to the host and waits for any answer to it.
    Ask {
        /// The request, with its subtype.
        request: Value,
    },
    /// Sends a line to the host.
    Send {
        /// The line to send.
        line: Value,
    },
    /// Sends the same line many times.
    Repeat {
        /// The line to send.
        line: Value,
        /// The number of repetitions.
        times: u32,
    },
    /// Sends an assistant message whose line has this length, without the line end.
    LineOf {
        /// The length in bytes.
        bytes: usize,
    },
    /// Writes bytes to stdout unchanged.
    Bytes {
        /// The bytes to write.
        bytes: Vec<u8>,
    },
    /// Sends the state of the session.
    State {
        /// `running`, `requires_action` or `idle`.
        state: String,
    },
    /// Sends the init message.
    Init,
    /// Sends an assistant message.
    Assistant {
        /// The text of the message.
        text: String,
    },
    /// Sends a successful result.
    Result {
        /// The text of the message.
        text: String,
    },
    /// Sends an error result.
    ErrorResult {
        /// The subtype of the result, such as `error_max_turns`.
        subtype: String,
        /// The error texts of the result.
        errors: Vec<String>,
    },
    /// Sends all lines of a turn, from `running` to `idle`.
    Turn {
        /// The text of the answer.
        text: String,
    },
    /// Until the end of input, answers every prompt with a turn of the same text, and every request
    /// with success.
    Echo,
    /// Writes a text to stderr.
    Stderr {
        /// The text, including line ends.
        text: String,
    },
    /// Writes this many bytes to stderr, in lines.
    StderrFlood {
        /// The number of bytes.
        bytes: usize,
    },
    /// Starts a process that outlives the CLI and keeps its stdout open.
    Grandchild {
        /// Whether the process also ignores TERM.
        stubborn: bool,
    },
    /// Ignores TERM from now on.
    IgnoreTerminate,
    /// Closes stdin without exiting.
    CloseStdin,
    /// Closes stdout without exiting.
    CloseStdout,
    /// Expects that the host closes stdin.
    ExpectEndOfInput,
    /// Reads and ignores everything, and does not exit at the end of input.
    IgnoreEndOfInput,
    /// Does nothing any more; does not read either.
    Hang,
    /// Exits with this code.
    Exit {
        /// The code to exit with.
        code: i32,
    },
    /// Ends by this signal.
    Kill {
        /// The number of the signal.
        signal: i32,
    },
}
