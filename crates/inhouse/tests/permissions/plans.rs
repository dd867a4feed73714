//! Plan approval.

use inhouse::options::PermissionMode;
use inhouse::plan::{PlanDecision, PlanRequest};
use inhouse::{Asked, Options};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::support::{answer_to, call, denial};

const FILE: &str = "/home/me/.claude/plans/dig.md";

fn plan() -> Value {
    call(
        "ExitPlanMode",
        json!({"plan": "# Dig", "planFilePath": FILE}),
    )
}

fn deciding(decision: PlanDecision) -> Options {
    Options::new().on_plan(async move |_: Asked<PlanRequest>| Ok(decision))
}

#[tokio::test(start_paused = true)]
async fn handler_gets_the_plan_and_its_file() {
    let (sender, mut events) = mpsc::unbounded_channel();
    let options = Options::new().on_plan(async move |asked: Asked<PlanRequest>| {
        sender.send(asked).expect("the test holds the receiver");
        Ok(PlanDecision::approve())
    });
    answer_to(options.clone(), plan()).await;
    answer_to(options, call("ExitPlanMode", json!({}))).await;

    let asked = events.recv().await.unwrap();
    assert_eq!(asked.request.plan.as_deref(), Some("# Dig"));
    assert_eq!(asked.request.plan_file_path.as_deref(), Some(FILE));
    assert_eq!(asked.request.call.tool_use_id, "toolu_7");
    let without_a_file = events.recv().await.unwrap();
    assert_eq!(
        (
            &without_a_file.request.plan,
            &without_a_file.request.plan_file_path
        ),
        (&None, &None)
    );
}

#[tokio::test(start_paused = true)]
async fn plan_is_approved() {
    let answer = answer_to(deciding(PlanDecision::approve()), plan())
        .await
        .payload();
    let input = json!({"plan": "# Dig", "planFilePath": FILE});
    let expected = json!({"behavior": "allow", "updatedInput": input, "toolUseID": "toolu_7"});
    assert_eq!(answer, expected);
}

#[tokio::test(start_paused = true)]
async fn plan_is_approved_with_a_mode() {
    let decision = PlanDecision::approve().mode(PermissionMode::AcceptEdits);
    let answer = answer_to(deciding(decision), plan()).await.payload();
    let update = json!({"type": "setMode", "mode": "acceptEdits", "destination": "session"});
    assert_eq!(answer["updatedPermissions"], json!([update]));
}

#[tokio::test(start_paused = true)]
async fn edited_plan_is_approved() {
    let decision = PlanDecision::approve().edited("# Dig deeper");
    let answer = answer_to(deciding(decision), plan()).await.payload();
    assert_eq!(
        answer["updatedInput"],
        json!({"plan": "# Dig deeper", "planFilePath": FILE})
    );
}

#[tokio::test(start_paused = true)]
async fn plan_is_rejected_with_feedback() {
    let rejected = PlanDecision::reject("Deeper.");
    assert_eq!(
        denial(answer_to(deciding(rejected), plan()).await),
        "Deeper."
    );
    let odd = PlanDecision::reject("Deeper.")
        .mode(PermissionMode::AcceptEdits)
        .edited("x");
    assert_eq!(denial(answer_to(deciding(odd), plan()).await), "Deeper.");
}
