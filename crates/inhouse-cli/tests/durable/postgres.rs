//! The command and the database that it works on.

use std::process::{Output, Stdio};

use inhouse_fleet::WorkId;
use inhouse_fleet::postgres::{Event, WorkState};
use serde_json::Value;
use tokio::process::Command;
use tokio::time::timeout;

use crate::fleet::{LIMIT, TestFleet};

/// Runs `inhouse fleet` with the database in the environment.
async fn inhouse(url: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_inhouse"));
    command.arg("fleet").args(arguments);
    command
        .env("INHOUSE_STORE", url)
        .env_remove("RUST_BACKTRACE");
    command.stdin(Stdio::null()).kill_on_drop(true);
    let output = timeout(LIMIT, command.output()).await;
    output.expect("the command ends").unwrap()
}

/// Runs a command that succeeds, and returns what it prints.
async fn succeed(fleet: &TestFleet, arguments: &[&str]) -> String {
    let output = inhouse(&fleet.server.url(), arguments).await;
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {stderr}");
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a command that fails, and returns the error.
async fn fail(fleet: &TestFleet, arguments: &[&str]) -> String {
    let output = inhouse(&fleet.server.url(), arguments).await;
    assert!(!output.status.success(), "{arguments:?} succeeded");
    String::from_utf8(output.stderr).unwrap()
}

async fn state(fleet: &TestFleet, work: WorkId) -> WorkState {
    fleet.fleet.work(&work).await.unwrap().state
}

#[tokio::test(flavor = "multi_thread")]
async fn status_shows_queue_hosts_sessions_parked_work_and_questions() {
    let fleet = TestFleet::start().await;
    let empty = succeed(&fleet, &[]).await;
    assert!(empty.contains("No prompt waits for an answer"), "{empty}");
    assert!(empty.contains("No host serves this fleet"), "{empty}");

    let _host = fleet.serve("agents-1", 4);
    let running = fleet.running("ada", "Hold the line").await;
    fleet.enqueue("ada", "And then this").await;
    let parked = fleet.parked("bob", "Fail badly").await;
    let question = fleet.asked("cleo", "Ask first").await;

    let text = succeed(&fleet, &["status"]).await;
    for expected in [
        "agents-1",
        "/4",
        "The oldest unanswered prompt has waited for",
        "ada",
        "Hold the line",
        &running.to_string(),
        &parked.to_string(),
        "the CLI exited with code 1: Fail badly",
        &question.id.to_string(),
        "mcp__bank__refund",
    ] {
        assert!(text.contains(expected), "{expected} is not in:\n{text}");
    }

    let json = succeed(&fleet, &["status", "--json"]).await;
    let status: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(status["queue"]["parked"], 1);
    assert_eq!(status["queue"]["questions"], 1);
    assert_eq!(status["queue"]["oldest"]["session"], "ada");
    assert_eq!(status["hosts"][0]["name"], "agents-1");
    assert_eq!(status["parked"][0]["work"], parked.to_string());
    assert_eq!(
        status["questions"][0]["question"]["tool"],
        "mcp__bank__refund"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn prompts_are_parked_retried_and_cancelled() {
    let fleet = TestFleet::start().await;
    let first = fleet.enqueue("ada", "Hold one").await;
    let second = fleet.enqueue("ada", "Two").await;

    let text = succeed(
        &fleet,
        &["park", &first.to_string(), "--reason", "Not today"],
    )
    .await;
    assert!(text.contains("is parked"), "{text}");
    let parked = fleet.fleet.work(&first).await.unwrap();
    assert_eq!(parked.state, WorkState::Parked);
    assert_eq!(parked.reason.as_deref(), Some("Not today"));

    succeed(&fleet, &["retry", &first.to_string()]).await;
    assert_eq!(state(&fleet, first).await, WorkState::Queued);
    let error = fail(&fleet, &["retry", &first.to_string()]).await;
    assert!(error.contains("not parked"), "{error}");

    // A running one is stopped by its host, and the next one begins.
    let _host = fleet.serve("agents-1", 4);
    fleet
        .until(first, |event| matches!(event, Event::Started { .. }))
        .await;
    let json = succeed(&fleet, &["cancel", &first.to_string(), "--json"]).await;
    let report: Value = serde_json::from_str(&json).unwrap();
    assert!(
        report["message"].as_str().unwrap().contains("running"),
        "{json}"
    );
    fleet
        .until(first, |event| matches!(event, Event::Cancelled))
        .await;
    assert_eq!(fleet.answer(second).await, "done");
    let error = fail(&fleet, &["cancel", &second.to_string()]).await;
    assert!(
        error.contains("is done and cannot become cancelled"),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_continue_the_turn() {
    let fleet = TestFleet::start().await;
    let _host = fleet.serve("agents-1", 4);
    let asked = ["ada", "bob", "cleo"].map(|session| fleet.asked(session, "Ask first"));
    let [allowed, denied, changed] = asked;
    let (allowed, denied, changed) = (allowed.await, denied.await, changed.await);

    succeed(&fleet, &["answer", &allowed.id.to_string(), "allow"]).await;
    assert_eq!(fleet.answer(allowed.work).await, "Allow");
    let id = denied.id.to_string();
    let error = fail(&fleet, &["answer", &id, "deny"]).await;
    assert!(error.contains("<REASON>"), "{error}");
    succeed(&fleet, &["answer", &id, "deny", "Too much"]).await;
    assert_eq!(fleet.answer(denied.work).await, r#"Deny("Too much")"#);
    let id = changed.id.to_string();
    succeed(
        &fleet,
        &["answer", &id, "allow", "--input", r#"{"dollars":4}"#],
    )
    .await;
    assert!(fleet.answer(changed.work).await.contains("Number(4)"));

    let error = fail(&fleet, &["answer", &id, "allow"]).await;
    assert!(error.contains("the question has an answer"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn drained_host_hands_over_and_ends() {
    let fleet = TestFleet::start().await;
    let host = fleet.serve("agents-1", 4);
    let work = fleet.running("ada", "Hold the line").await;
    succeed(&fleet, &["drain", "agents-1"]).await;
    let ended = timeout(LIMIT, host).await.expect("the host ends");
    ended.unwrap().unwrap();
    assert_eq!(state(&fleet, work).await, WorkState::Queued);
    let error = fail(&fleet, &["drain", "agents-1"]).await;
    assert!(error.contains("inhouse fleet status"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_say_what_to_do_and_have_no_password() {
    // Nothing listens on port 1.
    let url = "postgres://agent:hunter2@127.0.0.1:1/agents?password=hunter2";
    let output = inhouse(url, &["status"]).await;
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success());
    assert!(error.contains("check that its server runs"), "{error}");
    assert!(!error.contains("hunter2"), "{error}");

    let output = inhouse("mysql://agent:hunter2@127.0.0.1/agents", &["status"]).await;
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        error.contains("PostgreSQL") && !error.contains("hunter2"),
        "{error}"
    );

    let fleet = TestFleet::start().await;
    let unknown = WorkId::new().to_string();
    let error = fail(&fleet, &["cancel", &unknown]).await;
    assert!(
        error.contains(&unknown) && error.contains("inhouse fleet status"),
        "{error}"
    );
    let error = fail(&fleet, &["--web", "status"]).await;
    assert!(error.contains("leave out the command"), "{error}");
}
