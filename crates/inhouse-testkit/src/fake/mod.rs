//! A fake CLI in memory, for tests of an agent's own side.
//!
//! Where the [scripted model](crate::model) replaces the model and keeps the CLI, [`FakeCli`] replaces the
//! CLI. A test has two sides that run concurrently: the host and the CLI.
//!
//! ```
//! use inhouse::{Client, Options};
//! use inhouse_testkit::{FakeCli, run};
//!
//! /// The agent under test: asks again if the answer is not a number.
//! async fn add(client: &mut Client, sum: &str) -> inhouse::Result<String> {
//!     let answer = client.send(sum).await?.text().await?;
//!     if answer.parse::<i64>().is_ok() {
//!         return Ok(answer);
//!     }
//!     client.send("Only the number, please.").await?.text().await
//! }
//!
//! let (answer, ()) = run(FakeCli::play(
//!     Options::new(),
//!     async |client| add(client, "What is 15 + 27?").await,
//!     async |cli| {
//!         assert_eq!(cli.expect_prompt().await.text(), "What is 15 + 27?");
//!         cli.turn("That would be 42!").await;
//!         assert_eq!(cli.expect_prompt().await.text(), "Only the number, please.");
//!         cli.turn("42").await;
//!     },
//! ));
//! assert_eq!(answer, "42");
//! ```
//!
//! A host that does something else fails the test at once, with what was expected, what was received and
//! the conversation so far. So does one that does nothing: every wait has a deadline in real time.
//!
//! # Entry points
//!
//! | function | what it does |
//! |---|---|
//! | [`FakeCli::play`] | connects a client, runs both sides, closes the session |
//! | [`FakeCli::play_cli`] | the same, and only the CLI acts: tools, hooks, permissions |
//! | [`FakeCli::play_with`] | the host opens the session itself, for [`query`](fn@inhouse::query) and `Client::connect_with` |
//! | [`FakeCli::new`] and [`join`] | run both sides; the test opens and closes the session |
//! | [`launch`] | connects and closes; returns the command line, the environment and `initialize` |
//! | [`with_session`] | writes a session to a temporary directory, for the functions of [`sessions`](inhouse::sessions) |
//! | [`run`] | blocks on any of them, with a paused clock |
//!
//! # Requests of the CLI
//!
//! [`FakeCli::call_tool`] calls a tool in the host's process, [`FakeCli::can_use_tool`] requests
//! permission, [`FakeCli::call_hook`] calls a hook. [`FakeCli::ask`] sends any other request, and
//! [`FakeCli::expect_answer`] waits for its response.
//!
//! # Faults
//!
//! A fake has an exit status and a stderr, reacts to TERM and KILL, and can misbehave: half a line
//! ([`FakeCli::send_bytes`]), a sudden exit ([`FakeCli::exit`]), a process that ignores TERM
//! ([`FakeCli::ignore_terminate`]). Dropping it is an exit with code 0.
//!
//! # Scripts and the program `fake-cli`
//!
//! A [`Script`] is the CLI's side as data. [`FakeCli::play_script`] plays it in memory; the program `fake-cli` of
//! this package plays it as a real process, for tests of pipes and signals. The program takes any
//! arguments, as if it were the CLI, reads the script that [`Script::VARIABLE`] names, and writes how it was
//! started to the file that [`LaunchRecord::VARIABLE`] names.

mod agent;
mod child;
mod cli;
mod conversation;
mod deadline;
mod host;
mod launched;
mod play;
mod process_state;
mod requests;
mod script;
mod session;
mod session_files;
mod stdio;
mod streams;
mod transcript;
mod transport;

#[doc(hidden)]
pub use self::child::end_process;
pub use self::child::{LaunchRecord, child_main};
pub use self::cli::FakeCli;
pub(crate) use self::deadline::within;
pub use self::host::{HostAnswer, HostRequest, Prompt};
pub use self::launched::Launched;
pub(crate) use self::play::unless_stuck;
pub use self::play::{join, launch, run};
pub use self::requests::FakeToolCall;
pub use self::script::{Script, Step};
pub use self::session_files::with_session;
pub use self::transport::FakeTransport;
