use std::fmt;

use inhouse::message::{Message, Received, ResultMessage};
use serde_json::Value;

use super::report;
use crate::model::{ModelRequest, RequestKind};
use crate::recording::{Side, Tape};

/// A finished [`Scenario`](super::Scenario): what both ends saw.
///
/// Assertions return the run, so that they can be chained, and panic with the conversation. `Display` shows the conversation.
#[derive(Clone, Debug)]
pub struct Run {
    tape: Tape,
    messages: Vec<Message>,
    requests: Vec<ModelRequest>,
}

/// A tool call of the model and its result, as the application read them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CalledTool {
    /// The id of the call.
    pub id: String,
    /// The full name of the tool, such as `mcp__calc__add`.
    pub name: String,
    /// The input that the model gave; a hook or a permission handler may have changed it for the tool.
    pub input: Value,
    /// The text of the result; `None` if there is no result.
    pub result: Option<String>,
    /// Whether the tool failed, was denied or does not exist.
    pub is_error: bool,
}

impl Run {
    pub(super) fn new(tape: Tape, mut requests: Vec<ModelRequest>) -> Self {
        requests.retain(|request| request.kind() == RequestKind::Conversation);
        let messages = tape
            .lines(Side::Cli)
            .filter_map(|line| Message::decode(line.as_bytes()).ok())
            .filter(|message| !message.tag().starts_with("control_"))
            .collect();
        Self {
            tape,
            messages,
            requests,
        }
    }

    /// Returns the text of the last result; empty if it has none.
    ///
    /// ```
    /// # use inhouse::Options;
    /// # use inhouse_testkit::Scenario;
    /// # inhouse_testkit::run(async {
    /// let run = Scenario::new(Options::new()).turn("42").prompt("15 + 27?").await?;
    /// assert_eq!(run.answer(), "42");
    /// # Ok::<_, inhouse_testkit::scenario::ScenarioError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn answer(&self) -> &str {
        let result = self.last_result();
        result
            .and_then(|result| result.result.as_deref())
            .unwrap_or_default()
    }

    /// Returns the last result: turns, usage, cost, denials, and the reason of a failed turn.
    ///
    /// # Panics
    ///
    /// If no turn has ended.
    ///
    /// ```
    /// # use inhouse::Options;
    /// # use inhouse_testkit::Scenario;
    /// # inhouse_testkit::run(async {
    /// let run = Scenario::new(Options::new()).turn("42").prompt("15 + 27?").await?;
    /// assert_eq!(run.result().num_turns, Some(1));
    /// # Ok::<_, inhouse_testkit::scenario::ScenarioError>(()) }).unwrap();
    /// ```
    #[must_use]
    #[track_caller]
    pub fn result(&self) -> &Received<ResultMessage> {
        match self.last_result() {
            Some(result) => result,
            None => panic!("there is no result in the conversation:\n{self}"),
        }
    }

    /// Returns all messages of the CLI, in order.
    ///
    /// ```
    /// # use inhouse::Options;
    /// # use inhouse::message::Message;
    /// # use inhouse_testkit::Scenario;
    /// # inhouse_testkit::run(async {
    /// let run = Scenario::new(Options::new()).turn("42").prompt("15 + 27?").await?;
    /// let texts = run.messages().iter().filter_map(|message| match message {
    ///     Message::Assistant(message) => Some(message.text()),
    ///     _ => None,
    /// });
    /// assert_eq!(texts.collect::<Vec<_>>(), ["42"]);
    /// # Ok::<_, inhouse_testkit::scenario::ScenarioError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Returns the requests of the conversation that the model received, in order.
    ///
    /// ```
    /// # use inhouse::Options;
    /// # use inhouse_testkit::Scenario;
    /// # inhouse_testkit::run(async {
    /// let run = Scenario::new(Options::new()).turn("42").prompt("15 + 27?").await?;
    /// assert_eq!(run.model_requests()[0].last_user_text().as_deref(), Some("15 + 27?"));
    /// # Ok::<_, inhouse_testkit::scenario::ScenarioError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn model_requests(&self) -> &[ModelRequest] {
        &self.requests
    }

    /// Returns the tool calls of the model, in order.
    ///
    /// ```
    /// # use inhouse::Options;
    /// # use inhouse_testkit::{Scenario, Turn};
    /// # use serde_json::json;
    /// # inhouse_testkit::run(async {
    /// let run = Scenario::new(Options::new())
    ///     .turn(Turn::new().tool_use("mcp__calc__add", json!({})))
    ///     .turn("I cannot add.")
    ///     .prompt("15 + 27?")
    ///     .await?;
    /// assert!(run.tool_calls()[0].is_error, "there is no such tool");
    /// # Ok::<_, inhouse_testkit::scenario::ScenarioError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn tool_calls(&self) -> Vec<CalledTool> {
        let mut calls: Vec<CalledTool> = Vec::new();
        for line in report::values(&self.tape, Side::Cli) {
            for block in report::blocks(&line) {
                match block["type"].as_str() {
                    Some("tool_use") => calls.push(CalledTool {
                        id: report::string(&block["id"]),
                        name: report::string(&block["name"]),
                        input: block["input"].clone(),
                        result: None,
                        is_error: false,
                    }),
                    Some("tool_result") => {
                        let mut open = calls.iter_mut().rev();
                        if let Some(call) = open.find(|call| block["tool_use_id"] == *call.id) {
                            call.result = Some(report::text(&block["content"]));
                            call.is_error = block["is_error"] == true;
                        }
                    }
                    _ => {}
                }
            }
        }
        calls
    }

    /// Asserts that the last result is a success whose text contains `expected`.
    ///
    /// # Panics
    ///
    /// If it is not, with the conversation.
    ///
    /// ```
    /// # use inhouse::Options;
    /// # use inhouse_testkit::Scenario;
    /// # inhouse_testkit::run(async {
    /// let run = Scenario::new(Options::new()).turn("It is 42.").prompt("15 + 27?").await?;
    /// run.assert_answer("42");
    /// # Ok::<_, inhouse_testkit::scenario::ScenarioError>(()) }).unwrap();
    /// ```
    #[track_caller]
    pub fn assert_answer(&self, expected: &str) -> &Self {
        let result = self.result();
        if let Some(failure) = result.failure() {
            panic!("the turn failed: {failure}\nthe conversation:\n{self}");
        }
        assert!(
            self.answer().contains(expected),
            "the answer {:?} does not contain {expected:?}\nthe conversation:\n{self}",
            self.answer(),
        );
        self
    }

    /// Asserts that the model called a tool with this input.
    ///
    /// `name` is the full name, or the part after `mcp__<server>__`.
    ///
    /// # Panics
    ///
    /// If it did not, with the conversation.
    ///
    /// ```
    /// # use inhouse::Options;
    /// # use inhouse_testkit::{Scenario, Turn};
    /// # use serde_json::json;
    /// # inhouse_testkit::run(async {
    /// let run = Scenario::new(Options::new())
    ///     .turn(Turn::new().tool_use("mcp__calc__add", json!({"a": 1})))
    ///     .turn("Done.")
    ///     .prompt("Add.")
    ///     .await?;
    /// run.assert_tool_called("add", json!({"a": 1}));
    /// # Ok::<_, inhouse_testkit::scenario::ScenarioError>(()) }).unwrap();
    /// ```
    #[track_caller]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "`json!` is written in the call"
    )]
    pub fn assert_tool_called(&self, name: &str, input: Value) -> &Self {
        let calls = self.tool_calls();
        let is_it = |call: &CalledTool| call.has_name(name) && call.input == input;
        assert!(
            calls.iter().any(is_it),
            "the model did not call {name} with {input}\nthe conversation:\n{self}"
        );
        self
    }

    /// Asserts that the model was sent this text: in a prompt, a tool result, a context, or the system prompt.
    ///
    /// Texts of the model itself do not count.
    ///
    /// # Panics
    ///
    /// If it was not, with the conversation.
    ///
    /// ```
    /// # use inhouse::Options;
    /// # use inhouse_testkit::Scenario;
    /// # inhouse_testkit::run(async {
    /// let run = Scenario::new(Options::new()).turn("It is 42.").prompt("15 + 27?").await?;
    /// run.assert_model_saw("15 + 27?");
    /// # Ok::<_, inhouse_testkit::scenario::ScenarioError>(()) }).unwrap();
    /// ```
    #[track_caller]
    pub fn assert_model_saw(&self, expected: &str) -> &Self {
        let saw = self.requests.iter().any(|request| {
            let messages = request.messages().iter();
            let mut sent = messages.filter(|message| message["role"] != "assistant");
            sent.any(|message| contains(&message["content"], expected))
                || contains(&request.body()["system"], expected)
        });
        assert!(
            saw,
            "the model was not sent {expected:?}\nthe conversation:\n{self}"
        );
        self
    }

    /// Returns the lines of both sides.
    #[doc(hidden)]
    #[must_use]
    pub fn tape(&self) -> &Tape {
        &self.tape
    }

    fn last_result(&self) -> Option<&Received<ResultMessage>> {
        self.messages
            .iter()
            .rev()
            .find_map(|message| match message {
                Message::Result(result) => Some(result),
                _ => None,
            })
    }
}

