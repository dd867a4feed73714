use serde_json::{Value, json};

use super::{ApiError, Usage};

/// A message of the model, built block by block.
///
/// ```
/// use inhouse_testkit::model::Turn;
/// use serde_json::json;
///
/// let turn = Turn::new()
///     .thinking("Better look first.")
///     .text("Let me see.")
///     .tool_use("Bash", json!({ "command": "ls" }));
/// # let _ = turn;
/// ```
///
/// The stop reason is `tool_use` if there is a tool call and `end_turn` otherwise, unless set with
/// [`stop_reason`](Turn::stop_reason).
#[derive(Clone, Debug, Default)]
pub struct Turn {
    pub(crate) blocks: Vec<Block>,
    pub(crate) usage: Usage,
    pub(crate) ending: Ending,
    pub(super) pieces: Pieces,
    stop_reason: Option<String>,
}

impl Turn {
    /// Creates a message without content.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an error response with this HTTP status, instead of a message.
    ///
    /// ```
    /// # use inhouse::Options;
    /// # use inhouse_testkit::{Scenario, Turn};
    /// # inhouse_testkit::run(async {
    /// let overloaded = Turn::error(529); // the CLI tries again
    /// let run = Scenario::new(Options::new()).turn(overloaded).turn("42").prompt("15 + 27?").await?;
    /// assert_eq!(run.answer(), "42");
    /// # Ok::<_, inhouse_testkit::scenario::ScenarioError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn error(status: u16) -> ApiError {
        ApiError::new(status)
    }

    /// Adds a text block.
    #[must_use]
    pub fn text(self, text: impl Into<String>) -> Self {
        self.push(Block::Text(text.into()))
    }

    /// Adds a thinking block with a signature.
    ///
    /// ```
    /// # use inhouse::Options;
    /// # use inhouse_testkit::{Scenario, Turn};
    /// # inhouse_testkit::run(async {
    /// let turn = Turn::new().thinking("15 and 27, so").text("42");
    /// let run = Scenario::new(Options::new()).turn(turn).prompt("15 + 27?").await?;
    /// assert_eq!(run.answer(), "42");
    /// # Ok::<_, inhouse_testkit::scenario::ScenarioError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn thinking(self, thinking: impl Into<String>) -> Self {
        self.push(Block::Thinking(thinking.into()))
    }

    /// Adds a tool call, with an id that is unique within the conversation.
    ///
    /// Tools in the process of the host have the name `mcp__<server>__<tool>`.
    ///
    /// ```
    /// # use inhouse::Options;
    /// # use inhouse::tool::{Tool, ToolServer};
    /// # use inhouse_testkit::{Scenario, Turn};
    /// # use serde_json::json;
    /// # inhouse_testkit::run(async {
    /// # let dice = ToolServer::new("dice").tool(Tool::new("roll", "Rolls a die", async || "4"));
    /// # let options = Options::new().tool_server(dice).allow_tools(["mcp__dice"]);
    /// // Two calls of one message.
    /// let both = Turn::new().tool_use("mcp__dice__roll", json!({})).tool_use("mcp__dice__roll", json!({}));
    /// let run = Scenario::new(options).turn(both).turn("Eight.").prompt("Roll twice.").await?;
    /// assert_eq!(run.model_requests()[1].tool_results().len(), 2);
    /// # Ok::<_, inhouse_testkit::scenario::ScenarioError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn tool_use(self, name: impl Into<String>, input: Value) -> Self {
        self.push(Block::ToolUse {
            id: None,
            name: name.into(),
            input,
        })
    }

    /// Adds a tool call with this id.
    ///
    /// Ids must be unique within a conversation; the result has the same id in
    /// [`ModelRequest::tool_results`](super::ModelRequest::tool_results).
    #[must_use]
    pub fn tool_use_with_id(
        self,
        id: impl Into<String>,
        name: impl Into<String>,
        input: Value,
    ) -> Self {
        self.push(Block::ToolUse {
            id: Some(id.into()),
            name: name.into(),
            input,
        })
    }

    /// Adds a block of any other type, sent unchanged.
    #[must_use]
    pub fn block(self, block: Value) -> Self {
        self.push(Block::Raw(block))
    }

    /// Sets the stop reason, for example `max_tokens` or `refusal`.
    #[must_use]
    pub fn stop_reason(mut self, reason: impl Into<String>) -> Self {
        self.stop_reason = Some(reason.into());
        self
    }

    /// Sets the token counts that the message reports.
    ///
    /// ```
    /// # use inhouse::Options;
    /// # use inhouse_testkit::model::Usage;
    /// # use inhouse_testkit::{Scenario, Turn};
    /// # inhouse_testkit::run(async {
    /// let turn = Turn::new().text("42").usage(Usage::new(100, 10).cache_read(7));
    /// let run = Scenario::new(Options::new()).turn(turn).prompt("15 + 27?").await?;
    /// let usage = run.result().usage.clone().unwrap();
    /// assert_eq!((usage.input_tokens, usage.cache_read_input_tokens), (Some(100), Some(7)));
    /// # Ok::<_, inhouse_testkit::scenario::ScenarioError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// Sets the maximum number of deltas per block; 4 by default, at least 1.
    ///
    /// ```
    /// # use inhouse::Options;
    /// # use inhouse_testkit::{Scenario, Turn};
    /// # inhouse_testkit::run(async {
    /// let options = Options::new().include_partial_messages(true);
    /// let turn = Turn::new().text("forty-two").pieces(3);
    /// let run = Scenario::new(options).turn(turn).prompt("15 + 27?").await?;
    /// let deltas = run.messages().iter().filter(|message| message.raw().contains("text_delta"));
    /// assert_eq!(deltas.count(), 3);
    /// # Ok::<_, inhouse_testkit::scenario::ScenarioError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn pieces(mut self, at_most: usize) -> Self {
        self.pieces = Pieces(at_most.max(1));
        self
    }

    /// Stops sending before the end of the last block.
    ///
    /// The answer continues after [`ScriptedModel::release`](super::ScriptedModel::release), and ends if the client disconnects.
    ///
    /// ```
    /// # use inhouse::Options;
    /// # use inhouse_testkit::{Scenario, Turn};
    /// # inhouse_testkit::run(async {
    /// let run = Scenario::new(Options::new())
    ///     .turn(Turn::new().text("And so on, and").stall())
    ///     .play(async |client| {
    ///         let control = client.control().clone();
    ///         let mut turn = client.send("Never end.").await?;
    ///         while let Some(message) = turn.next().await {
    ///             if message?.tag() == "system/init" {
    ///                 control.interrupt().await?;
    ///             }
    ///         }
    ///         Ok(())
    ///     })
    ///     .await?;
    /// assert!(run.result().is_error);
    /// # Ok::<_, inhouse_testkit::scenario::ScenarioError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn stall(mut self) -> Self {
        self.ending = Ending::Stall;
        self
    }

    /// Cuts the connection before the end of the last block.
    ///
    /// ```
    /// # use inhouse::Options;
    /// # use inhouse_testkit::{Scenario, Turn};
    /// # inhouse_testkit::run(async {
    /// let cut = Turn::new().text("Forty-").disconnect(); // the CLI tries again
    /// let run = Scenario::new(Options::new()).turn(cut).turn("42").prompt("15 + 27?").await?;
    /// assert_eq!(run.model_requests().len(), 2);
    /// # Ok::<_, inhouse_testkit::scenario::ScenarioError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn disconnect(mut self) -> Self {
        self.ending = Ending::Disconnect;
        self
    }

    /// Sends an error event before the end of the last block.
    ///
    /// The status and the headers of the error are not sent, because the stream began with 200. Without streaming, the
    /// error is the whole answer.
    ///
    /// ```
    /// # use inhouse::Options;
    /// # use inhouse_testkit::{Scenario, Turn};
    /// # inhouse_testkit::run(async {
    /// let failing = Turn::new().text("Forty-").fail(Turn::error(529)); // the CLI tries again
    /// let run = Scenario::new(Options::new()).turn(failing).turn("42").prompt("15 + 27?").await?;
    /// assert_eq!(run.answer(), "42");
    /// # Ok::<_, inhouse_testkit::scenario::ScenarioError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn fail(mut self, error: ApiError) -> Self {
        self.ending = Ending::Fail(error);
        self
    }

    pub(crate) fn final_stop_reason(&self) -> &str {
        match &self.stop_reason {
            Some(reason) => reason,
            None if self.blocks.iter().any(Block::is_tool_use) => "tool_use",
            None => "end_turn",
        }
    }

    /// Gives an id to each call that has none.
    pub(super) fn with_call_ids(mut self, message_id: &str) -> Self {
        for (index, block) in self.blocks.iter_mut().enumerate() {
            if let Block::ToolUse { id, .. } = block {
                id.get_or_insert_with(|| format!("toolu_{message_id}_{index}"));
            }
        }
        self
    }

    fn push(mut self, block: Block) -> Self {
        self.blocks.push(block);
        self
    }
}

