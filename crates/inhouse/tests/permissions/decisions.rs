//! The wire form of each decision.

use inhouse::permission::{CanUseTool, Decision, DecisionClassification};
use inhouse::{Asked, Options};
use serde_json::{Value, json};

use crate::support::{answer_to, bash, payload_of};

#[tokio::test(start_paused = true)]
async fn allow_always_has_the_input() {
    assert_eq!(
        payload_of(Decision::allow()).await,
        json!({"behavior": "allow", "updatedInput": {"command": "touch asked"}, "toolUseID": "toolu_7"})
    );
}

#[tokio::test(start_paused = true)]
async fn allow_can_change_the_input() {
    let answer =
        payload_of(Decision::allow().input(json!({"command": "ls", "timeout": null}))).await;
    // Changed input is sent unchanged, including `null`.
    assert_eq!(
        answer["updatedInput"],
        json!({"command": "ls", "timeout": null})
    );
}

#[tokio::test(start_paused = true)]
async fn changed_input_that_is_not_an_object_denies_the_call() {
    for wrong in [json!(null), json!("ls"), json!(["ls"])] {
        let answer = payload_of(Decision::allow().input(wrong)).await;
        assert_eq!(answer["behavior"], "deny");
        let message = answer["message"].as_str().unwrap();
        assert!(message.contains("not a JSON object"), "{message}");
        assert_eq!(answer["toolUseID"], "toolu_7");
    }
}

#[tokio::test(start_paused = true)]
async fn deny_always_has_a_message() {
    assert_eq!(
        payload_of(Decision::deny("not here")).await,
        json!({"behavior": "deny", "message": "not here", "toolUseID": "toolu_7"})
    );
    assert_eq!(payload_of(Decision::deny("")).await["message"], "");
}

#[tokio::test(start_paused = true)]
async fn deny_can_interrupt_the_turn() {
    assert_eq!(
        payload_of(Decision::deny("enough").interrupt()).await,
        json!({"behavior": "deny", "message": "enough", "interrupt": true, "toolUseID": "toolu_7"})
    );
}

#[tokio::test(start_paused = true)]
async fn setters_of_the_other_decision_have_no_effect() {
    let allowed = payload_of(Decision::allow().interrupt()).await;
    assert_eq!(allowed, payload_of(Decision::allow()).await);
    let denied = Decision::deny("no").input(json!({})).remember_suggestions();
    assert_eq!(
        payload_of(denied).await,
        payload_of(Decision::deny("no")).await
    );
}

#[tokio::test(start_paused = true)]
async fn decision_can_have_a_classification() {
    let kinds = [
        (DecisionClassification::UserTemporary, "user_temporary"),
        (DecisionClassification::UserPermanent, "user_permanent"),
        (DecisionClassification::UserReject, "user_reject"),
    ];
    for (kind, wire) in kinds {
        for decision in [Decision::allow(), Decision::deny("no")] {
            let answer = payload_of(decision.classify(kind.clone())).await;
            assert_eq!(answer["decisionClassification"], wire);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn always_allow_sends_the_suggestions_back_without_their_nulls() {
    let options = Options::new()
        .permissions(async |_: Asked<CanUseTool>| Ok(Decision::allow().remember_suggestions()));
    let mut question = bash("touch asked");
    question["permission_suggestions"] = json!([
        {
            "type": "addRules",
            "rules": [{"toolName": "Bash", "ruleContent": null}, {"toolName": "Read", "ruleContent": "a"}],
            "behavior": "allow",
            "destination": "localSettings",
        },
        {"type": "addDirectories", "directories": ["/srv"], "destination": "session"},
        {"type": "inventedTomorrow", "value": 5},
    ]);
    let answer = answer_to(options, question).await.payload();
    let expected = json!([
        {
            "type": "addRules",
            "rules": [{"toolName": "Bash"}, {"toolName": "Read", "ruleContent": "a"}],
            "behavior": "allow",
            "destination": "localSettings",
        },
        {"type": "addDirectories", "directories": ["/srv"], "destination": "session"},
        {"type": "inventedTomorrow", "value": 5},
    ]);
    assert_eq!(answer["updatedPermissions"], expected);
}

#[tokio::test(start_paused = true)]
async fn always_allow_without_suggestions_allows_once() {
    let answer = payload_of(Decision::allow().remember_suggestions()).await;
    assert_eq!(answer, payload_of(Decision::allow()).await);
    assert_eq!(answer.get("updatedPermissions"), None::<&Value>);
}
