//! The CLI's side of a session with the server `notes`.

use std::collections::HashMap;

use inhouse::Options;
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::HostAnswer;
use serde_json::{Value, json};

/// A CLI that sends messages to the server `notes`.
pub(crate) struct Cli<'a> {
    fake: &'a mut FakeCli,
}

/// Runs a session in which only the CLI acts.
pub(crate) async fn play(options: Options, cli: impl AsyncFnOnce(&mut Cli<'_>)) {
    FakeCli::play_cli(options, async |fake| cli(&mut Cli { fake }).await).await;
}

impl Cli<'_> {
    /// Returns the `initialize` request of the host.
    pub(crate) fn initialize(&self) -> &Value {
        self.fake.launched().initialize()
    }

    /// Sends a message to the server; returns the id of the control request.
    pub(crate) async fn send(&mut self, message: Value) -> String {
        let request = json!({"subtype": "mcp_message", "server_name": "notes", "message": message});
        self.fake.ask(request).await
    }

    /// Sends a request to the server and waits for its response.
    pub(crate) async fn request(&mut self, id: Value, method: &str, params: Value) -> Value {
        let asked = self.begin(id, method, params).await;
        self.answer(&asked).await
    }

    /// Sends a request to the server; returns the id of the control request.
    pub(crate) async fn begin(&mut self, id: Value, method: &str, params: Value) -> String {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(message).await
    }

    /// Starts a call of a tool without arguments.
    pub(crate) async fn begin_call(&mut self, id: u64, tool: &str) -> String {
        let meta = json!({"claudecode/toolUseId": format!("toolu_{id}"), "progressToken": id});
        let params = json!({"name": tool, "arguments": {}, "_meta": meta});
        self.begin(json!(id), "tools/call", params).await
    }

    /// Calls a tool without arguments; returns the text of its result.
    pub(crate) async fn call(&mut self, id: u64, tool: &str) -> String {
        let asked = self.begin_call(id, tool).await;
        text_of(&self.answer(&asked).await)
    }

    /// Sends a notification to the server and waits for the host's acknowledgement.
    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        let asked = self
            .send(json!({"jsonrpc": "2.0", "method": method, "params": params}))
            .await;
        self.answer(&asked).await;
    }

    /// Expects that the next line is the response to this request.
    pub(crate) async fn answer(&mut self, asked: &str) -> Value {
        response(self.fake.expect_answer(asked).await)
    }

    /// Expects `count` responses in any order; returns them by request id.
    pub(crate) async fn answers(&mut self, count: usize) -> HashMap<String, Value> {
        let mut answers = HashMap::new();
        for _ in 0..count {
            let (asked, answer) = self.fake.expect_any_answer().await;
            let twice = answers.insert(asked, response(answer));
            assert_eq!(twice, None, "a request was answered twice");
        }
        answers
    }

    /// Expects `set_model` and accepts it.
    pub(crate) async fn expect_set_model(&mut self, model: &str) {
        let request = self.fake.expect_request("set_model").await;
        assert_eq!(request.body()["model"], model);
        request.succeed_empty().await;
    }

    /// Expects a message of the server to the CLI.
    pub(crate) async fn server_message(&mut self) -> Value {
        let request = self.fake.expect_request("mcp_message").await;
        assert_eq!(request.body()["server_name"], "notes");
        let message = request.body()["message"].clone();
        request.succeed_empty().await;
        message
    }
}

/// Returns the text of a tool's result.
pub(crate) fn text_of(response: &Value) -> String {
    let text = response["result"]["content"][0]["text"].as_str();
    text.unwrap_or_else(|| panic!("no text in {response}"))
        .to_owned()
}

fn response(answer: HostAnswer) -> Value {
    answer.payload()["mcp_response"].clone()
}
