//! Parallel tool calls, whose results are branches of the transcript.

use serde_json::{Value, json};

use crate::support::{assistant, call, entry, messages, result, user};

/// Two calls in one response, as CLI 2.1.325 writes them.
fn two_calls() -> Vec<String> {
    vec![
        user("a", ""),
        call("call 1", "a", "m", "t1"),
        call("call 2", "call 1", "m", "t2"),
        result("result 1", "call 1", "t1"),
        result("result 2", "call 2", "t2"),
        assistant("z", "result 2"),
    ]
}

/// Adds members to an entry.
fn with(line: &str, members: Value) -> String {
    let mut line: Value = serde_json::from_str(line).unwrap();
    let members = members.as_object().unwrap().clone();
    line.as_object_mut().unwrap().extend(members);
    line.to_string()
}

#[test]
fn result_of_a_parallel_call_is_on_a_branch() {
    assert_eq!(
        messages(&two_calls()),
        ["a", "call 1", "call 2", "result 1", "result 2", "z"]
    );
}

#[test]
fn calls_that_are_siblings_are_inserted_before_results() {
    let lines = [
        user("a", ""),
        call("call 1", "a", "m", "t1"),
        call("call 2", "a", "m", "t2"),
        call("call 3", "a", "m", "t3"),
        result("result 3", "call 3", "t3"),
        result("result 2", "call 2", "t2"),
        result("result 1", "call 1", "t1"),
        assistant("z", "result 1"),
    ];
    let expected = [
        "a", "call 1", "call 2", "call 3", "result 3", "result 2", "result 1", "z",
    ];
    assert_eq!(messages(&lines), expected);
}

#[test]
fn inserted_entries_are_ordered_by_time() {
    let mut lines = two_calls();
    lines.insert(3, call("call 3", "call 1", "m", "t3"));
    lines.insert(4, result("result 3", "call 3", "t3"));
    lines[4] = with(&lines[4], json!({"timestamp": "2026-01-01T00:00:02Z"}));
    lines[5] = with(&lines[5], json!({"timestamp": "2026-01-01T00:00:01Z"}));
    assert_eq!(
        messages(&lines),
        [
            "a", "call 1", "call 2", "call 3", "result 1", "result 3", "result 2", "z"
        ]
    );
}

#[test]
fn result_is_found_by_its_source_or_its_call() {
    for members in [json!({"sourceToolAssistantUUID": "call 1"}), json!({})] {
        let mut lines = two_calls();
        lines[3] = with(&result("result 1", "elsewhere", "t1"), members);
        assert_eq!(
            messages(&lines),
            ["a", "call 1", "call 2", "result 1", "result 2", "z"]
        );
    }
}

#[test]
fn distant_result_of_an_answered_call_is_left_out() {
    let mut lines = two_calls();
    lines.insert(5, result("again", "elsewhere", "t2"));
    lines.insert(6, result("first again", "elsewhere", "t1"));
    assert_eq!(
        messages(&lines),
        ["a", "call 1", "call 2", "result 1", "result 2", "z"]
    );
}

#[test]
fn distant_result_of_another_agent_is_left_out() {
    let mut lines = two_calls();
    lines[3] = with(
        &result("result 1", "elsewhere", "t1"),
        json!({"agentId": "x"}),
    );
    assert_eq!(messages(&lines), ["a", "call 1", "call 2", "result 2", "z"]);
}

#[test]
fn call_id_of_two_responses_is_ambiguous() {
    let mut lines = two_calls();
    lines[3] = result("result 1", "elsewhere", "t1");
    lines.insert(0, call("other", "", "other response", "t1"));
    assert_eq!(messages(&lines), ["a", "call 1", "call 2", "result 2", "z"]);
}

#[test]
fn abandoned_response_is_not_inserted() {
    let mut lines = two_calls();
    lines.push(user("b", "a"));
    lines.push(entry(
        "assistant",
        "c",
        "b",
        json!({"message": {"id": "n", "content": []}}),
    ));
    assert_eq!(messages(&lines), ["a", "b", "c"]);
}
