//! Agents on Claude Code whose tools live in your own process.
//!
//! | to | use |
//! |---|---|
//! | ask one question | [`query`] |
//! | hold a conversation | [`Client`], and [`Turn`] for each answer |
//! | steer a running session | [`Control`] |
//! | give Claude tools | [`tool`](macro@tool), [`ToolServer`](tool::ToolServer) |
//! | see and hold up what happens | [`hook`] |
//! | set anything up | [`Options`] |
//! | read what happens | [`message::Message`] |
//!
//! The [`guide`] explains each, from the first query to tests against the real CLI.
//!
//! ```
//! use inhouse::{Options, query};
//! # use inhouse_testkit::FakeCli;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> inhouse::Result<()> {
//! # let (transport, mut cli) = FakeCli::new();
//! # let host = async {
//! let answer = query("What is 15 + 27?")
//!     .options(Options::new().max_turns(3))
//! #   .transport(transport)
//!     .await?
//!     .text()
//!     .await?;
//! assert_eq!(answer, "42");
//! # inhouse::Result::Ok(())
//! # };
//! # let cli = async move {
//! #     cli.accept().await;
//! #     cli.expect_prompt().await;
//! #     cli.turn("42").await;
//! # };
//! # let (done, ()) = tokio::join!(host, cli);
//! # done
//! # }
//! ```

#[doc(hidden)]
pub mod __private;
mod ask;
mod client;
pub mod control;
mod custom_requests;
mod driver;
pub mod error;
pub mod guide;
mod handlers;
pub mod hook;
pub mod launch;
mod mcp;
pub mod options;
mod outcome;
pub mod process;
mod query;
#[cfg(feature = "rmcp")]
pub mod rmcp;
mod session;
mod stream;
pub mod tool;
pub mod transport;
mod turn;
mod user_code;
mod warning;

#[doc(inline)]
pub use inhouse_macros::tool;
pub use inhouse_proto::message;

pub use self::ask::{Asked, dialog, elicitation, permission, plan, question};
pub use self::client::Client;
pub use self::control::Control;
pub use self::error::{Error, ErrorKind, HandlerError, Result};
pub use self::mcp::McpServers;
pub use self::options::Options;
pub use self::process::ExitStatus;
pub use self::query::{Query, query};
pub use self::session::Session;
pub use self::stream::MessageStream;
pub use self::turn::Turn;
pub use self::warning::Warning;

/// The examples of the README are compiled with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
