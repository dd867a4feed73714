use std::time::Duration;

use inhouse_proto::engine::{Event, SessionState};
use inhouse_proto::message::Prompt;
use serde_json::{Value, json};

use crate::Host;

fn prompted() -> Host {
    let mut host = Host::new();
    host.engine.send(&Prompt::from("hi")).expect("JSON");
    assert_eq!(host.says()[0]["type"], "user");
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
fn a_result_ends_the_run_of_a_cli_that_reports_no_state() {
    let mut host = prompted();
    assert!(host.engine.awaits_result());
    assert!(ends(&host.hears(result())));
    assert!(!host.engine.awaits_result());
}

#[test]
fn a_result_does_not_end_the_run_while_the_session_is_busy() {
    let mut host = prompted();
    assert!(!ends(&host.hears(state("running"))));
    assert!(!ends(&host.hears(result())));
    assert!(!ends(&host.hears(state("running"))));
    assert!(!ends(&host.hears(
        json!({"type": "assistant", "parent_tool_use_id": null})
    )));
    assert!(!ends(&host.hears(result())));
    assert!(ends(&host.hears(state("idle"))));
}

#[test]
fn states_for_the_host_alone_are_not_messages() {
    let mut host = prompted();
    let events = host.hears(state("running"));
    assert!(matches!(&events[..], [Event::State(SessionState::Running)]));
    let mut visible = state("idle");
    visible["sdk_host_only"] = json!(false);
    let events = host.hears(visible);
    assert!(matches!(
        &events[..],
        [Event::Message(_), Event::State(SessionState::Idle)]
    ));
}

#[test]
fn a_background_agent_outlives_the_result() {
    let mut host = prompted();
    host.hears(task("task_started", json!({"task_type": "local_agent"})));
    assert!(!ends(&host.hears(result())));
    assert_eq!(
        host.engine.poll_timeout(),
        None,
        "not even the ceiling ends it"
    );
    host.hears(task(
        "task_updated",
        json!({"patch": {"status": "running"}}),
    ));
    host.hears(task(
        "task_updated",
        json!({"patch": {"status": "completed"}}),
    ));
    host.hears(json!({"type": "assistant"}));
    assert!(ends(&host.hears(result())));
}

#[test]
fn a_background_shell_does_not() {
    let mut host = prompted();
    host.hears(task("task_started", json!({"task_type": "local_bash"})));
    assert!(ends(&host.hears(result())));
    assert!(host.engine.has_tasks(), "but it is known to be there");
    host.hears(task("task_notification", json!({})));
    assert!(!host.engine.has_tasks());
}

#[test]
fn the_ceiling_ends_a_run_that_stays_silent() {
    let mut host = prompted();
    host.hears(state("running"));
    host.hears(result());
    assert!(!ends(&host.waits(Duration::from_secs(599))));
    assert!(ends(&host.waits(Duration::from_secs(1))));
}

#[test]
fn a_subagent_that_speaks_does_not_stop_the_ceiling() {
    let mut host = prompted();
    host.hears(state("running"));
    host.hears(result());
    host.hears(json!({"type": "assistant", "parent_tool_use_id": "toolu_1"}));
    assert!(ends(&host.waits(Duration::from_secs(600))));
}

#[test]
fn who_spoke_is_looked_up_once_it_matters() {
    for (parent, goes_on) in [("null", true), ("\"toolu_1\"", false)] {
        let mut host = prompted();
        host.hears(state("running"));
        host.hears(result());
        // In the form in which the CLI writes it.
        host.hears(format!(
            "{{\"type\":\"assistant\",\"message\":{{\"content\":[]}},\"parent_tool_use_id\":{parent}}}"
        ));
        let ended = ends(&host.waits(Duration::from_secs(600)));
        assert_eq!(ended, !goes_on, "{parent}");
    }
}

#[test]
fn another_prompt_opens_another_run() {
    let mut host = prompted();
    assert!(ends(&host.hears(result())));
    host.engine.send(&Prompt::from("more")).expect("JSON");
    assert!(host.engine.awaits_result());
    assert!(ends(&host.hears(result())));
}

#[test]
fn a_run_whose_result_was_lost_ends_unanswered() {
    let mut host = prompted();
    host.hears(state("running"));
    host.hears(r#"{"type":"result","result":"cut of"#);
    let events = host.hears(state("idle"));
    assert!(matches!(
        events[..],
        [Event::State(_), Event::RunEnded { answered: false }]
    ));
}

#[test]
fn a_result_in_a_line_that_was_torn_is_lost_too() {
    let said = r#"{"type":"assistant","message":{"content":[{"type":"te"#;
    let torn = format!("{said}{}", r#"{"type":"result","subtype":"success"}"#);
    let mut host = prompted();
    host.hears(state("running"));
    host.hears(&torn);
    assert!(ends(&host.hears(state("idle"))));

    let mut silent = prompted();
    silent.hears(&torn);
    assert!(ends(&silent.waits(Duration::from_secs(600))));
}

#[test]
fn noise_is_no_lost_result() {
    let mut host = prompted();
    host.hears("Warning: something");
    assert_eq!(host.engine.poll_timeout(), None);
}