/// How a message ends.
#[derive(Clone, Debug, Default)]
pub(crate) enum Ending {
    #[default]
    Complete,
    Stall,
    Disconnect,
    Fail(ApiError),
}

/// The maximum number of deltas of one block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pieces(pub(super) usize);

impl Default for Pieces {
    fn default() -> Self {
        Self(4)
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Block {
    Text(String),
    Thinking(String),
    ToolUse {
        /// `None` until the message has an id, from which that of the call is derived.
        id: Option<String>,
        name: String,
        input: Value,
    },
    Raw(Value),
}

/// Any base64: the CLI sends the signature back without reading it.
pub(super) const SIGNATURE: &str = "c2NyaXB0ZWQ=";

impl Block {
    /// Returns the block of a message that is not streamed; calls must have an id.
    pub(crate) fn whole(&self) -> Value {
        match self {
            Self::Text(text) => json!({ "type": "text", "text": text }),
            Self::Thinking(thinking) => {
                json!({ "type": "thinking", "thinking": thinking, "signature": SIGNATURE })
            }
            Self::ToolUse { id, name, input } => {
                json!({ "type": "tool_use", "id": id, "name": name, "input": input })
            }
            Self::Raw(block) => block.clone(),
        }
    }

    fn is_tool_use(&self) -> bool {
        match self {
            Self::ToolUse { .. } => true,
            Self::Raw(block) => block["type"] == "tool_use",
            Self::Text(_) | Self::Thinking(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_without_an_id_get_one_of_the_message() {
        let turn = Turn::new()
            .text("Both.")
            .tool_use("Read", json!({}))
            .tool_use_with_id("toolu_1", "Read", json!({}))
            .with_call_ids("msg_7");
        let ids: Vec<_> = turn
            .blocks
            .iter()
            .map(|block| block.whole()["id"].clone())
            .collect();
        assert_eq!(ids, [Value::Null, json!("toolu_msg_7_1"), json!("toolu_1")]);
    }

    #[test]
    fn stop_reason_follows_from_the_blocks_and_can_be_set() {
        let call = Turn::new()
            .text("a")
            .tool_use_with_id("toolu_1", "Bash", json!({}));
        assert_eq!(call.final_stop_reason(), "tool_use");
        assert_eq!(Turn::new().text("a").final_stop_reason(), "end_turn");
        assert_eq!(
            call.stop_reason("max_tokens").final_stop_reason(),
            "max_tokens"
        );
    }
}
