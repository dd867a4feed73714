//! Failures that say nothing about the prompt, and hosts that cannot run anything.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use inhouse_fleet::{HostError, HostErrorKind, Work};
use inhouse_testkit::engine_battery::ScriptedTurn;

use super::support::{Database, answer, quick};

const LONG: Duration = Duration::from_secs(3600);

/// A store that is unavailable is not the fault of a prompt, but the prompt must not be tried at full speed either.
#[tokio::test]
async fn pause_grows_after_attempts_that_do_not_count() {
    let database = Database::create().await;
    let fleet = quick(&database.store).retry_pause(Duration::from_millis(20), LONG);
    let _host = database.host_of(&fleet, 1, async |_: Arc<ScriptedTurn>| {
        Err(HostError::new(HostErrorKind::Store, "no connection"))
    });
    let work = fleet.enqueue(Work::new("a", "prompt")).await.unwrap();
    database
        .until("select ready_at > clock_timestamp() + interval '1 second' from inhouse.session where state = 'delayed'")
        .await;
    assert_eq!(fleet.work(&work).await.unwrap().attempts, 0);
}

/// A host that fails at once always has a free slot.
#[tokio::test]
async fn host_that_fails_every_prompt_does_not_attract_the_queue() {
    const PROMPTS: usize = 20;
    let database = Database::create().await;
    let fleet = quick(&database.store).retry_pause(LONG, LONG);
    let mut works = Vec::new();
    for number in 0..PROMPTS {
        let work = Work::new(format!("s{number}"), "prompt");
        works.push(fleet.enqueue(work).await.unwrap());
    }
    let broken = database.host_of(&fleet, 1, async |_: Arc<ScriptedTurn>| {
        Err(HostError::new(HostErrorKind::Workspace, "the disk is full"))
    });
    database
        .until("select count(*) >= 2 from inhouse.work where attempts = 1")
        .await;
    let good = database.host(1, answer);
    database
        .until("select count(*) = 0 from inhouse.session where state in ('ready', 'running')")
        .await;
    let failed: i64 = sqlx::query_scalar("select count(*) from inhouse.work where attempts > 0")
        .fetch_one(database.store.pool())
        .await
        .unwrap();
    assert_eq!(failed, 2);
    broken.shut_down().await;
    // What has failed is tried again.
    database
        .execute("update inhouse.session set ready_at = clock_timestamp() where state = 'delayed'")
        .await;
    join_all(works.into_iter().map(|work| database.answer_to(work))).await;
    good.shut_down().await;
}

/// One prompt that always fails is no reason to serve the others later.
#[tokio::test]
async fn host_with_one_failing_prompt_claims_the_others_at_once() {
    let database = Database::create().await;
    let fleet = quick(&database.store).retry_pause(LONG, LONG);
    let _host = database.host_of(&fleet, 1, async |turn: Arc<ScriptedTurn>| {
        match &*turn.work.prompt {
            "poison" => Err(HostError::new(HostErrorKind::Agent, "the CLI choked")),
            _ => answer(turn).await,
        }
    });
    for number in 0..3 {
        let poison = Work::new(format!("poison-{number}"), "poison");
        fleet.enqueue(poison).await.unwrap();
        database
            .until("select count(*) = 0 from inhouse.session where state in ('ready', 'running')")
            .await;
        let good = Work::new(format!("good-{number}"), "prompt");
        let good = fleet.enqueue(good).await.unwrap();
        database.answer_to(good).await;
    }
}
