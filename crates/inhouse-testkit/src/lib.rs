//! Test kit for agents built with `inhouse`: offline, without an account and without cost.
//!
//! | to test | use |
//! |---|---|
//! | an agent: scripted model, assertions at both ends | [`Scenario`] |
//! | the same with the real CLI | [`Scenario::real`] |
//! | single lines of a conversation, faults of the CLI | [`FakeCli`] |
//! | the same with a real process, for pipes and signals | [`Script`] and the program `fake-cli` |
//! | several sessions of the real CLI | [`RealCli`] and [`ScriptedModel`] |
//! | a host that is killed, stopped and continued | `host` |
//! | a session that was recorded once | [`Replay`] |
//! | a store for sessions (feature `store`) | `store_battery`, `faulty_store` and `servers` |
//! | an engine of a fleet (feature `fleet`) | `engine_battery` |
//!
//! # A scenario
//!
//! A [`Scenario`] has the options of an agent and the answers of the model. It runs the agent with a CLI in memory, and returns what
//! both ends saw. [`Scenario::real`] runs the same with the real CLI.
//!
//! ```
//! use inhouse::Options;
//! use inhouse::tool::{Tool, ToolServer};
//! use inhouse_testkit::{Scenario, text};
//! use serde_json::json;
//!
//! # inhouse_testkit::run(async {
//! let clock = ToolServer::new("clock").tool(Tool::new("now", "The time", async || "noon"));
//! let options = Options::new().tool_server(clock).allow_tools(["mcp__clock"]);
//!
//! let run = Scenario::new(options)
//!     .turn(text("Let me look.").tool_use("mcp__clock__now", json!({})))
//!     .turn("It is noon.")
//!     .prompt("What time is it?")
//!     .await?;
//! run.assert_answer("noon")
//!     .assert_tool_called("now", json!({}))
//!     .assert_model_saw("noon");
//! # Ok::<_, inhouse_testkit::scenario::ScenarioError>(()) }).unwrap();
//! ```
//!
//! # A fake CLI
//!
//! [`FakeCli::play`] connects a session to a CLI in memory and runs both sides concurrently: what the host does, and what
//! the CLI does, line by line. [`run`] runs it on a runtime whose clock is paused, so timeouts cost no time.
//!
//! ```
//! use inhouse::Options;
//! use inhouse_testkit::{FakeCli, run};
//!
//! run(FakeCli::play(
//!     Options::new().model("opus"),
//!     async |client| {
//!         let answer = client.send("What time is it?").await?.text().await?;
//!         assert_eq!(answer, "It is noon.");
//!         Ok(())
//!     },
//!     async |cli| {
//!         assert!(cli.launched().has_arg("--model=opus"));
//!         assert_eq!(cli.expect_prompt().await.text(), "What time is it?");
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
//! requests. [`Scenario::real`] does this for one session; tests with several sessions use the parts:
//!
//! ```no_run
//! use inhouse::query;
//! use inhouse_testkit::{RealCli, ScriptedModel};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let model = ScriptedModel::start().await?;
//! model.turn("42").turn("84");
//! let isolation = RealCli::pinned()?.isolated(&model)?;
//!
//! for (prompt, expected) in [("15 + 27?", "42"), ("42 + 42?", "84")] {
//!     let answer = query(prompt).options(isolation.options()).await?.text().await?;
//!     assert_eq!(answer, expected);
//! }
//! model.assert_done();
//! # Ok(()) }
//! ```
//!
//! # Stability
//!
//! This crate is for tests of applications that use `inhouse`. Everything public follows semantic versioning, except for
//! the version of the CLI that [`RealCli::pinned`] uses and the lines that a [`FakeCli`] or a [`Scenario`] writes: both follow new versions
//! of the CLI.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "fleet")]
pub mod engine_battery;
pub mod fake;
#[cfg(feature = "store")]
pub mod faulty_store;
#[cfg(unix)]
pub mod host;
pub mod model;
#[doc(hidden)]
pub mod npm;
pub mod real;
#[doc(hidden)]
pub mod recording;
pub mod replay;
pub mod scenario;
#[cfg(all(feature = "store", unix))]
pub mod servers;
#[doc(hidden)]
pub mod soak;
#[cfg(feature = "store")]
pub mod store_battery;

pub use fake::{FakeCli, FakeTransport, Script, run};
pub use model::{ModelRequest, ScriptedModel, Turn};
pub use real::{Isolation, RealCli, RealCliUnavailable};
pub use replay::{Replay, ReplayReport};
pub use scenario::{Run, Scenario, text};
