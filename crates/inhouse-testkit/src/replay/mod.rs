//! Replay of recorded sessions.
//!
//! [`Options::record`](inhouse::Options::record) records a session with the real CLI. [`Replay`] is a transport that plays
//! the recording back: the lines of the CLI come from the file, and the host runs as it does today, with its tools, hooks and
//! handlers. So a test needs no CLI, no model and no network.
//!
//! ```
//! use inhouse::tool::{Tool, ToolServer};
//! use inhouse::{Client, Options};
//! use inhouse_testkit::{FakeCli, Replay, run};
//! use serde_json::json;
//!
//! /// The agent under test.
//! fn options() -> Options {
//!     let clock = ToolServer::new("clock").tool(Tool::new("now", "The time", async || "noon"));
//!     Options::new().tool_server(clock)
//! }
//!
//! # let directory = tempfile::tempdir()?;
//! # let path = directory.path().join("clock.jsonl");
//! // Once with a CLI: a fake one here, usually the real one.
//! run(FakeCli::play(
//!     options().record(&path),
//!     async |client| client.send("What time is it?").await?.finish().await.map(drop),
//!     async |cli| {
//!         cli.expect_prompt().await;
//!         cli.call_tool("clock", "now", json!({})).await;
//!         cli.turn("It is noon.").await;
//!     },
//! ));
//!
//! // From then on without a CLI. The tool runs, and its result is compared with the recorded one.
//! let replay = Replay::load(&path)?;
//! let report = replay.report();
//! run(async {
//!     let mut client = Client::connect_with(options(), replay).await?;
//!     let answer = client.send("What time is it?").await?.text().await?;
//!     assert_eq!(answer, "It is noon.");
//!     client.close().await
//! })?;
//! report.assert_same();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is compared
//!
//! Each prompt, request, result of a tool, and answer of a hook or handler that the host writes, with the recorded one. Lines that a CLI
//! does not wait for, such as cancellations, are accepted without a comparison. So is the order of lines between two lines of the CLI:
//! the answers to calls that run at the same time may be written in any order. Ids that the host chooses are not compared. Secrets of the host are redacted first, as they were in the recording, so a redacted part is
//! equal to a redacted part only; see [`Replay::redact`]. A tool is never called with redacted arguments, the replay ends there
//! with an error instead.
//!
//! A [strict](Replay::new) replay ends at the first difference. A [lenient](Replay::lenient) one continues with the recorded lines
//! of the CLI, and the [report](ReplayReport) has all differences.
//!
//! The command `inhouse replay trace.jsonl -- <program>` replays a recording against a whole program, without a test.

mod difference;
mod playback;
mod player;
mod report;
mod transport;

pub use difference::{Change, Difference};
#[doc(hidden)]
pub use player::ReplayProgress;
pub use report::ReplayReport;
pub use transport::Replay;
