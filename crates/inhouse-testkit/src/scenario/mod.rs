//! Tests of an agent from end to end: a scripted model, the agent, and assertions at both ends.
//!
//! A [`Scenario`] has the options of the agent and the answers of the model. It runs the agent with a CLI in memory, or with the
//! real one, and returns a [`Run`]: what the application read, which tools were called, and what the model was sent.
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
//! # The fake and the real CLI
//!
//! Without [`real`](Scenario::real) the CLI is an agent loop in memory that sends the lines of CLI 2.1.325: a scenario takes
//! milliseconds and needs nothing. It runs tools in this process ([`tool_server`](inhouse::Options::tool_server)), asks for
//! permissions and calls hooks. The real CLI has everything else: built-in tools such as `Bash`, subagents, settings files,
//! compaction, sessions on disk. The same script runs with both.
//!
//! | part of the CLI | in memory |
//! |---|---|
//! | tools in this process | as the real CLI: read-only ones of one message run together, others in sequence |
//! | built-in tools | none: a call fails the scenario with the advice to use `real()` |
//! | other MCP servers | none: the model receives the error that there is no such tool |
//! | permissions | deny rules, which remove the tool, then hooks, `bypassPermissions`, allow rules, then the handler of the host; rules with a content (`Bash(git *)`) are ignored |
//! | hooks | `UserPromptSubmit`, `PreToolUse`, `PostToolUse`, `PostToolUseFailure` and `Stop` |
//! | requests of the host | `interrupt`, `set_model`, `set_permission_mode`, `mcp_status`; some more succeed and do nothing, the others are refused as unsupported |
//! | requests to the model | without the instructions and reminders of the CLI, such as the tokens left at the end of a tool result |
//! | a changed model | not checked; the real CLI may check it with a request, which takes a turn of the script |
//! | API errors | retried as often as the real CLI does, without its pauses |
//! | queued prompts | answered one by one; the real CLI may answer several in one turn |
//! | prompts with `should_query(false)` | start a turn like any other |
//!
//! # Differences from the real CLI
//!
//! A test runs the same scenarios with both and compares the lines of both sides. It allows these differences, and fails if there is
//! another one or if one of these does not occur.
//!
#![doc = include_str!("differences.md")]
//!
//! Some parts differ in every run, or are instructions of the real CLI to the model. The test does not compare them:
//!
#![doc = include_str!("not_compared.md")]

mod capture;
mod error;
mod report;
mod run;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use inhouse::message::Prompt;
use inhouse::transport::{ChildTransport, Transport};
use inhouse::{Client, Options};

pub use self::error::ScenarioError;
pub use self::run::{CalledTool, Run};

use self::capture::{Captured, CapturedLines};
use self::error::Problems;
use crate::fake::{FakeCli, unless_stuck, within};
use crate::model::script::Script;
use crate::model::{Answer, ModelRequest, ScriptedModel, Turn};
use crate::real::RealCli;

/// The time limit of a run with the real CLI.
const REAL_DEADLINE: Duration = Duration::from_secs(120);

/// Creates a turn of the model with one text block.
///
/// ```
/// use inhouse_testkit::text;
/// use serde_json::json;
///
/// let turn = text("Let me add.").tool_use("mcp__calc__add", json!({"a": 15, "b": 27}));
/// # let _ = turn;
/// ```
#[must_use]
pub fn text(text: impl Into<String>) -> Turn {
    Turn::new().text(text)
}

/// A scripted model and an agent that is run with it; see the [module](self).
///
/// Answers are chosen as by [`ScriptedModel`]: rules first, then the turns in sequence.
#[must_use = "a scenario does nothing until it is run"]
pub struct Scenario {
    options: Options,
    script: Arc<Script>,
    is_real: bool,
}

