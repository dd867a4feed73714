//! Notifications, and what happens without them.

use std::time::Duration;

use inhouse_fleet::Work;
use inhouse_fleet::postgres::Fleet;

use super::support::{Database, Log, answer, quick, within};

const NEVER: Duration = Duration::from_secs(3600);

/// A fleet that notices nothing by looking at intervals.
fn notified(database: &Database) -> Fleet {
    quick(&database.store).poll_interval(NEVER)
}

#[tokio::test]
async fn notification_begins_work_and_reports_its_end() {
    let database = Database::create().await;
    let fleet = notified(&database);
    fleet.migrate().await.unwrap();
    let _host = database.host_of(&fleet, 1, answer);
    database
        .until("select exists (select from inhouse.host)")
        .await;
    for number in 0..3 {
        let work = Work::new("a", number.to_string());
        let work = fleet.enqueue(work).await.unwrap();
        let reply = within(fleet.result(&work)).await.unwrap();
        assert_eq!(reply.text, Some(format!("answer to {number}")));
    }
}

#[tokio::test]
async fn listener_connects_again() {
    let database = Database::create().await;
    let fleet = notified(&database);
    let log = Log::default();
    let _host = database.host_of(&fleet, 1, log.answering());
    let first = fleet.enqueue(Work::new("a", "first")).await.unwrap();
    within(fleet.result(&first)).await.unwrap();
    database
        .execute(
            "select pg_terminate_backend(pid) from pg_stat_activity where query like 'LISTEN%' and datname = current_database()",
        )
        .await;
    // Enqueued while there may be no listener: the new one makes the host look.
    let second = fleet.enqueue(Work::new("a", "second")).await.unwrap();
    within(fleet.result(&second)).await.unwrap();
    assert_eq!(log.entries(), ["first", "second"]);
}

#[tokio::test]
async fn process_has_one_listening_connection() {
    let database = Database::create().await;
    let fleet = notified(&database);
    let _host = database.host_of(&fleet, 1, answer);
    let work = fleet.enqueue(Work::new("a", "prompt")).await.unwrap();
    let mut watches = Vec::new();
    for _ in 0..5 {
        watches.push(fleet.watch(&work).await.unwrap());
    }
    within(fleet.result(&work)).await.unwrap();
    for watch in &mut watches {
        while let Some(event) = within(watch.next()).await {
            event.unwrap();
        }
    }
    let listening: i64 = sqlx::query_scalar(
        "select count(*) from pg_stat_activity where query like 'LISTEN%' and datname = current_database()",
    )
    .fetch_one(database.store.pool())
    .await
    .unwrap();
    assert_eq!(listening, 1);
}

#[tokio::test]
async fn fleet_without_notifications_polls() {
    let database = Database::create().await;
    let fleet = quick(&database.store).without_notifications();
    let _host = database.host_of(&fleet, 1, answer);
    let work = fleet.enqueue(Work::new("a", "prompt")).await.unwrap();
    let reply = within(fleet.result(&work)).await.unwrap();
    assert_eq!(reply.text.as_deref(), Some("answer to prompt"));
    let listening: i64 =
        sqlx::query_scalar("select count(*) from pg_stat_activity where query like 'LISTEN%' and datname = current_database()")
            .fetch_one(database.store.pool())
            .await
            .unwrap();
    assert_eq!(listening, 0);
}
