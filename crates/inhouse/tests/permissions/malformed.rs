//! Requests of an unexpected shape: refused, and never shown to a handler.

use inhouse::dialog::{DialogAnswer, DialogRequest};
use inhouse::elicitation::{ElicitationAnswer, ElicitationRequest};
use inhouse::permission::{CanUseTool, Decision};
use inhouse::plan::{PlanDecision, PlanRequest};
use inhouse::question::{Answers, QuestionRequest};
use inhouse::{Asked, Options};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::HostAnswer;
use serde_json::{Value, json};

use crate::support::{answer_to, bash, call, denial};

/// Answers every request with a yes.
fn approving() -> Options {
    Options::new()
        .permissions(async |_: Asked<CanUseTool>| Ok(Decision::allow()))
        .on_question(async |_: Asked<QuestionRequest>| Ok(Answers::new()))
        .on_plan(async |_: Asked<PlanRequest>| Ok(PlanDecision::approve()))
        .on_elicitation(async |_: Asked<ElicitationRequest>| Ok(ElicitationAnswer::accept_url()))
        .on_dialog("sign_in", async |_: Asked<DialogRequest>| {
            Ok(DialogAnswer::completed(&true)?)
        })
}

fn elicitation() -> Value {
    json!({"subtype": "elicitation", "mcp_server_name": "crm", "message": "Which region?"})
}

fn dialog() -> Value {
    json!({"subtype": "request_user_dialog", "dialog_kind": "sign_in", "payload": {}})
}

/// Asserts that a request with each of these members is answered with an error that names it.
async fn assert_refused(request: Value, members: &[(&str, Value)]) {
    let answer = answer_to(approving(), request.clone()).await;
    assert!(matches!(answer, HostAnswer::Success(_)), "{answer:?}");
    for (name, value) in members {
        let mut malformed = request.clone();
        malformed[name] = value.clone();
        let answer = answer_to(approving(), malformed).await;
        let HostAnswer::Error { error, .. } = answer else {
            panic!("`{name}` = {value} must be refused, not {answer:?}");
        };
        assert!(error.contains("malformed"), "{name}: {error}");
    }
}

#[tokio::test(start_paused = true)]
async fn permission_request_with_a_misshapen_member_is_refused() {
    let members = [
        ("tool_name", json!(7)),
        ("tool_use_id", json!(null)),
        ("input", json!("rm -r build")),
        // A lenient `None` here would hide what the request is about.
        ("blocked_path", json!({"path": "/etc"})),
        ("agent_id", json!(["agent_1"])),
    ];
    assert_refused(bash("ls"), &members).await;
}

#[tokio::test(start_paused = true)]
async fn elicitation_without_a_required_member_is_refused() {
    let members = [("mcp_server_name", json!([])), ("message", json!({}))];
    assert_refused(elicitation(), &members).await;
}

#[tokio::test(start_paused = true)]
async fn malformed_questions_are_denied() {
    for questions in [
        json!("which?"),
        json!([{"options": []}]),
        json!([{"question": "Which?", "options": [{"label": 7}]}]),
    ] {
        let asked = call("AskUserQuestion", json!({"questions": questions}));
        let message = denial(answer_to(approving(), asked).await);
        assert!(message.contains("cannot be read"), "{message}");
    }
}

/// The CLI discards an error reply to a dialog and keeps waiting.
#[tokio::test(start_paused = true)]
async fn malformed_dialog_is_cancelled() {
    for payload in [json!([]), json!("sign in")] {
        let mut malformed = dialog();
        malformed["payload"] = payload;
        let answer = answer_to(approving(), malformed).await.payload();
        assert_eq!(answer, json!({"behavior": "cancelled"}));
    }
}

#[tokio::test(start_paused = true)]
async fn malformed_dialog_of_another_kind_is_not_answered() {
    FakeCli::play_cli(approving(), async |cli| {
        let mut other = dialog();
        other["dialog_kind"] = json!("other");
        other["payload"] = json!(null);
        cli.ask(other).await;
        let id = cli.ask(dialog()).await;
        // `play_cli` fails if the host answers the first one as well.
        assert_eq!(cli.expect_answer(&id).await.payload()["result"], true);
    })
    .await;
}
