//! Conversations with a CLI, recorded to files and played back.
//!
//! [`Recording`] wraps a transport and records every line in both directions. [`Replay`] is a transport that plays a
//! recording back, so that an agent runs against the lines of a real CLI without a CLI, a model or a network.
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
//! # inhouse_testkit::run(async {
//! # let directory = tempfile::tempdir()?;
//! # let path = directory.path().join("add");
//! // Once with a CLI: a fake one here, usually a `ChildTransport`.
//! FakeCli::play_with(
//!     async |transport| add(Recording::create(&path, transport).unwrap()).await,
//!     async |mut cli| {
//!         cli.accept().await;
//!         cli.expect_prompt().await;
//!         cli.turn("42").await;
//!         cli.expect_end_of_input().await;
//!     },
//! )
//! .await;
//!
//! // From then on without a CLI.
//! assert_eq!(add(Replay::load(&path)?).await?, "42");
//! # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
//! ```
//!
//! # The files
//!
//! A recording `name` has three text files:
//!
//! | file | content |
//! |---|---|
//! | `name.out.jsonl` | the lines of the CLI |
//! | `name.in.jsonl` | the lines of the host |
//! | `name.order` | one entry per line, `out` or `in`, in order; `out end` and `in end` where a side ended |
//!
//! The lines are exactly the bytes of the wire, without a wrapper, so any tool for JSON lines reads them; the third file has
//! their order. All three are written during the conversation, so a recording is complete even if its process is killed.
//!
//! # What a recording contains
//!
//! Everything: prompts, answers, tool results, paths of the machine. Check it before you share it.

mod playback;
mod record;
mod replay;
mod tape;

pub use record::Recording;
pub use replay::Replay;
pub use tape::{Side, Step, Tape};
