//! What calls that wait for other transactions do to the rest of the process.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use inhouse_fleet::Work;
use inhouse_testkit::engine_battery::ScriptedTurn;
use sqlx::{Connection as _, PgConnection};
use tokio::sync::mpsc::unbounded_channel;
use uuid::Uuid;

use super::support::{Database, answer, quick, within};

/// More than the pool of a store has connections.
const CALLS: usize = 40;

async fn incarnation(database: &Database) -> Uuid {
    sqlx::query_scalar("select incarnation from inhouse.host")
        .fetch_one(database.store.pool())
        .await
        .unwrap()
}

/// The host, its leases and the calls for other sessions use the same database in the same process.
#[tokio::test]
async fn calls_that_wait_for_a_transaction_take_no_connections_from_turns() {
    let database = Database::create().await;
    let (begun, mut has_begun) = unbounded_channel();
    let (go, gate) = tokio::sync::watch::channel(false);
    let _host = database.host(2, move |turn: Arc<ScriptedTurn>| {
        let (begun, mut gate) = (begun.clone(), gate.clone());
        async move {
            if turn.work.prompt == "long" {
                begun.send(()).unwrap();
                let _ = gate.wait_for(|open| *open).await;
                assert!(!turn.stop.is_cancelled(), "the host was taken for dead");
            }
            answer(turn).await
        }
    });
    let long = database.fleet.enqueue(Work::new("long", "long"));
    let long = long.await.unwrap();
    within(has_begun.recv()).await;
    let before = incarnation(&database).await;

    let mut other = PgConnection::connect(&database.url).await.unwrap();
    let mut transaction = other.begin().await.unwrap();
    for session in ["busy", "busy-too"] {
        let first = sqlx::query("select inhouse.enqueue($1, 'first')").bind(session);
        first.execute(&mut *transaction).await.unwrap();
    }
    let calls = (0..CALLS).map(|number| {
        let fleet = database.fleet.clone();
        let session = if number % 2 == 0 { "busy" } else { "busy-too" };
        let work = Work::new(session, number.to_string());
        tokio::spawn(async move { fleet.enqueue(work).await })
    });
    let calls: Vec<_> = calls.collect();
    database
        .until("select count(*) = 2 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%enqueue%'")
        .await;
    // Longer than a host lives without a heartbeat, and than a lease lasts without a renewal.
    sqlx::query("create table begin as select clock_timestamp() as time")
        .execute(database.store.pool())
        .await
        .unwrap();
    database
        .until("select clock_timestamp() > time + interval '3 seconds' from begin")
        .await;
    let quick = database.fleet.enqueue(Work::new("quick", "quick"));
    let quick = within(quick).await.unwrap();
    assert_eq!(database.answer_to(quick).await, "answer to quick");
    assert_eq!(incarnation(&database).await, before, "the same incarnation");
    go.send_replace(true);
    assert_eq!(database.answer_to(long).await, "answer to long");

    transaction.commit().await.unwrap();
    let works = within(join_all(calls)).await;
    for work in works {
        database.answer_to(work.unwrap().unwrap()).await;
    }
    // In the order of the calls.
    let numbers: Vec<String> = sqlx::query_scalar(
        "select prompt from inhouse.work where session = 'busy' order by number",
    )
    .fetch_all(database.store.pool())
    .await
    .unwrap();
    let expected = (0..CALLS).step_by(2).map(|number| number.to_string());
    let expected: Vec<_> = std::iter::once("first".to_owned())
        .chain(expected)
        .collect();
    assert_eq!(numbers, expected);
}

/// A sweep that waits or takes long must not keep the host from its heartbeat.
#[tokio::test]
async fn host_lives_while_its_sweep_is_slow() {
    let database = Database::create().await;
    database.fleet.migrate().await.unwrap();
    database
        .execute("alter function inhouse.purge rename to purge_at_once")
        .await;
    database
        .execute(
            "create function inhouse.purge(retention interval) returns void language plpgsql as $$
             begin
                 perform pg_sleep(10);
             end $$",
        )
        .await;
    let fleet = quick(&database.store).host_ttl(Duration::from_secs(6));
    let _host = database.host_of(&fleet, 1, answer);
    database
        .until("select exists (select from inhouse.host)")
        .await;
    let before = incarnation(&database).await;
    database
        .execute(
            "create table beat (pid integer, begin timestamptz, alive_until timestamptz, primary key (pid, begin, alive_until))",
        )
        .await;
    // Heartbeats during one call of `purge`. One that waits for the sweep before it is seen once in a call, besides the one before.
    let watch = "with seen as (
                     insert into beat select a.pid, a.query_start, h.alive_until from pg_stat_activity a, inhouse.host h
                     where a.datname = current_database() and a.state = 'active' and a.query like 'select inhouse.purge(%'
                     on conflict do nothing
                 )
                 select count(*) >= 4 from beat group by pid, begin order by count(*) desc limit 1";
    database.until(watch).await;
    assert_eq!(incarnation(&database).await, before);
}
