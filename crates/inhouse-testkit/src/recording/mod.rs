//! Conversations with a CLI, kept in files and played back.
//!
//! [`Recording`] wraps a transport and writes down every line that passes through it, in both directions. [`Replay`] is a
//! transport that plays such a recording back: the code of an agent then runs against what a real CLI once said, without
//! a CLI, a model or a network.
//!
//! ```
//! use inhouse::{Client, Options};
//! use inhouse_testkit::recording::{Replay, Side, Step, Tape};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let line = |by, line: &str| Step::Line { by, line: line.to_owned() };
//! let tape: Tape = [
//!     line(Side::Host, r#"{"type":"control_request","request_id":"a","request":{"subtype":"initialize"}}"#),
//!     line(Side::Cli, r#"{"type":"control_response","response":{"subtype":"success","request_id":"a","response":{}}}"#),
//!     line(Side::Host, r#"{"type":"user","message":{"role":"user","content":"What is 15 + 27?"}}"#),
//!     line(Side::Cli, r#"{"type":"result","subtype":"success","is_error":false,"result":"42"}"#),
//! ]
//! .into_iter()
//! .collect();
//!
//! let mut client = Client::connect_with(Options::new(), Replay::new(tape)).await?;
//! assert_eq!(client.send("What is 15 + 27?").await?.text().await?, "42");
//! client.close().await?;
//! # Ok(()) }
//! ```
//!
//! # The files
//!
//! A recording called `name` is three files of text:
//!
//! | file | content |
//! |---|---|
//! | `name.out.jsonl` | the lines that the CLI wrote, as they came |
//! | `name.in.jsonl` | the lines that the host wrote, as it wrote them |
//! | `name.order` | one word for each of these lines, `out` or `in`, in the order in which they passed; `out end` and `in end` where a side fell silent for good |
//!
//! The lines are not wrapped into anything, so that they are what was on the wire to the byte, and every tool that reads
//! JSON lines reads them. The price is the third file, which says how the two belong together. All three grow with the
//! conversation: what has passed when a process is killed is in them.
//!
//! # What a recording contains
//!
//! Everything: prompts, answers, results of tools, paths of the machine. Look through it before you share it.

mod host_line;
mod log;
mod playback;
mod record;
mod replay;
mod tap;
mod tape;

pub use record::Recording;
pub use replay::Replay;
pub use tape::{Side, Step, Tape};
