use std::time::Duration;

use inhouse_proto::engine::Event;
use inhouse_proto::message::Prompt;
use inhouse_proto::message::SessionState;
use serde_json::{Value, json};

use crate::Host;

fn prompted() -> Host {
    let mut host = Host::new();
    host.engine.send(&Prompt::from("hi")).expect("JSON");
    assert_eq!(host.sent()[0]["type"], "user");
    host
}

fn state(state: &str) -> Value {
    json!({"type": "system", "subtype": "session_state_changed", "state": state, "sdk_host_only": true})
}

fn result() -> Value {
    json!({"type": "result", "subtype": "success", "is_error": false, "session_id": "s"})
}

fn task(subtype: &str, more: Value) -> Value {
    let mut line = json!({"type": "system", "subtype": subtype, "task_id": "t1"});
    line.as_object_mut()
        .expect("an object")
        .extend(more.as_object().expect("an object").clone());
    line
}

fn ends(events: &[Event]) -> bool {
    events
        .iter()
        .any(|event| matches!(event, Event::RunEnded { .. }))
}

#[test]
fn result_without_reported_states_ends_the_run() {
    let mut host = prompted();
    assert!(host.engine.awaits_result());
    assert!(ends(&host.receive(result())));
    assert!(!host.engine.awaits_result());
}

#[test]
fn result_does_not_end_the_run_while_the_session_is_running() {
    let mut host = prompted();
    assert!(!ends(&host.receive(state("running"))));
    assert!(!ends(&host.receive(result())));
    assert!(!ends(&host.receive(state("running"))));
    assert!(!ends(&host.receive(
        json!({"type": "assistant", "parent_tool_use_id": null})
    )));
    assert!(!ends(&host.receive(result())));
    assert!(ends(&host.receive(state("idle"))));
}

#[test]
fn host_only_states_are_not_messages() {
    let mut host = prompted();
    let events = host.receive(state("running"));
    assert!(matches!(&events[..], [Event::State(SessionState::Running)]));
    let mut visible = state("idle");
    visible["sdk_host_only"] = json!(false);
    let events = host.receive(visible);
    assert!(matches!(
        &events[..],
        [Event::Message(_), Event::State(SessionState::Idle)]
    ));
}

#[test]
fn background_agent_keeps_the_run_open() {
    let mut host = prompted();
    host.receive(task("task_started", json!({"task_type": "local_agent"})));
    assert!(!ends(&host.receive(result())));
    assert_eq!(host.engine.poll_timeout(), None, "no deadline is set");
    host.receive(task(
        "task_updated",
        json!({"patch": {"status": "running"}}),
    ));
    host.receive(task(
        "task_updated",
        json!({"patch": {"status": "completed"}}),
    ));
    host.receive(json!({"type": "assistant"}));
    assert!(ends(&host.receive(result())));
}

#[test]
fn background_shell_does_not_keep_the_run_open() {
    let mut host = prompted();
    host.receive(task("task_started", json!({"task_type": "local_bash"})));
    assert!(ends(&host.receive(result())));
    assert!(host.engine.has_tasks(), "the shell is still tracked");
    host.receive(task("task_notification", json!({})));
    assert!(!host.engine.has_tasks());
}

#[test]
fn ceiling_ends_a_run_without_activity() {
    let mut host = prompted();
    host.receive(state("running"));
    host.receive(result());
    assert!(!ends(&host.advance(Duration::from_secs(599))));
    assert!(ends(&host.advance(Duration::from_secs(1))));
}

#[test]
fn message_of_a_subagent_does_not_stop_the_ceiling() {
    let mut host = prompted();
    host.receive(state("running"));
    host.receive(result());
    host.receive(json!({"type": "assistant", "parent_tool_use_id": "toolu_1"}));
    assert!(ends(&host.advance(Duration::from_secs(600))));
}

#[test]
fn only_the_main_thread_stops_the_ceiling_after_a_result() {
    for (parent, continues) in [("null", true), ("\"toolu_1\"", false)] {
        let mut host = prompted();
        host.receive(state("running"));
        host.receive(result());
        // In the layout in which the CLI writes it, which the fast path recognizes.
        host.receive(format!(
            "{{\"type\":\"assistant\",\"message\":{{\"content\":[]}},\"parent_tool_use_id\":{parent}}}"
        ));
        let ended = ends(&host.advance(Duration::from_secs(600)));
        assert_eq!(ended, !continues, "{parent}");
    }
}

#[test]
fn second_prompt_starts_a_run() {
    let mut host = prompted();
    assert!(ends(&host.receive(result())));
    host.engine.send(&Prompt::from("more")).expect("JSON");
    assert!(host.engine.awaits_result());
    assert!(ends(&host.receive(result())));
}

#[test]
fn run_with_a_lost_result_ends_unanswered() {
    let mut host = prompted();
    host.receive(state("running"));
    host.receive(r#"{"type":"result","result":"cut of"#);
    let events = host.receive(state("idle"));
    assert!(matches!(
        events[..],
        [Event::State(_), Event::RunEnded { answered: false }]
    ));
}

#[test]
fn result_behind_a_truncated_message_is_lost() {
    let start = r#"{"type":"assistant","message":{"content":[{"type":"te"#;
    let truncated = format!("{start}{}", r#"{"type":"result","subtype":"success"}"#);
    let mut host = prompted();
    host.receive(state("running"));
    host.receive(&truncated);
    assert!(ends(&host.receive(state("idle"))));

    let mut silent = prompted();
    silent.receive(&truncated);
    assert!(ends(&silent.advance(Duration::from_secs(600))));
}

#[test]
fn line_that_is_not_an_object_is_not_a_lost_result() {
    let mut host = prompted();
    host.receive("Warning: something");
    assert_eq!(host.engine.poll_timeout(), None);
}
