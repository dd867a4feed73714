//! Priorities, turns of tenants, and limits.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::join_all;
use inhouse_fleet::Work;
use inhouse_testkit::engine_battery::ScriptedTurn;

use super::support::{Database, Log, answer, quick};

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

/// In bytes, `O` comes before `c`; in English it comes after it.
#[tokio::test]
async fn tenants_are_served_whatever_the_collation_of_the_database() {
    let database = Database::create().await;
    let log = Log::default();
    let _host = database.host(1, log.answering());
    let tenants = [
        "customer-42",
        "Order-7",
        "\u{d6}sterreich",
        "Zebra",
        "apple",
    ];
    // Each is the only one that waits, and the host has just served the one before.
    for tenant in tenants {
        let work = database.fleet.enqueue(Work::new(tenant, tenant)).await;
        database.answer_to(work.unwrap()).await;
    }
    assert_eq!(log.entries(), tenants);
}

#[tokio::test]
async fn tenant_at_its_limit_costs_no_further_claims() {
    let database = Database::create().await;
    let fleet = quick(&database.store).poll_interval(Duration::from_secs(3600));
    fleet.set_tenant_limit("acme", Some(0)).await.unwrap();
    let paused = Work::new("a", "paused").tenant("acme");
    let paused = fleet.enqueue(paused).await.unwrap();
    // Counts the claims, and makes each so slow that those of all hosts meet.
    database.execute("create table counted (host uuid)").await;
    database
        .execute("alter function inhouse.claim rename to claim_at_once")
        .await;
    database
        .execute(
            "create function inhouse.claim(me uuid, wanted integer, after text, known bigint[])
             returns table (delivery bigint, prompt inhouse.work) language plpgsql as $$
             begin
                 insert into counted values (me);
                 return query select * from inhouse.claim_at_once(me, wanted, after, known);
                 perform pg_sleep(0.05);
             end $$",
        )
        .await;
    let _hosts = [(); 4].map(|()| database.host_of(&fleet, 1, answer));
    database
        .until("select count(distinct host) = 4 from counted")
        .await;
    database
        .execute("create table begin as select clock_timestamp() as time")
        .await;
    database
        .execute("select pg_notify('inhouse_work', 'ready')")
        .await;
    database
        .until("select clock_timestamp() > time + interval '1500 milliseconds' from begin")
        .await;
    let claims: i64 = sqlx::query_scalar("select count(*) from counted")
        .fetch_one(database.store.pool())
        .await
        .unwrap();
    // Each host claims when it starts, when it begins to listen, and when it is notified. A loop would come to a hundred.
    assert!((4..=20).contains(&claims), "{claims} claims");
    fleet.set_tenant_limit("acme", None).await.unwrap();
    database.answer_to(paused).await;
}

/// The prompt that is due meanwhile belongs to another tenant than the one for which the session was ready.
#[tokio::test]
async fn limit_holds_for_a_prompt_whose_time_has_come() {
    let database = Database::create().await;
    let fleet = &database.fleet;
    fleet.set_tenant_limit("acme", Some(0)).await.unwrap();
    let later = Work::new("a", "later").tenant("acme");
    let later = later.delay(Duration::from_secs(3600));
    let later = fleet.enqueue(later).await.unwrap();
    let now = Work::new("a", "now").tenant("free");
    let now = fleet.enqueue(now).await.unwrap();
    database
        .execute("update inhouse.work set not_before = '-infinity'")
        .await;
    let other = Work::new("b", "other").priority(-1);
    let other = fleet.enqueue(other).await.unwrap();
    let log = Log::default();
    let _host = database.host(1, log.answering());
    database.answer_to(other).await;
    assert_eq!(log.entries(), ["other"]);
    fleet.set_tenant_limit("acme", None).await.unwrap();
    database.answer_to(later).await;
    database.answer_to(now).await;
    assert_eq!(log.entries(), ["other", "later", "now"]);
}

#[tokio::test]
async fn queue_age_leaves_out_tenants_at_their_limit() {
    let database = Database::create().await;
    let fleet = &database.fleet;
    fleet.set_tenant_limit("acme", Some(0)).await.unwrap();
    fleet
        .enqueue(Work::new("a", "paused").tenant("acme"))
        .await
        .unwrap();
    database
        .until(
            "select clock_timestamp() > ready_at + interval '20 milliseconds' from inhouse.session",
        )
        .await;
    let age = async || {
        let age = sqlx::query_scalar("select inhouse.queue_age()");
        let age: f64 = age.fetch_one(database.store.pool()).await.unwrap();
        age
    };
    assert_eq!(age().await, 0.0);
    // More workers help as soon as there is room.
    fleet.set_tenant_limit("acme", Some(1)).await.unwrap();
    assert!(age().await >= 0.02);
}
