//! Test kit for agents built with `inhouse`: offline, without an account and without cost.
//!
//! | to test | use |
//! |---|---|
//! | your side of a conversation, in memory | [`FakeCli`] |
//! | the same with a real process, for pipes and signals | [`Script`] and the program `fake-cli` |
//! | the whole stack with the real CLI | [`RealCli`] and [`ScriptedModel`] |
//! | a host that is killed, stopped and continued | `host` |
//! | a conversation that was recorded once | [`recording`] |
//! | a store for sessions (feature `store`) | `store_battery`, `faulty_store` and `servers` |
//!
//! # A fake CLI
//!
//! [`FakeCli::play`] connects a session to a CLI in memory and runs both sides concurrently: what the host does, and what
//! the CLI does. [`run`] runs it on a runtime whose clock is paused, so timeouts cost no time.
//!
//! ```
//! use inhouse::Options;
//! use inhouse::tool::{Tool, ToolServer};
//! use inhouse_testkit::{FakeCli, run};
//! use serde_json::json;
//!
//! let clock = ToolServer::new("clock").tool(Tool::new("now", "The time", async || "noon"));
//! run(FakeCli::play(
//!     Options::new().model("opus").tool_server(clock),
//!     async |client| {
//!         let answer = client.send("What time is it?").await?.text().await?;
//!         assert_eq!(answer, "It is noon.");
//!         Ok(())
//!     },
//!     async |cli| {
//!         assert!(cli.launched().has_arg("--model=opus"));
//!         assert_eq!(cli.expect_prompt().await.text(), "What time is it?");
//!         let result = cli.call_tool("clock", "now", json!({})).await;
//!         assert_eq!(result.all_text(), "noon");
//!         cli.turn("It is noon.").await;
//!     },
//! ));
//! ```
//!
//! Tests that are async already call `FakeCli::play(..).await`. The module [`fake`] lists everything that a fake CLI can do.
//!
//! # The real CLI
//!
//! [`RealCli`] finds or installs the CLI at a pinned version, and [`Isolation`] runs it so that it reads nothing of the
//! machine and connects only to the [`ScriptedModel`], which plays the turns that the test gives it and records the
//! requests. A test then checks both ends: what the application got, and what the model saw.
//!
//! ```no_run
//! use inhouse::query;
//! use inhouse_testkit::{RealCli, ScriptedModel, Turn};
//! use serde_json::json;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let model = ScriptedModel::start().await?;
//! model
//!     .turn(Turn::new().tool_use("toolu_1", "Bash", json!({ "command": "echo 42" })))
//!     .turn("The answer is 42.");
//!
//! let isolation = RealCli::pinned()?.isolated(&model)?;
//! let options = isolation.options().allow_tools(["Bash"]);
//! let answer = query("What is the answer?").options(options).await?.text().await?;
//!
//! assert_eq!(answer, "The answer is 42.");
//! assert_eq!(model.conversation()[1].tool_results()[0].text, "42");
//! model.assert_done();
//! # Ok(()) }
//! ```
//!
//! # Stability
//!
//! This crate is for tests of applications that use `inhouse`. Everything public follows semantic versioning, except for
//! the version of the CLI that [`RealCli::pinned`] uses and the lines that a [`FakeCli`] writes: both follow new versions
//! of the CLI.

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod fake;
#[cfg(feature = "store")]
pub mod faulty_store;
#[cfg(unix)]
pub mod host;
pub mod model;
pub mod real;
pub mod recording;
#[cfg(all(feature = "store", unix))]
pub mod servers;
#[cfg(feature = "store")]
pub mod store_battery;

pub use fake::{FakeCli, FakeTransport, Script, run};
pub use model::{ModelRequest, ScriptedModel, Turn};
pub use real::{Isolation, RealCli, RealCliUnavailable};
