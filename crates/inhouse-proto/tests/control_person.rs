//! Tests of requests to the user: questions and plans that arrive as tool calls, elicitations, and their answers.

use inhouse_proto::control::incoming::{
    AllowDecision, CanUseTool, ElicitationAnswer, ExitPlanMode, IncomingRequest,
    PermissionDecision, QuestionAnswers,
};
use serde_json::{Map, Value, json};

fn call(tool: &str, input: Value) -> CanUseTool {
    let request = json!({
        "subtype": "can_use_tool", "tool_name": tool, "input": input, "tool_use_id": "toolu_7",
    });
    let request = IncomingRequest::read(request.to_string().into());
    request.decode().expect("a permission request")
}

fn members(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        other => panic!("expected an object, got {other}"),
    }
}

#[test]
fn call_without_an_input_is_rejected() {
    let requests = [
        r#"{"subtype": "can_use_tool", "tool_name": "Bash", "tool_use_id": "t", "input": null}"#,
        r#"{"subtype": "can_use_tool", "tool_name": "Bash", "tool_use_id": "t"}"#,
        r#"{"subtype": "can_use_tool", "tool_name": "Bash", "tool_use_id": "t", "input": {"command": "ls"}, "input": null}"#,
    ];
    for request in requests {
        let decoded = IncomingRequest::read(request.to_owned().into()).decode::<CanUseTool>();
        assert!(decoded.is_err(), "{request}");
    }
}

#[test]
fn questions_are_decoded_from_the_input_of_the_tool() {
    let input = json!({
        "questions": [{
            "question": "Which?", "header": "W", "multiSelect": true, "newer": 1,
            "options": [{"label": "a", "description": "b", "preview": "c", "newer": 2}],
        }],
        "metadata": {"source": "remember"},
        "newer": 3,
    });
    let asked = call("AskUserQuestion", input.clone()).as_question();
    let asked = asked.unwrap().unwrap();
    assert_eq!(asked.questions[0].options[0].preview.as_deref(), Some("c"));

    // Descriptions and headers are optional, but one of the wrong type is an error.
    let mut minimal = json!({"questions": [{"question": "Which?", "options": [{"label": "a"}]}]});
    let asked = call("AskUserQuestion", minimal.clone()).as_question();
    assert_eq!(asked.unwrap().unwrap().questions[0].header, None);
    minimal["questions"][0]["header"] = json!(5);
    let asked = call("AskUserQuestion", minimal).as_question();
    assert!(asked.unwrap().is_err());

    assert!(call("Bash", input).as_question().is_none());
    let invalid = call("AskUserQuestion", json!({"questions": 5}));
    assert!(invalid.as_question().unwrap().is_err());
}

#[test]
fn answers_are_added_to_the_input() {
    let mut answers = QuestionAnswers::default();
    answers
        .answers
        .insert("Which?".to_owned(), "a, b".to_owned());
    let note = answers.annotations.entry("Which?".to_owned()).or_default();
    note.notes = Some("both".to_owned());
    let input = members(json!({"questions": [], "answers": {"stale": "x"}}));
    let expected = json!({
        "questions": [],
        "answers": {"Which?": "a, b"},
        "annotations": {"Which?": {"notes": "both"}},
    });
    assert_eq!(Value::Object(answers.answered_input(input)), expected);
}

#[test]
fn plan_is_decoded_from_the_input_of_the_tool() {
    let input = json!({"plan": "# Dig", "planFilePath": "/plans/dig.md", "newer": 1});
    let plan = call("ExitPlanMode", input.clone()).as_plan();
    let plan = plan.unwrap().unwrap();
    assert_eq!(plan.plan.as_deref(), Some("# Dig"));
    assert_eq!(plan.plan_file_path.as_deref(), Some("/plans/dig.md"));
    assert_eq!(
        call("ExitPlanMode", json!({}))
            .as_plan()
            .unwrap()
            .unwrap()
            .plan,
        None
    );
    assert!(call("Bash", json!({})).as_plan().is_none());

    let edited = ExitPlanMode::edited_input(members(input), "# Deeper".to_owned());
    let expected = json!({"plan": "# Deeper", "planFilePath": "/plans/dig.md", "newer": 1});
    assert_eq!(Value::Object(edited), expected);
}

#[test]
fn rules_are_sent_without_nulls() {
    let rules = json!([{"toolName": "Bash", "ruleContent": null}]);
    let update =
        json!({"type": "addRules", "rules": rules, "behavior": "allow", "destination": "session"});
    let mut allow = AllowDecision::new(members(json!({"timeout": null})));
    allow.updated_permissions = Some(vec![serde_json::from_value(update).unwrap()]);
    let sent = serde_json::to_value(PermissionDecision::from(allow)).unwrap();
    assert_eq!(
        sent["updatedPermissions"][0]["rules"],
        json!([{"toolName": "Bash"}])
    );
    assert_eq!(
        sent["updatedInput"],
        json!({"timeout": null}),
        "the input is sent unchanged"
    );
}

#[test]
fn elicitation_form_must_be_an_object() {
    let filled_in = ElicitationAnswer::accept(&json!({"region": "north"})).unwrap();
    let expected = json!({"action": "accept", "content": {"region": "north"}});
    assert_eq!(serde_json::to_value(filled_in).unwrap(), expected);
    let agreed = serde_json::to_value(ElicitationAnswer::accept_url()).unwrap();
    assert_eq!(agreed, json!({"action": "accept"}));
    ElicitationAnswer::accept(&["north"]).unwrap_err();
}
