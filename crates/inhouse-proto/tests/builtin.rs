//! Inputs of built-in tools: strict about shapes, open to additions.

use inhouse_proto::builtin::*;
use inhouse_proto::hook::{HookEvent, PreToolUse};
use serde_json::{Value, json};

fn call(tool: &str, input: Value) -> PreToolUse {
    let event = json!({
        "session_id": "s", "transcript_path": "/tmp/t", "cwd": "/", "hook_event_name": "PreToolUse",
        "tool_name": tool, "tool_input": input, "tool_use_id": "toolu_1",
    });
    PreToolUse::decode(&event.to_string()).unwrap()
}

/// Decodes an input, and returns how it is serialized.
fn round_trip<T: ToolInput + serde::Serialize>(input: Value) -> Value {
    let decoded: T = call(T::TOOL, input).input_as().unwrap();
    serde_json::to_value(decoded).unwrap()
}

#[test]
fn inputs_are_read_and_written() {
    for input in [
        json!({"command": "ls"}),
        json!({"command": "ls", "timeout": 5.0, "description": "d", "run_in_background": true, "dangerouslyDisableSandbox": true}),
    ] {
        assert_eq!(round_trip::<Bash>(input.clone()), input);
    }
    let input =
        json!({"pattern": "a", "-A": 1.0, "-n": true, "type": "rust", "output_mode": "count"});
    assert_eq!(round_trip::<Grep>(input.clone()), input);
    let input = json!({"todos": [{"content": "c", "status": "in_progress", "activeForm": "f"}]});
    assert_eq!(round_trip::<TodoWrite>(input.clone()), input);
    assert_eq!(round_trip::<EnterPlanMode>(json!({})), json!({}));
    let input = json!({"subject": "s", "description": "d", "metadata": {"a": [1]}});
    assert_eq!(round_trip::<TaskCreate>(input.clone()), input);
}

#[test]
fn tools_have_their_names_on_the_wire() {
    assert_eq!(Edit::TOOL, "Edit");
    assert_eq!(ReadMcpResourceTool::TOOL, "ReadMcpResourceTool");
    assert_eq!(ProposeSkills::TOOL, "propose_skills");
    assert_eq!(AskUserQuestion::TOOL, "AskUserQuestion");
}

#[test]
fn misshapen_and_missing_members_are_errors_that_name_the_member() {
    for (input, expected) in [
        (json!({"command": 5}), "command"),
        (json!({"command": "ls", "timeout": "5"}), "timeout"),
        (
            json!({"command": "ls", "run_in_background": {}}),
            "run_in_background",
        ),
        (json!({}), "command"),
        (json!("ls"), "the input of Bash does not fit"),
    ] {
        let error = call("Bash", input).input_as::<Bash>().unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
    let nested = json!({"todos": [{"content": "c", "status": 1, "activeForm": "f"}]});
    let error = call("TodoWrite", nested)
        .input_as::<TodoWrite>()
        .unwrap_err();
    assert!(error.to_string().contains("todos[0].status"), "{error}");
}

#[test]
fn input_of_another_tool_is_an_error() {
    let error = call("Read", json!({}))
        .input_as::<EnterWorktree>()
        .unwrap_err();
    assert_eq!(
        error,
        InputError::OtherTool {
            expected: "EnterWorktree",
            found: "Read".to_owned(),
        }
    );
}

#[test]
fn additions_of_a_newer_cli_are_accepted() {
    let newer = json!({"pattern": "a", "output_mode": "summary", "colour": "green"});
    let grep: Grep = call("Grep", newer).input_as().unwrap();
    assert_eq!(
        grep.output_mode,
        Some(GrepInputOutputMode::Unknown("summary".to_owned()))
    );
}
