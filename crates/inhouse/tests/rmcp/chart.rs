//! A session with the server `notes`, seen from the CLI.

use std::collections::HashMap;

use inhouse::{Client, Options};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::HostAnswer;
use serde_json::{Value, json};
use tokio::sync::oneshot;

/// The CLI of a session that has begun.
pub(crate) struct Cli {
    fake: FakeCli,
    /// What the host has said of itself.
    pub(crate) initialize: Value,
}

/// Plays a session from its beginning to its end, with the CLI's part of it in between.
pub(crate) async fn play(options: Options, part: impl AsyncFnOnce(&mut Cli)) {
    let (transport, mut fake) = FakeCli::new();
    let (done, is_done) = oneshot::channel::<()>();
    let host = async {
        let client = Client::connect_with(options, transport)
            .await
            .expect("the CLI accepts the session");
        is_done.await.expect_err("the other side only drops it");
        client.close().await.expect("the CLI ends well");
    };
    let cli = async move {
        let initialize = fake.accept().await;
        let mut cli = Cli { fake, initialize };
        part(&mut cli).await;
        drop(done);
        cli.fake.expect_end_of_input().await;
    };
    tokio::join!(host, cli);
}

impl Cli {
    /// Sends a message to the server; returns the id under which the host answers.
    pub(crate) async fn send(&mut self, message: Value) -> String {
        let request = json!({"subtype": "mcp_message", "server_name": "notes", "message": message});
        self.fake.ask(request).await
    }

    /// Makes a request of the server and waits for its response.
    pub(crate) async fn request(&mut self, id: Value, method: &str, params: Value) -> Value {
        let asked = self.begin(id, method, params).await;
        self.answer(&asked).await
    }

    /// Makes a request of the server.
    pub(crate) async fn begin(&mut self, id: Value, method: &str, params: Value) -> String {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(message).await
    }

    /// Begins a call of a tool that takes no arguments.
    pub(crate) async fn begin_call(&mut self, id: u64, tool: &str) -> String {
        let meta = json!({"claudecode/toolUseId": format!("toolu_{id}"), "progressToken": id});
        let params = json!({"name": tool, "arguments": {}, "_meta": meta});
        self.begin(json!(id), "tools/call", params).await
    }

    /// Calls a tool that takes no arguments; returns the text of its result.
    pub(crate) async fn call(&mut self, id: u64, tool: &str) -> String {
        let asked = self.begin_call(id, tool).await;
        text_of(&self.answer(&asked).await)
    }

    /// Tells the server something, which the host acknowledges.
    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        let asked = self
            .send(json!({"jsonrpc": "2.0", "method": method, "params": params}))
            .await;
        self.answer(&asked).await;
    }

    /// The response that the host gives next, which has to be to this request.
    pub(crate) async fn answer(&mut self, asked: &str) -> Value {
        response(self.fake.expect_answer(asked).await)
    }

    /// The next responses, in any order, by request.
    pub(crate) async fn answers(&mut self, count: usize) -> HashMap<String, Value> {
        let mut answers = HashMap::new();
        for _ in 0..count {
            let (asked, answer) = self.fake.expect_any_answer().await;
            let twice = answers.insert(asked, response(answer));
            assert_eq!(twice, None, "a request was answered twice");
        }
        answers
    }

    /// Lets the host change the model.
    pub(crate) async fn expect_set_model(&mut self, model: &str) {
        let request = self.fake.expect_request("set_model").await;
        assert_eq!(request.body()["model"], model);
        request.succeed_empty().await;
    }

    /// The message that the server starts next.
    pub(crate) async fn told(&mut self) -> Value {
        let request = self.fake.expect_request("mcp_message").await;
        assert_eq!(request.body()["server_name"], "notes");
        let message = request.body()["message"].clone();
        request.succeed_empty().await;
        message
    }
}

/// The text of a tool's result.
pub(crate) fn text_of(response: &Value) -> String {
    let text = response["result"]["content"][0]["text"].as_str();
    text.unwrap_or_else(|| panic!("no text in {response}"))
        .to_owned()
}

fn response(answer: HostAnswer) -> Value {
    answer.payload()["mcp_response"].clone()
}
