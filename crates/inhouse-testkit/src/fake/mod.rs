//! A CLI that does what the test says: for tests of an agent's own side, fast and without any process.
//!
//! Where the [scripted model](crate::model) replaces the model and keeps the CLI, [`FakeCli`] replaces the
//! CLI. A test is written like a sequence chart: what the host does and what the CLI does, as two async
//! blocks that run side by side.
//!
//! ```
//! use inhouse::{Client, Options};
//! use inhouse_testkit::FakeCli;
//! use serde_json::json;
//!
//! /// The agent under test: asks once, and once more if the answer is no number.
//! async fn add(client: &mut Client, sum: &str) -> inhouse::Result<String> {
//!     let answer = client.send(sum).await?.text().await?;
//!     if answer.parse::<i64>().is_ok() {
//!         return Ok(answer);
//!     }
//!     client.send("Only the number, please.").await?.text().await
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> inhouse::Result<()> {
//! let (transport, mut cli) = FakeCli::new();
//!
//! let host = async {
//!     let mut client = Client::connect_with(Options::new(), transport).await?;
//!     client.control().set_model(Some("opus")).await?;
//!     assert_eq!(add(&mut client, "What is 15 + 27?").await?, "42");
//!     client.close().await
//! };
//! let cli = async move {
//!     cli.accept().await;
//!     let request = cli.expect_request("set_model").await;
//!     assert_eq!(request.body()["model"], "opus");
//!     request.succeed_empty().await;
//!
//!     assert_eq!(cli.expect_prompt().await.text(), "What is 15 + 27?");
//!     cli.turn("That would be 42!").await;
//!     assert_eq!(cli.expect_prompt().await.text(), "Only the number, please.");
//!     cli.turn("42").await;
//!     cli.expect_end_of_input().await;
//! };
//! let (exit, ()) = tokio::join!(host, cli);
//! assert!(exit?.is_some_and(|status| status.success()));
//! # Ok(())
//! # }
//! ```
//!
//! The second block owns the fake, which exits with code 0 when it is dropped.
//!
//! A host that does something else than the chart says fails the test at once, with what was expected, what
//! came instead and the conversation so far. So does one that does nothing: every wait has a deadline, in
//! real time.
//!
//! # Requests of the CLI
//!
//! [`FakeCli::ask`] makes a request of the host (a hook, a permission, a tool), and
//! [`FakeCli::expect_answer`] waits for what comes back. [`FakeCli::call_tool`] calls a tool in the host's
//! process, as Claude would.
//!
//! # Faults
//!
//! A fake has an exit status and a stderr, feels TERM and KILL, and can misbehave: half a line
//! ([`FakeCli::send_bytes`]), a sudden death ([`FakeCli::exit`]), a refusal to die
//! ([`FakeCli::ignore_terminate`]).
//!
//! # Scripts and the program `fake-cli`
//!
//! A [`Script`] is such a conversation as data. [`FakeCli::play`] plays it in memory; the program `fake-cli` of
//! this package plays it as a real process, for what has to do with pipes and signals. The program takes any
//! arguments, as if it were the CLI, finds its script through [`Script::VARIABLE`], and notes how it was
//! started where [`LaunchRecord::VARIABLE`] says.

mod answer;
mod child;
mod cli;
mod conversation;
mod expect;
mod failure;
mod input;
mod life;
mod mortal;
mod output;
mod patience;
mod prompt;
mod request;
mod say;
mod script;
mod session;
mod tool;
mod transcript;
mod transport;

pub use self::answer::HostAnswer;
pub use self::child::{LaunchRecord, child_main};
pub use self::cli::FakeCli;
pub use self::prompt::Prompt;
pub use self::request::HostRequest;
pub use self::script::{Script, Step};
pub use self::tool::ToolCall;
pub use self::transport::FakeTransport;
