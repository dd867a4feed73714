//! Recordings of sessions: every line of both sides, with its time.
//!
//! [`Options::record`](crate::Options::record) records a session, also in production. [`Recording`] reads the file, and
//! `inhouse_testkit::Replay` plays it back: the conversation runs again against the tools of today, without a CLI, a model
//! or cost. The command `inhouse replay` does so for a whole program.
//!
//! # The file
//!
//! A recording is one text file of JSON lines, readable only by its owner. The first line is the header:
//!
//! ```json
//! {"inhouse_recording":1,"inhouse":"0.1.0","started":"2026-11-17T09:30:00.250Z","cli":"/usr/local/bin/claude","redacted":true}
//! ```
//!
//! It has the versions of the format and of inhouse. The version of the CLI is in its first message, the recorded `system` line with
//! the subtype `init`.
//!
//! Every other line is an event. It begins with `t`, the time since `started` in microseconds of a monotonic clock, and has one
//! other member:
//!
//! | member | content |
//! |---|---|
//! | `host` | a line that the host wrote to the CLI's stdin, as JSON |
//! | `cli` | a line of the CLI's stdout, as JSON |
//! | `cli_text` | a line of the CLI's stdout that is not JSON |
//! | `stderr` | a line of the CLI's stderr |
//! | `end` | `"host"` or `"cli"`: the side that closed its stream |
//! | `exit` | `{"code":0}` or `{"signal":9}`; empty if the status is unknown |
//! | `stopped` | the reason why the recording ended before the session: of a write error, only its kind |
//!
//! Lines that the host wrote are recorded when they are handed to the pipe, lines of the CLI when they are read.
//!
//! # Secrets
//!
//! Secrets are replaced by `[redacted]` before anything is written, inside of the JSON string in which they are. A secret is:
//!
//! - the value of an environment variable of this process whose name ends like that of a secret (`…TOKEN`, `…SECRET`,
//!   `…PASSWORD`, `…KEY` and so on), if it has at least six characters, and the password of a variable that is a URL;
//! - the value of a variable that is set with [`Options::env`](crate::Options::env), unless it is short, a path or a plain word;
//! - the headers and variables of MCP servers in the options, also of those of agents, the passwords and parameters of their
//!   URLs, and the secret members of settings that are not in a file. Values that a session gets later, as with
//!   [`Control::set_mcp_servers`](crate::Control::set_mcp_servers), or that the CLI reads from files, are not known: name them
//!   with [`Record::redact`];
//! - each value that [`Record::redact`] names, without blanks around it. Other forms of a value, such as its percent-encoding, are not
//!   found: name them as well;
//! - what looks like a secret, by this table:
//!
//! | secret | found by |
//! |---|---|
//! | a key or token of a well-known issuer | its prefix: `sk-ant-`, `sk-proj-`, `sk_live_`, `rk_live_`, `whsec_`, `ghp_`, `gho_`, `ghs_`, `ghu_`, `ghr_`, `github_pat_`, `glpat-`, `xoxb-`, `xoxp-`, `xoxa-`, `xoxs-`, `xapp-`, `AKIA`, `ASIA`, `AIza`, `ya29.`, `npm_`, `pypi-`, `dop_v1_` |
//! | a JSON web token | `eyJ`, a dot and `eyJ` in one word |
//! | credentials of an HTTP request | the word after `Bearer` or `Basic`; in text, the headers `Authorization`, `Proxy-Authorization`, `Cookie`, `Set-Cookie` and `X-Api-Key` to the end of the line, or of the quotes in which they are, from four characters on |
//! | a password in a URL | `scheme://user:password@host` |
//! | a value with the name of a secret | `api_key=`, `"token":`, `password: ` and the like in text, up to the closing quote or the end of the word, from eight characters on; the JSON members `authorization`, `cookie` and those whose names end like that of a secret, if they are strings of at least four characters or arrays of them |
//! | a private key | `-----BEGIN … PRIVATE KEY-----` to its end |
//!
//! A secret is found in every JSON escaping, in JSON that is inside of a string, and in a text that is streamed in parts, wherever
//! it is split. For that, the words at the end of a streamed text are held back until it is clear that they begin no secret.
//!
//! A word without quotes that follows `password: ` in a text is taken for prose, and kept, if it has no digit and less than 20
//! characters.
//!
//! Everything else is in the recording: prompts, answers, results of tools, paths. Treat it as confidential.
//!
//! # Cost
//!
//! The session hands bytes over and continues. A thread redacts them, and another one writes them; a writer that is slow fills
//! up to 8 MiB of memory, and then a temporary file. If the threads cannot keep up with more than 64 MiB, the recording stops.

mod encoder;
mod queue;
mod reading;
mod recorder;
mod sink;
mod target;

pub use self::reading::{Entry, Header, RecordedEvent, Recording, RecordingError, TornLine};
pub(crate) use self::recorder::Recorder;
pub use self::target::Record;
#[doc(hidden)]
pub use inhouse_proto::redact::Secrets;

/// The version of the format.
const FORMAT_VERSION: u32 = 1;

/// One side of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The application, which writes to the CLI's stdin.
    Host,
    /// The CLI, which writes to its stdout.
    Cli,
}
