//! Dialogs of each kind.

use inhouse::dialog::{DialogAnswer, DialogRequest};
use inhouse::launch::{HostEnvironment, Plan};
use inhouse::{Asked, HandlerError, Options};
use inhouse_testkit::FakeCli;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::answer_to;

fn dialog(kind: &str) -> Value {
    json!({
        "subtype": "request_user_dialog",
        "dialog_kind": kind,
        "payload": {"fallbackModel": "haiku"},
        "tool_use_id": "toolu_7",
    })
}

fn declared(options: &Options) -> Option<Vec<String>> {
    let plan = Plan::new(options, "claude", &HostEnvironment::default()).unwrap();
    plan.initialize.supported_dialog_kinds
}

#[tokio::test(start_paused = true)]
async fn each_dialog_kind_has_its_handler() {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Payload {
        fallback_model: String,
    }
    let options = Options::new()
        .on_dialog("fallback", async |asked: Asked<DialogRequest>| {
            let payload: Payload = asked.payload_as()?;
            assert_eq!(asked.request.tool_use_id.as_deref(), Some("toolu_7"));
            Ok(DialogAnswer::completed(
                &json!({"use": payload.fallback_model}),
            )?)
        })
        .on_dialog("sign_in", async |_: Asked<DialogRequest>| {
            Ok(DialogAnswer::Cancelled)
        });
    let fallback = answer_to(options.clone(), dialog("fallback"))
        .await
        .payload();
    let expected = json!({"behavior": "completed", "result": {"use": "haiku"}});
    assert_eq!(fallback, expected);
    let sign_in = answer_to(options, dialog("sign_in")).await.payload();
    assert_eq!(sign_in, json!({"behavior": "cancelled"}));
}

#[test]
fn only_kinds_with_a_handler_are_declared() {
    assert_eq!(declared(&Options::new()), None);
    let handler = async |_: Asked<DialogRequest>| Ok(DialogAnswer::Cancelled);
    let options = Options::new()
        .on_dialog("b", handler)
        .on_dialog("a", handler);
    assert_eq!(
        declared(&options),
        Some(vec!["a".to_owned(), "b".to_owned()])
    );
}

#[tokio::test(start_paused = true)]
async fn kind_without_a_handler_gets_no_response() {
    let options = Options::new().on_dialog("sign_in", async |_: Asked<DialogRequest>| {
        Ok(DialogAnswer::Cancelled)
    });
    FakeCli::play_cli(options, async |cli| {
        cli.ask(dialog("another")).await;
        // A response to the first would come before this one.
        let id = cli.ask(dialog("sign_in")).await;
        assert_eq!(
            cli.expect_answer(&id).await.payload()["behavior"],
            "cancelled"
        );
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn failing_handler_cancels_the_dialog() {
    let options = Options::new()
        .on_dialog("failing", async |_: Asked<DialogRequest>| {
            Err(HandlerError::new("no screen"))
        })
        .on_dialog(
            "panicking",
            async |_: Asked<DialogRequest>| -> Result<DialogAnswer, HandlerError> { panic!("no") },
        );
    for kind in ["failing", "panicking"] {
        let answer = answer_to(options.clone(), dialog(kind)).await.payload();
        assert_eq!(answer, json!({"behavior": "cancelled"}));
    }
}
