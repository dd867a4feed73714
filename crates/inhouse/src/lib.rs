//! SDK for agents built on Claude Code whose tools run in your own process.
//!
//! You write an async function, add it to a [`ToolServer`](tool::ToolServer), and Claude can call
//! it: without a second process, without a port, and with direct access to your application's
//! state.
//!
//! ```
//! use inhouse::tool::ToolServer;
//! use inhouse::{Options, query, tool};
//! # use inhouse_testkit::FakeCli;
//! # use serde_json::json;
//!
//! /// Multiply two numbers.
//! #[tool(read_only)]
//! async fn multiply(/** First factor */ a: f64, /** Second factor */ b: f64) -> f64 {
//!     a * b
//! }
//!
//! # inhouse_testkit::run(FakeCli::play_with(async |transport| {
//! let calc = ToolServer::new("calc").tool(multiply::tool());
//! let options = Options::new().tool_server(calc).allow_tools(["mcp__calc"]);
//! let answer = query("What is 6 times 7?")
//!     .options(options)
//! #   .transport(transport)
//!     .await?
//!     .text()
//!     .await?;
//! assert_eq!(answer, "42");
//! # Ok(()) }, async |mut cli| {
//! #     cli.accept().await;
//! #     cli.expect_prompt().await;
//! #     let result = cli.call_tool("calc", "multiply", json!({"a": 6, "b": 7})).await;
//! #     cli.turn(&result.all_text()).await;
//! # }));
//! ```
//!
//! | to | use |
//! |---|---|
//! | ask one question | [`query`] |
//! | send prompts as a stream yields them | [`query_stream`] |
//! | hold a conversation | [`Client`], which returns a [`Turn`] for each prompt |
//! | correct the model while it works | [`Turn::steer`] |
//! | attach images and documents | [`attachment`] |
//! | interrupt or reconfigure a running session | [`Control`] |
//! | give Claude tools | [`#[tool]`](macro@tool), [`ToolServer`](tool::ToolServer) |
//! | observe or block events | [`hook`] |
//! | decide which tools may run | [`permission`] |
//! | read the input of a built-in tool | [`builtin`] |
//! | configure a session | [`Options`] |
//! | list, read, rename or fork earlier sessions | [`sessions`] |
//! | read messages | [`message::Message`] |
//! | record a session | [`Options::record`], [`record`] |
//!
//! The [`guide`] explains each of these, from the first query to tests against the real CLI.
//!
//! # Features
//!
//! No feature is enabled by default.
//!
//! | feature | adds | crates |
//! |---|---|---|
//! | none | everything that is not named below | 55 |
//! | `rmcp` | the module `rmcp`: MCP servers written with the `rmcp` crate in your process (`Options::rmcp_server`), and your tools served to other MCP clients (`ToolServer::serve_stdio`, `ToolServer::into_rmcp`) | 74 |
//! | `json-schema` | `Tool::with_schema`: a tool with your own JSON Schema, and arguments validated against it | 99 |
//! | `opentelemetry` | the trace of your program continues in the CLI, and [metrics](guide::telemetry) | 63 |
//! | all | | 121 |
//!
//! # Stability
//!
//! This crate is for applications that run Claude Code. Everything that its documentation shows is
//! public API and follows semantic versioning, with two exceptions: the contents of the module
//! `rmcp` follow the versions of the `rmcp` crate, and messages gain types and fields with new CLI
//! versions, which is why their types are `#[non_exhaustive]`. Types that come from `inhouse-proto`
//! are re-exported here; use them by their path in this crate.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[doc(hidden)]
pub mod __private;
mod ask;
pub mod attachment;
mod client;
pub mod control;
mod custom_requests;
mod driver;
pub mod error;
pub mod guide;
mod handlers;
pub mod hook;
mod journal;
pub mod launch;
mod mcp;
mod mirror;
pub mod options;
mod outcome;
pub mod process;
mod query;
pub mod record;
mod resume;
#[cfg(feature = "rmcp")]
pub mod rmcp;
mod session;
pub mod sessions;
mod steering;
mod stream;
mod telemetry;
pub mod tool;
pub mod transport;
mod turn;
mod user_code;
mod warning;

#[doc(inline)]
pub use inhouse_macros::tool;
#[doc(inline)]
pub use inhouse_proto::builtin;
#[doc(inline)]
pub use inhouse_proto::message;
/// The `inhouse-store` crate in the version that this crate uses: the traits of session stores, for
/// [`Options::store`].
pub use inhouse_store as store;
/// The `schemars` crate in the version that this crate uses, for `JsonSchema`.
///
/// With it, a type that describes the arguments of a tool needs no dependency on `schemars`. Its
/// derive needs the path of the crate:
///
/// ```
/// use inhouse::schemars::{JsonSchema, schema_for};
/// use serde::Deserialize;
///
/// #[derive(Deserialize, JsonSchema)]
/// #[schemars(crate = "inhouse::schemars")]
/// struct City {
///     /// The name of the city
///     name: String,
/// }
///
/// let schema = schema_for!(City);
/// assert_eq!(schema.as_value()["required"][0], "name");
/// ```
///
/// A tool written with [`#[tool]`](macro@tool) and parameters of ordinary types needs neither.
pub use schemars;

pub use self::ask::{Asked, dialog, elicitation, permission, plan, question};
pub use self::client::Client;
pub use self::control::Control;
pub use self::error::{Error, ErrorKind, HandlerError, Result};
pub use self::mcp::McpServers;
pub use self::options::Options;
pub use self::process::ExitStatus;
pub use self::query::{Query, query, query_stream};
pub use self::session::Session;
pub use self::steering::{SteerReceipt, SteerState};
pub use self::stream::MessageStream;
pub use self::turn::Turn;
pub use self::warning::Warning;

/// Compiles the examples of the README with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
