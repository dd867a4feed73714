//! Conversations with a CLI, kept in files and played back.
//!
//! [`Recording`] wraps a transport and writes down every line that passes through it, in both directions. [`Replay`] is a
//! transport that plays such a recording back: the code of an agent then runs against what a real CLI once said, without
//! a CLI, a model or a network.
//!
//! ```
//! use inhouse::{Client, Options, transport::Transport};
//! use inhouse_testkit::{
//!     FakeCli,
//!     recording::{Recording, Replay},
//! };
//!
//! /// The agent under test.
//! async fn add(transport: impl Transport) -> inhouse::Result<String> {
//!     let mut client = Client::connect_with(Options::new(), transport).await?;
//!     let sum = client.send("What is 15 + 27?").await?.text().await?;
//!     client.close().await?;
//!     Ok(sum)
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let directory = tempfile::tempdir()?;
//! # let path = directory.path().join("add");
//! // Once, with a CLI: here a fake one, else usually a `ChildTransport`.
//! let (transport, mut cli) = FakeCli::new();
//! let host = add(Recording::create(&path, transport)?);
//! let cli = async move {
//!     cli.accept().await;
//!     cli.expect_prompt().await;
//!     cli.turn("42").await;
//!     cli.expect_end_of_input().await;
//! };
//! let (sum, ()) = tokio::join!(host, cli);
//! assert_eq!(sum?, "42");
//!
//! // From then on, without any.
//! assert_eq!(add(Replay::load(&path)?).await?, "42");
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
