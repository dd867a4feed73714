//! The two sides of a session in which the CLI asks and the host answers.

use std::time::Duration;

use inhouse::permission::{CanUseTool, Decision};
use inhouse::{Asked, Client, Options};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::HostAnswer;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

/// A day on the paused clock: it passes as soon as both sides wait for ever.
const DEADLINE: Duration = Duration::from_secs(24 * 60 * 60);

/// Plays a session in which the CLI asks. A host that says anything more than it is expected to
/// fails the test.
pub(crate) async fn play(options: Options, asking: impl AsyncFnOnce(&mut FakeCli)) {
    let (transport, mut cli) = FakeCli::new();
    let (through, until_through) = oneshot::channel::<()>();
    let host = async {
        let client = Client::connect_with(options, transport)
            .await
            .expect("the fake accepts the session");
        until_through.await.expect_err("it is only dropped");
        client.close().await.expect("the fake ends well");
    };
    let cli = async move {
        cli.accept().await;
        asking(&mut cli).await;
        drop(through);
        cli.expect_end_of_input().await;
    };
    timeout(DEADLINE, async { tokio::join!(host, cli) })
        .await
        .expect("one side waits for something that never comes");
}

/// What a session with these options answers to one request.
pub(crate) async fn answer_to(options: Options, request: Value) -> HostAnswer {
    let (tell, told) = oneshot::channel();
    play(options, async move |cli| {
        let id = cli.ask(request).await;
        let answer = cli.expect_answer(&id).await;
        tell.send(answer).expect("the test listens");
    })
    .await;
    told.await.expect("there was an answer")
}

/// What the CLI is told about a call when a handler decides so.
pub(crate) async fn told(decision: Decision) -> Value {
    let options = Options::new().permissions(async move |_: Asked<CanUseTool>| Ok(decision));
    answer_to(options, bash("touch asked")).await.payload()
}

/// A question about a call of a tool.
pub(crate) fn call(tool: &str, input: Value) -> Value {
    json!({"subtype": "can_use_tool", "tool_name": tool, "tool_use_id": "toolu_7", "input": input})
}

/// A question about a command.
pub(crate) fn bash(command: &str) -> Value {
    call("Bash", json!({"command": command}))
}

/// Why a call was denied, without ending the turn.
pub(crate) fn denial(answer: HostAnswer) -> String {
    let answer = answer.payload();
    assert_eq!(answer["behavior"], "deny", "{answer}");
    assert_eq!(answer["toolUseID"], "toolu_7", "{answer}");
    assert!(answer.get("interrupt").is_none(), "{answer}");
    let message = answer["message"].as_str();
    message.expect("a denial has a message").to_owned()
}

/// Hears what becomes of a handler that never answers.
#[derive(Clone)]
pub(crate) struct Witness(mpsc::UnboundedSender<&'static str>);

impl Witness {
    pub(crate) fn new() -> (Self, mpsc::UnboundedReceiver<&'static str>) {
        let (tell, told) = mpsc::unbounded_channel();
        (Self(tell), told)
    }

    /// The work of the handler, which goes on until it is dropped.
    pub(crate) async fn endless<T>(self) -> T {
        struct UntilDropped(Witness);

        impl Drop for UntilDropped {
            fn drop(&mut self) {
                let _ = self.0.0.send("dropped");
            }
        }

        self.0.send("began").expect("the test listens");
        let _until_dropped = UntilDropped(self);
        std::future::pending().await
    }
}
