//! Priorities, turns of tenants, and limits.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use futures_util::future::join_all;
use inhouse_fleet::Work;
use inhouse_testkit::engine_battery::ScriptedTurn;

use super::support::{Database, Log, answer};

async fn enqueue_all(database: &Database, works: Vec<Work>) -> Vec<inhouse_fleet::WorkId> {
    let mut ids = Vec::new();
    for work in works {
        ids.push(database.fleet.enqueue(work).await.unwrap());
    }
    ids
}

#[tokio::test]
async fn greater_priority_comes_first_but_not_within_a_session() {
    let database = Database::create().await;
    let works = vec![
        Work::new("a", "low"),
        Work::new("a", "behind low").priority(9),
        Work::new("b", "high").priority(5),
        Work::new("c", "negative").priority(-1),
    ];
    let ids = enqueue_all(&database, works).await;
    let log = Log::default();
    let _host = database.host(1, log.answering());
    join_all(ids.into_iter().map(|id| database.answer_to(id))).await;
    assert_eq!(log.entries(), ["high", "low", "behind low", "negative"]);
}

#[tokio::test]
async fn tenants_take_turns() {
    let database = Database::create().await;
    let mut works = Vec::new();
    for number in 0..5 {
        works.push(Work::new(format!("busy-{number}"), "busy").tenant("busy"));
    }
    for tenant in ["quiet-1", "also-quiet"] {
        works.push(Work::new(tenant, tenant));
    }
    let ids = enqueue_all(&database, works).await;
    let log = Log::default();
    let _host = database.host(1, log.answering());
    join_all(ids.into_iter().map(|id| database.answer_to(id))).await;
    let log = log.entries();
    assert_eq!(log.iter().filter(|prompt| *prompt == "busy").count(), 5);
    // In the first round, each of the three tenants comes once.
    let mut round = log[..3].to_vec();
    round.sort_unstable();
    assert_eq!(round, ["also-quiet", "busy", "quiet-1"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn limit_of_a_tenant_holds_over_hosts() {
    let database = Database::create().await;
    database
        .fleet
        .set_tenant_limit("acme", Some(2))
        .await
        .unwrap();
    let mut works = Vec::new();
    for number in 0..10 {
        works.push(Work::new(format!("acme-{number}"), "acme").tenant("acme"));
        works.push(Work::new(format!("free-{number}"), "free").tenant("free"));
    }
    let ids = enqueue_all(&database, works).await;

    let running: Arc<Mutex<HashMap<String, usize>>> = Arc::default();
    let most: Arc<Mutex<usize>> = Arc::default();
    let script = {
        let most = Arc::clone(&most);
        move |turn: Arc<ScriptedTurn>| {
            let (running, most) = (Arc::clone(&running), Arc::clone(&most));
            async move {
                let tenant = turn.work.tenant.clone();
                {
                    let mut running = running.lock().unwrap();
                    *running.entry(tenant.clone()).or_default() += 1;
                    let mut most = most.lock().unwrap();
                    *most = (*most).max(running.get("acme").copied().unwrap_or_default());
                }
                let outcome = answer(turn).await;
                *running.lock().unwrap().entry(tenant).or_default() -= 1;
                outcome
            }
        }
    };
    let _hosts = [database.host(4, script.clone()), database.host(4, script)];
    join_all(ids.into_iter().map(|id| database.answer_to(id))).await;
    assert_eq!(*most.lock().unwrap(), 2);
}

#[tokio::test]
async fn limit_of_zero_pauses_a_tenant_until_it_is_removed() {
    let database = Database::create().await;
    database
        .fleet
        .set_tenant_limit("acme", Some(0))
        .await
        .unwrap();
    let paused = database
        .fleet
        .enqueue(Work::new("a", "paused").tenant("acme"))
        .await
        .unwrap();
    let other = database
        .fleet
        .enqueue(Work::new("b", "other"))
        .await
        .unwrap();
    let log = Log::default();
    let _host = database.host(2, log.answering());
    database.answer_to(other).await;
    assert_eq!(log.entries(), ["other"]);
    database.fleet.set_tenant_limit("acme", None).await.unwrap();
    database.answer_to(paused).await;
}
