//! Concurrent and cancelled requests.

use inhouse::dialog::DialogRequest;
use inhouse::elicitation::ElicitationRequest;
use inhouse::permission::{CanUseTool, Decision};
use inhouse::plan::PlanRequest;
use inhouse::question::QuestionRequest;
use inhouse::{Asked, Options};
use inhouse_testkit::FakeCli;
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};

use crate::support::{DropProbe, bash, call};

/// One request of each kind.
fn questions() -> [Value; 5] {
    [
        bash("ls"),
        call("AskUserQuestion", json!({"questions": []})),
        call("ExitPlanMode", json!({})),
        json!({"subtype": "elicitation", "mcp_server_name": "crm", "message": "Which region?"}),
        json!({"subtype": "request_user_dialog", "dialog_kind": "sign_in", "payload": {}}),
    ]
}

fn endless(probe: DropProbe) -> Options {
    let [w1, w2, w3, w4] = std::array::from_fn(|_| probe.clone());
    Options::new()
        .permissions(async move |_: Asked<CanUseTool>| probe.endless().await)
        .on_question(async move |_: Asked<QuestionRequest>| w1.endless().await)
        .on_plan(async move |_: Asked<PlanRequest>| w2.endless().await)
        .on_elicitation(async move |_: Asked<ElicitationRequest>| w3.endless().await)
        .on_dialog("sign_in", async move |_: Asked<DialogRequest>| {
            w4.endless().await
        })
}

#[tokio::test(start_paused = true)]
async fn cancelled_request_drops_its_handler_and_gets_no_response() {
    for question in questions() {
        let (probe, mut events) = DropProbe::new();
        FakeCli::play_cli(endless(probe), async move |cli| {
            let id = cli.ask(question).await;
            assert_eq!(events.recv().await, Some("began"));
            cli.cancel(&id).await;
            assert_eq!(events.recv().await, Some("dropped"));
            // `play_cli` fails if the host sends anything else.
        })
        .await;
    }
}

#[tokio::test(start_paused = true)]
async fn cancel_leaves_other_requests_open() {
    let (probe, mut events) = DropProbe::new();
    let options = endless(probe).permissions(async |asked: Asked<CanUseTool>| {
        Ok(Decision::deny(asked.request.tool_use_id.clone()))
    });
    FakeCli::play_cli(options, async move |cli| {
        let [_, question, _, elicitation, _] = questions();
        let first = cli.ask(question).await;
        assert_eq!(events.recv().await, Some("began"));
        cli.ask(elicitation).await;
        assert_eq!(events.recv().await, Some("began"));
        cli.cancel(&first).await;
        assert_eq!(events.recv().await, Some("dropped"));
        let id = cli.ask(bash("ls")).await;
        assert_eq!(cli.expect_answer(&id).await.payload()["message"], "toolu_7");
        assert!(events.try_recv().is_err(), "the other one is still open");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn concurrent_requests_get_their_own_responses() {
    let answered = watch::Sender::new(false);
    let options = Options::new().permissions(async move |asked: Asked<CanUseTool>| {
        let command = asked.request.input["command"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        // The first one is decided only after the second one.
        if command == "first" {
            let mut second = answered.subscribe();
            second.wait_for(|answered| *answered).await?;
        } else {
            answered.send_replace(true);
        }
        Ok(Decision::deny(command))
    });
    FakeCli::play_cli(options, async |cli| {
        let first = cli.ask(bash("first")).await;
        let second = cli.ask(bash("second")).await;
        assert_eq!(
            cli.expect_answer(&second).await.payload()["message"],
            "second"
        );
        assert_eq!(
            cli.expect_answer(&first).await.payload()["message"],
            "first"
        );
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn cancelled_token_notifies_other_tasks() {
    let (sender, mut events) = mpsc::unbounded_channel();
    let options = Options::new().permissions(async move |asked: Asked<CanUseTool>| {
        let cancelled = asked.cancelled().clone();
        assert!(!cancelled.is_cancelled());
        tokio::spawn(async move {
            sender
                .send("window opened")
                .expect("the test holds the receiver");
            cancelled.wait().await;
            sender
                .send("window closed")
                .expect("the test holds the receiver");
        });
        std::future::pending().await
    });
    FakeCli::play_cli(options, async |cli| {
        let id = cli.ask(bash("ls")).await;
        assert_eq!(events.recv().await, Some("window opened"));
        cli.cancel(&id).await;
        assert_eq!(events.recv().await, Some("window closed"));
    })
    .await;
}
