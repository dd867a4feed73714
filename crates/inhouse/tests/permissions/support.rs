//! Permission requests in short form.

use inhouse::permission::{CanUseTool, Decision};
use inhouse::{Asked, Options};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::HostAnswer;
use serde_json::{Value, json};
use tokio::sync::mpsc;

/// Returns the answer of a session with these options to one request.
pub(crate) async fn answer_to(options: Options, request: Value) -> HostAnswer {
    FakeCli::play_cli(options, async |cli| {
        let id = cli.ask(request).await;
        cli.expect_answer(&id).await
    })
    .await
}

/// Returns the payload that the CLI receives when a handler returns this decision.
pub(crate) async fn payload_of(decision: Decision) -> Value {
    let options = Options::new().permissions(async move |_: Asked<CanUseTool>| Ok(decision));
    answer_to(options, bash("touch asked")).await.payload()
}

/// Returns a `can_use_tool` request.
pub(crate) fn call(tool: &str, input: Value) -> Value {
    json!({"subtype": "can_use_tool", "tool_name": tool, "tool_use_id": "toolu_7", "input": input})
}

/// Returns a `can_use_tool` request for a `Bash` command.
pub(crate) fn bash(command: &str) -> Value {
    call("Bash", json!({"command": command}))
}

/// Returns the message of an answer that has to be a denial without interrupt.
pub(crate) fn denial(answer: HostAnswer) -> String {
    let answer = answer.payload();
    assert_eq!(answer["behavior"], "deny", "{answer}");
    assert_eq!(answer["toolUseID"], "toolu_7", "{answer}");
    assert!(answer.get("interrupt").is_none(), "{answer}");
    let message = answer["message"].as_str();
    message.expect("a denial has a message").to_owned()
}

/// Reports when a handler starts and when it is dropped.
#[derive(Clone)]
pub(crate) struct DropProbe(mpsc::UnboundedSender<&'static str>);

impl DropProbe {
    pub(crate) fn new() -> (Self, mpsc::UnboundedReceiver<&'static str>) {
        let (sender, events) = mpsc::unbounded_channel();
        (Self(sender), events)
    }

    /// Reports `began`, then stays pending until it is dropped, and reports `dropped`.
    pub(crate) async fn endless<T>(self) -> T {
        struct OnDrop(DropProbe);

        impl Drop for OnDrop {
            fn drop(&mut self) {
                let _ = self.0.0.send("dropped");
            }
        }

        self.0.send("began").expect("the test holds the receiver");
        let _on_drop = OnDrop(self);
        std::future::pending().await
    }
}