impl Scenario {
    /// Creates a scenario for an agent with these options.
    ///
    /// All of them apply, [`record`](Options::record) included.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::Scenario;
    ///
    /// # inhouse_testkit::run(async {
    /// let run = Scenario::new(Options::new()).turn("42").prompt("What is 15 + 27?").await?;
    /// assert_eq!(run.answer(), "42");
    /// # Ok::<_, inhouse_testkit::scenario::ScenarioError>(()) }).unwrap();
    /// ```
    pub fn new(options: Options) -> Self {
        Self {
            options,
            script: Arc::default(),
            is_real: false,
        }
    }

    /// Uses the [pinned](RealCli::pinned) real CLI in [isolation](crate::Isolation) instead of the one in memory.
    ///
    /// The path of the CLI, the working directory and the environment of the options are those of the isolation; variables that
    /// only the options have are kept. The run fails where the CLI is neither installed nor can be. The runtime needs a running
    /// clock, so [`run`](crate::run) does not fit.
    ///
    /// ```no_run
    /// use inhouse::Options;
    /// use inhouse_testkit::{Scenario, Turn};
    /// use serde_json::json;
    ///
    /// # async fn example() -> Result<(), inhouse_testkit::scenario::ScenarioError> {
    /// let run = Scenario::new(Options::new().allow_tools(["Bash"]))
    ///     .real()
    ///     .turn(Turn::new().tool_use("Bash", json!({"command": "echo $((15 + 27))"})))
    ///     .turn("It is 42.")
    ///     .prompt("What is 15 + 27?")
    ///     .await?;
    /// run.assert_model_saw("42");
    /// # Ok(()) }
    /// ```
    pub fn real(mut self) -> Self {
        self.is_real = true;
        self
    }

    /// Adds an answer to the end of the script: a [`Turn`], a text, or an [error](Turn::error).
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::{Scenario, Turn};
    ///
    /// # inhouse_testkit::run(async {
    /// let run = Scenario::new(Options::new())
    ///     .turn(Turn::error(529)) // the CLI tries again
    ///     .turn("Here I am.")
    ///     .prompt("Hello?")
    ///     .await?;
    /// assert_eq!(run.answer(), "Here I am.");
    /// assert_eq!(run.model_requests().len(), 2);
    /// # Ok::<_, inhouse_testkit::scenario::ScenarioError>(()) }).unwrap();
    /// ```
    pub fn turn(self, answer: impl Into<Answer>) -> Self {
        self.script.lock().queue.push_back(answer.into());
        self
    }

    /// Answers the first request that the predicate accepts, outside of the script.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::{ModelRequest, Scenario};
    ///
    /// # inhouse_testkit::run(async {
    /// let asks_for_sum = |request: &ModelRequest| {
    ///     request.last_user_text().is_some_and(|text| text.contains("15 + 27"))
    /// };
    /// let run = Scenario::new(Options::new()).once(asks_for_sum, "42").prompt("15 + 27?").await?;
    /// assert_eq!(run.answer(), "42");
    /// # Ok::<_, inhouse_testkit::scenario::ScenarioError>(()) }).unwrap();
    /// ```
    pub fn once(
        self,
        accepts: impl Fn(&ModelRequest) -> bool + Send + Sync + 'static,
        answer: impl Into<Answer>,
    ) -> Self {
        self.script.add_rule(Arc::new(accepts), answer.into(), true);
        self
    }

    /// Answers every request that the predicate accepts, outside of the script.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::Scenario;
    ///
    /// # inhouse_testkit::run(async {
    /// let scenario = Scenario::new(Options::new()).when(|_| true, "Yes.");
    /// let run = scenario
    ///     .play(async |client| {
    ///         assert_eq!(client.send("One?").await?.text().await?, "Yes.");
    ///         assert_eq!(client.send("Two?").await?.text().await?, "Yes.");
    ///         Ok(())
    ///     })
    ///     .await?;
    /// assert_eq!(run.model_requests().len(), 2);
    /// # Ok::<_, inhouse_testkit::scenario::ScenarioError>(()) }).unwrap();
    /// ```
    pub fn when(
        self,
        accepts: impl Fn(&ModelRequest) -> bool + Send + Sync + 'static,
        answer: impl Into<Answer>,
    ) -> Self {
        self.script
            .add_rule(Arc::new(accepts), answer.into(), false);
        self
    }

