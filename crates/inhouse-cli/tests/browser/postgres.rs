//! The fleet page: each test has a fleet in a database, and runs a scenario of `fleet.mjs`.

use std::process::Stdio;

use inhouse_fleet::WorkId;
use inhouse_fleet::postgres::{Event, FleetError, FleetErrorKind, WorkState};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::task::{JoinHandle, block_in_place};
use tokio::time::timeout;

use crate::fleet::{LIMIT, TestFleet};

/// Starts a scenario.
fn start(fleet: &TestFleet, name: &str) -> Child {
    let command = crate::command("fleet.mjs", name);
    let mut command = Command::from(command);
    command.env("INHOUSE_STORE", fleet.server.url());
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    command.stderr(Stdio::piped()).kill_on_drop(true);
    command.spawn().expect("node starts")
}

/// Runs a scenario to its end.
async fn scenario(fleet: &TestFleet, name: &str) {
    finish(name, start(fleet, name)).await;
}

async fn finish(name: &str, scenario: Child) {
    let output = timeout(LIMIT, scenario.wait_with_output()).await;
    let output = output.expect("the scenario ends").unwrap();
    let [printed, problem] =
        [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(
        output.status.success(),
        "{name}: {}\n{printed}{problem}",
        output.status
    );
}

/// Fills a fleet with a host, a running and a waiting session, one that is behind another, a parked prompt and two questions.
async fn fill(fleet: &TestFleet) -> JoinHandle<Result<(), FleetError>> {
    let host = fleet.serve("agents-1", 2);
    fleet.parked("eve", "Fail <b>badly</b> & loudly").await;
    fleet.asked("dora", "Ask before the refund").await;
    fleet.asked("finn", "Choose a colour").await;
    fleet.running("ada", "Hold the line").await;
    fleet.running("bob", "Hold on").await;
    fleet.enqueue("ada", "Wait behind the line").await;
    fleet.enqueue("cleo", "Wait for a slot").await;
    host
}

#[tokio::test(flavor = "multi_thread")]
async fn page_shows_queue_hosts_sessions_parked_work_and_questions() {
    let fleet = TestFleet::start().await;
    let _host = fill(&fleet).await;
    scenario(&fleet, "renders").await;
    // The pictures of the guide.
    if std::env::var_os("INHOUSE_FLEET_PICTURES").is_some() {
        scenario(&fleet, "pictures").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn both_themes_have_readable_contrast() {
    let fleet = TestFleet::start().await;
    let _host = fill(&fleet).await;
    scenario(&fleet, "themes").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn actions_reach_the_fleet() {
    let fleet = TestFleet::start().await;
    let host = fill(&fleet).await;
    let work = |session: &'static str| work_of(&fleet, session);
    let (asked, chosen) = (work("dora").await, work("finn").await);
    let (held, stopped) = (work("ada").await, work("bob").await);
    let (waiting, parked) = (work("cleo").await, parked_work(&fleet).await);
    scenario(&fleet, "actions").await;

    assert_eq!(fleet.answer(asked).await, r#"Deny("Not on a Sunday")"#);
    let choice = fleet.answer(chosen).await;
    assert!(
        choice.contains(r#""Which colour?": String("Blue")"#),
        "{choice}"
    );
    fleet
        .until(stopped, |event| matches!(event, Event::Cancelled))
        .await;
    let error = fleet.fleet.result(&waiting).await.unwrap_err();
    assert_eq!(error.kind(), FleetErrorKind::Parked);
    // Retried, and parked again by the script of its host.
    let mut attempts = 0;
    fleet
        .until(parked, |event| matches!(event, Event::Parked(_)))
        .await;
    let mut events = fleet.fleet.watch(&parked).await.unwrap();
    while let Some(Ok(event)) = events.next().await {
        attempts += usize::from(matches!(
            event,
            Event::Started { .. } | Event::Resumed { .. }
        ));
    }
    assert_eq!(attempts, 2);
    let ended = timeout(LIMIT, host).await.expect("the drained host ends");
    ended.unwrap().unwrap();
    let state = fleet.fleet.work(&held).await.unwrap().state;
    assert_eq!(state, WorkState::Queued, "the drained host hands over");
}

#[tokio::test(flavor = "multi_thread")]
async fn other_pages_and_names_cannot_act() {
    let fleet = TestFleet::start().await;
    let work = fleet.enqueue("ada", "Stay in the queue").await;
    scenario(&fleet, "forged").await;
    let state = fleet.fleet.work(&work).await.unwrap().state;
    assert_eq!(state, WorkState::Queued);
}

#[tokio::test(flavor = "multi_thread")]
async fn page_follows_the_fleet_and_survives_its_database() {
    let mut fleet = TestFleet::start().await;
    fleet.enqueue("ada", "Wait").await;
    let mut scenario = start(&fleet, "live");
    let mut input = scenario.stdin.take().unwrap();
    let mut lines = BufReader::new(scenario.stdout.take().unwrap()).lines();
    let mut wait_for = async |wanted: &str| {
        let line = timeout(LIMIT, lines.next_line()).await;
        let line = line.expect("the scenario continues").unwrap();
        assert_eq!(line.as_deref(), Some(wanted));
    };

    wait_for("shown").await;
    block_in_place(|| fleet.server.crash());
    input.write_all(b"crashed\n").await.unwrap();
    wait_for("problem shown").await;
    block_in_place(|| fleet.server.restart()).unwrap();
    input.write_all(b"restarted\n").await.unwrap();
    finish("live", scenario).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn document_stays_small_with_5_000_sessions() {
    let fleet = TestFleet::start().await;
    fleet.fleet.migrate().await.unwrap();
    let pool = sqlx::PgPool::connect(&fleet.server.url()).await.unwrap();
    let prompts = "select inhouse.enqueue('session-' || number, 'Prompt ' || number) from generate_series(0, 4999) number";
    sqlx::query(prompts).execute(&pool).await.unwrap();
    scenario(&fleet, "thousands").await;
}

/// Returns the open work of a session.
async fn work_of(fleet: &TestFleet, session: &str) -> WorkId {
    let status = fleet.fleet.status().await.unwrap();
    let found = status.sessions.iter().find(|open| open.name == session);
    found.expect("the session has open work").work
}

async fn parked_work(fleet: &TestFleet) -> WorkId {
    let status = fleet.fleet.status().await.unwrap();
    status.parked.first().expect("a work item is parked").work
}