impl CalledTool {
    /// Returns whether this is the full name of the tool, or the part after `mcp__<server>__`.
    ///
    /// ```
    /// # use inhouse::Options;
    /// # use inhouse_testkit::{Scenario, Turn};
    /// # use serde_json::json;
    /// # inhouse_testkit::run(async {
    /// let run = Scenario::new(Options::new())
    ///     .turn(Turn::new().tool_use("mcp__calc__add", json!({"a": 1})))
    ///     .turn("Done.")
    ///     .prompt("Add.")
    ///     .await?;
    /// assert!(run.tool_calls()[0].has_name("add"));
    /// # Ok::<_, inhouse_testkit::scenario::ScenarioError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn has_name(&self, name: &str) -> bool {
        let short = self
            .name
            .strip_prefix("mcp__")
            .and_then(|rest| rest.split_once("__"))
            .map(|(_, tool)| tool);
        self.name == name || short == Some(name)
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&report::render(&self.tape))
    }
}

/// Returns whether a member has no text for the model.
fn is_formal(name: &str) -> bool {
    ["type", "id", "tool_use_id", "cache_control", "media_type"].contains(&name)
}

fn contains(value: &Value, expected: &str) -> bool {
    match value {
        Value::String(text) => text.contains(expected),
        Value::Array(values) => values.iter().any(|value| contains(value, expected)),
        Value::Object(members) => members
            .iter()
            .any(|(name, value)| !is_formal(name) && contains(value, expected)),
        _ => false,
    }
}
