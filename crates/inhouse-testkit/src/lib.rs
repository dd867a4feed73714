//! Tests of agents, end to end, without an account, without money and without a network.
//!
//! An agent built on Claude Code has two things at its other end: the CLI, a process that speaks lines of JSON, and
//! behind it the model. This kit replaces the model and keeps the CLI:
//!
//! - [`model::ScriptedModel`] says what the test tells it to say, and remembers what it was asked;
//! - [`real::RealCli`] finds or installs the CLI at a pinned version, and [`real::Isolation`] runs it so that it sees nothing of
//!   the machine and talks to nobody but the scripted model.
//!
//! A test then looks at both ends: what the application got, and what the model saw. For the application's own side there
//! is a shorter way: [`fake::FakeCli`] replaces the CLI as well, in memory.
//!
//! ```no_run
//! use std::{process::Stdio, time::Duration};
//!
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
//! let output = isolation
//!     .command()
//!     .args(["--print", "--allowedTools=Bash", "What is the answer?"])
//!     .stdin(Stdio::null())
//!     .output();
//! let output = tokio::time::timeout(Duration::from_secs(30), output).await??;
//!
//! assert_eq!(String::from_utf8(output.stdout)?.trim(), "The answer is 42.");
//! assert_eq!(model.conversation()[1].tool_results()[0].text, "42");
//! model.assert_done();
//! # Ok(()) }
//! ```

pub mod fake;
pub mod model;
pub mod real;
pub mod recording;

pub use fake::{FakeCli, FakeTransport, Script};
pub use model::{ModelRequest, ScriptedModel, Turn};
pub use real::{Isolation, RealCli, RealCliUnavailable};