    /// Runs the agent with one prompt, to the end of its turn.
    ///
    /// A turn that ends with an error result is not an error of the scenario: check [`Run::result`].
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::{Scenario, Turn};
    ///
    /// # inhouse_testkit::run(async {
    /// let error = Turn::error(401).no_retry();
    /// let run = Scenario::new(Options::new()).turn(error).prompt("Hello").await?;
    /// assert_eq!(run.result().api_error_status, Some(401));
    /// # Ok::<_, inhouse_testkit::scenario::ScenarioError>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`play`](Self::play).
    pub async fn prompt(self, prompt: impl Into<Prompt>) -> Result<Run, ScenarioError> {
        let prompt = prompt.into();
        self.play(async move |client: &mut Client| {
            let mut turn = client.send(prompt).await?;
            while let Some(message) = turn.next().await {
                message?;
            }
            Ok(())
        })
        .await
    }

    /// Runs any code of the host with a connected client, and closes the session.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::Scenario;
    ///
    /// # inhouse_testkit::run(async {
    /// let run = Scenario::new(Options::new())
    ///     .turn("42")
    ///     .turn("84")
    ///     .play(async |client| {
    ///         let sum = client.send("What is 15 + 27?").await?.text().await?;
    ///         client.send(format!("And twice {sum}?")).await?.finish().await?;
    ///         Ok(())
    ///     })
    ///     .await?;
    /// run.assert_answer("84").assert_model_saw("twice 42");
    /// # Ok::<_, inhouse_testkit::scenario::ScenarioError>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// If the host returns an error, if the script runs dry or has answers left, if the CLI in memory cannot do what the model
    /// asks for, if the real CLI is not available, or if the run does not end. The error shows the conversation, the request
    /// without an answer and the answers without a request.
    pub async fn play(
        self,
        host: impl AsyncFnOnce(&mut Client) -> inhouse::Result<()>,
    ) -> Result<Run, ScenarioError> {
        let lines = CapturedLines::default();
        let mut problems = Problems::default();
        if self.is_real {
            let model = ScriptedModel::serve(Arc::clone(&self.script)).await?;
            let isolation = RealCli::pinned()?.isolated(&model)?;
            let options = isolation.apply(self.options);
            let transport = Captured::new(ChildTransport, &lines);
            match within(REAL_DEADLINE, session(options, transport, host)).await {
                Some(outcome) => problems.host(outcome),
                None => problems.add(format!("the run did not end within {REAL_DEADLINE:?}")),
            }
        } else {
            let (transport, cli) = FakeCli::new();
            let transport = Captured::new(transport, &lines);
            let host = Box::pin(session(self.options, transport, host));
            let agent = Box::pin(cli.run_agent(Arc::clone(&self.script)));
            match unless_stuck(async { tokio::join!(host, agent) }).await {
                Ok((host, agent)) => {
                    problems.agent(agent);
                    problems.host(host);
                }
                Err(stuck) => problems.add(stuck),
            }
        }
        problems.script(&self.script.lock());
        let requests = self.script.lock().requests.clone();
        problems.or(Run::new(lines.tape(), requests))
    }
}

impl fmt::Debug for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scenario")
            .field("options", &self.options)
            .field("is_real", &self.is_real)
            .field("answers", &self.script.lock().remaining())
            .finish()
    }
}

async fn session(
    options: Options,
    transport: impl Transport,
    host: impl AsyncFnOnce(&mut Client) -> inhouse::Result<()>,
) -> inhouse::Result<()> {
    // Boxed, because the future of a connecting client is large for the stack of a test thread.
    let mut client = Box::pin(Client::connect_with(options, transport)).await?;
    host(&mut client).await?;
    client.close().await?;
    Ok(())
}
