//! Parking, retrying, erasing, retention and the status.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use inhouse_fleet::postgres::{SessionState, WorkState};
use inhouse_fleet::{FleetErrorKind, HostError, HostErrorKind, Outcome, Work};
use inhouse_testkit::engine_battery::ScriptedTurn;
use tokio::sync::mpsc::unbounded_channel;

use super::support::{Database, Log, answer, quick, within};

#[tokio::test]
async fn parked_work_is_retried_in_its_place() {
    let database = Database::create().await;
    let first = database
        .fleet
        .enqueue(Work::new("a", "first"))
        .await
        .unwrap();
    let second = database
        .fleet
        .enqueue(Work::new("a", "second"))
        .await
        .unwrap();
    let error = database.fleet.retry(&first).await.unwrap_err();
    assert_eq!(error.kind(), FleetErrorKind::Busy, "{error}");
    assert_eq!(
        database.fleet.park(&first, "wait").await.unwrap(),
        WorkState::Parked
    );
    let parked = database.fleet.status().await.unwrap().parked;
    assert_eq!(
        (parked[0].work, parked[0].reason.as_deref()),
        (first, Some("wait"))
    );
    database.fleet.retry(&first).await.unwrap();
    let log = Log::default();
    let _host = database.host(1, log.answering());
    database.answer_to(second).await;
    assert_eq!(log.entries(), ["first", "second"]);
}

#[tokio::test]
async fn retried_work_has_all_its_attempts_again() {
    let database = Database::create().await;
    let is_broken = Arc::new(AtomicBool::new(true));
    let broken = Arc::clone(&is_broken);
    let _host = database.host(1, move |turn: Arc<ScriptedTurn>| {
        let is_broken = broken.load(Ordering::SeqCst);
        async move {
            match is_broken {
                true => Err(HostError::new(HostErrorKind::Options, "no such customer")),
                false => turn.done(&format!("attempt {}", turn.work.attempt)).await,
            }
        }
    });
    let work = database
        .fleet
        .enqueue(Work::new("a", "prompt"))
        .await
        .unwrap();
    let error = within(database.fleet.result(&work)).await.unwrap_err();
    assert!(error.to_string().contains("no such customer"), "{error}");
    assert_eq!(database.fleet.work(&work).await.unwrap().attempts, 3);
    is_broken.store(false, Ordering::SeqCst);
    database.fleet.retry(&work).await.unwrap();
    assert_eq!(database.answer_to(work).await, "attempt 1");
}

#[tokio::test]
async fn running_work_is_parked_when_its_host_has_stopped_it() {
    let database = Database::create().await;
    let (begun, mut has_begun) = unbounded_channel();
    let _host = database.host(1, move |turn: Arc<ScriptedTurn>| {
        let begun = begun.clone();
        async move {
            if turn.work.prompt == "next" {
                return answer(turn).await;
            }
            let _ = begun.send(());
            turn.stop.cancelled().await;
            Ok(Outcome::Cancelled)
        }
    });
    let work = database
        .fleet
        .enqueue(Work::new("a", "prompt"))
        .await
        .unwrap();
    within(has_begun.recv()).await;
    assert_eq!(
        database.fleet.park(&work, "by hand").await.unwrap(),
        WorkState::Running
    );
    let error = within(database.fleet.result(&work)).await.unwrap_err();
    assert_eq!(error.kind(), FleetErrorKind::Parked);
    assert!(error.to_string().contains("by hand"), "{error}");
    let next = database
        .fleet
        .enqueue(Work::new("a", "next"))
        .await
        .unwrap();
    database.answer_to(next).await;
}

/// The regular heartbeats, which read the stops, come after 20 minutes.
#[tokio::test]
async fn cancel_is_noticed_after_the_poll_interval_without_notifications() {
    let database = Database::create().await;
    let fleet = quick(&database.store)
        .host_ttl(Duration::from_secs(3600))
        .without_notifications();
    let (begun, mut has_begun) = unbounded_channel();
    let _host = database.host_of(&fleet, 1, move |turn: Arc<ScriptedTurn>| {
        let begun = begun.clone();
        async move {
            let _ = begun.send(());
            turn.stop.cancelled().await;
            Ok(Outcome::Cancelled)
        }
    });
    let work = fleet.enqueue(Work::new("a", "prompt")).await.unwrap();
    within(has_begun.recv()).await;
    assert_eq!(fleet.cancel(&work).await.unwrap(), WorkState::Running);
    let error = within(fleet.result(&work)).await.unwrap_err();
    assert_eq!(error.kind(), FleetErrorKind::Cancelled);
}

#[tokio::test]
async fn work_of_a_dead_host_that_was_cancelled_is_not_delivered_again() {
    let database = Database::create().await;
    let (begun, mut has_begun) = unbounded_channel();
    let first = database.host(1, move |_| {
        let begun = begun.clone();
        async move {
            let _ = begun.send(());
            std::future::pending().await
        }
    });
    let work = database
        .fleet
        .enqueue(Work::new("a", "cancelled"))
        .await
        .unwrap();
    let next = database
        .fleet
        .enqueue(Work::new("a", "next"))
        .await
        .unwrap();
    within(has_begun.recv()).await;
    first.kill().await;
    database.fleet.cancel(&work).await.unwrap();
    let log = Log::default();
    let _second = database.host(1, log.answering());
    database.answer_to(next).await;
    assert_eq!(log.entries(), ["next"]);
    let error = database.fleet.result(&work).await.unwrap_err();
    assert_eq!(error.kind(), FleetErrorKind::Cancelled);
}

#[tokio::test]
async fn erased_session_leaves_nothing() {
    let database = Database::create().await;
    let (begun, mut has_begun) = unbounded_channel();
    let host = database.host(2, move |turn: Arc<ScriptedTurn>| {
        let begun = begun.clone();
        async move {
            if turn.work.prompt == "running" {
                let _ = begun.send(());
                turn.stop.cancelled().await;
                return Ok(Outcome::Cancelled);
            }
            answer(turn).await
        }
    });
    let answered = database
        .fleet
        .enqueue(Work::new("a", "a secret"))
        .await
        .unwrap();
    let kept = database
        .fleet
        .enqueue(Work::new("b", "kept"))
        .await
        .unwrap();
    database.answer_to(answered).await;
    database.answer_to(kept).await;
    database
        .fleet
        .enqueue(Work::new("a", "running"))
        .await
        .unwrap();
    within(has_begun.recv()).await;
    let error = database.fleet.erase("a").await.unwrap_err();
    assert_eq!(error.kind(), FleetErrorKind::Busy, "{error}");
    host.shut_down().await;
    database.fleet.erase("a").await.unwrap();
    for (table, column) in [
        ("inhouse.work", "session"),
        ("inhouse.session", "name"),
        ("inhouse.counter", "session"),
    ] {
        let left = format!("select count(*) from {table} where {column} = 'a'");
        let left: i64 = sqlx::query_scalar(sqlx::AssertSqlSafe(left))
            .fetch_one(database.store.pool())
            .await
            .unwrap();
        assert_eq!(left, 0, "{table}");
    }
    let streams: i64 = sqlx::query_scalar("select count(*) from inhouse_stream")
        .fetch_one(database.store.pool())
        .await
        .unwrap();
    assert_eq!(streams, 1);
    assert_eq!(database.answer_to(kept).await, "answer to kept");
    // The name can be used again.
    let _host = database.host(1, answer);
    let again = database
        .fleet
        .enqueue(Work::new("a", "again"))
        .await
        .unwrap();
    database.answer_to(again).await;
}

#[tokio::test]
async fn finished_work_is_removed_after_its_retention() {
    let database = Database::create().await;
    let fleet = quick(&database.store).retention(Duration::ZERO);
    let work = fleet
        .enqueue(Work::new("a", "prompt").dedupe("key"))
        .await
        .unwrap();
    let parked = fleet.enqueue(Work::new("b", "parked")).await.unwrap();
    fleet.park(&parked, "for later").await.unwrap();
    let _host = database.host_of(&fleet, 1, answer);
    database
        .until("select count(*) = 1 from inhouse.work")
        .await;
    database
        .until("select count(*) = 0 from inhouse.event")
        .await;
    assert_eq!(
        fleet.work(&work).await.unwrap_err().kind(),
        FleetErrorKind::NotFound
    );
    assert_eq!(fleet.work(&parked).await.unwrap().state, WorkState::Parked);
    // Nothing is left of the session, but parked work keeps its own.
    database
        .until("select array_agg(name) = '{b}' from inhouse.session")
        .await;
    database
        .until("select array_agg(session) = '{b}' from inhouse.counter")
        .await;
    // So the key is free again.
    fleet
        .enqueue(Work::new("a", "another text").dedupe("key"))
        .await
        .unwrap();
}

/// A session is not removed while a transaction enqueues for it, and begins again if it was.
#[tokio::test]
async fn prompt_that_is_enqueued_while_its_session_is_removed_is_answered() {
    let database = Database::create().await;
    let host = database.host(1, answer);
    let first = database.fleet.enqueue(Work::new("a", "first"));
    database.answer_to(first.await.unwrap()).await;
    let mut transaction = database.store.pool().begin().await.unwrap();
    let second: uuid::Uuid = sqlx::query_scalar("select inhouse.enqueue('a', 'second')")
        .fetch_one(&mut *transaction)
        .await
        .unwrap();
    database.execute("select inhouse.purge('0')").await;
    database
        .until("select exists (select from inhouse.session)")
        .await;
    transaction.commit().await.unwrap();
    let answer = database.answer_to(second.into()).await;
    assert_eq!(answer, "answer to second");
    host.shut_down().await;
    database.execute("select inhouse.purge('0')").await;
    database
        .until("select not exists (select from inhouse.session) and not exists (select from inhouse.counter)")
        .await;
    let _host = database.host(1, super::support::answer);
    let third = database.fleet.enqueue(Work::new("a", "third"));
    database.answer_to(third.await.unwrap()).await;
}

#[tokio::test]
async fn names_that_an_index_could_not_hold_are_refused() {
    let database = Database::create().await;
    let long = "x".repeat(1001);
    for work in [
        Work::new(&*long, "prompt").tenant("t"),
        Work::new("a", "prompt").tenant(&*long),
        Work::new("a", "prompt").dedupe(&*long),
    ] {
        let error = database.fleet.enqueue(work).await.unwrap_err();
        assert_eq!(error.kind(), FleetErrorKind::Invalid, "{error}");
    }
    let longest = &long[..1000];
    let work = Work::new(longest, "prompt").tenant(longest).dedupe(longest);
    database.fleet.enqueue(work).await.unwrap();
}

#[tokio::test]
async fn status_shows_queue_hosts_and_sessions() {
    let database = Database::create().await;
    let empty = database.fleet.status().await.unwrap();
    assert_eq!(
        (empty.queue.queued, empty.hosts.len(), empty.sessions.len()),
        (0, 0, 0)
    );
    assert!(empty.queue.oldest.is_none());

    let fleet = quick(&database.store).host_name("one");
    let (begun, mut has_begun) = unbounded_channel();
    let _host = database.host_of(&fleet, 1, move |turn: Arc<ScriptedTurn>| {
        let begun = begun.clone();
        async move {
            let _ = begun.send(());
            turn.stop.cancelled().await;
            Ok(Outcome::Cancelled)
        }
    });
    let long = "x".repeat(300);
    let running = fleet
        .enqueue(Work::new("a", long.clone()).tenant("acme"))
        .await
        .unwrap();
    within(has_begun.recv()).await;
    fleet.enqueue(Work::new("a", "second")).await.unwrap();
    let ready = fleet
        .enqueue(Work::new("b", "third").priority(3))
        .await
        .unwrap();
    let delayed = Work::new("c", "later").delay(Duration::from_secs(3600));
    fleet.enqueue(delayed).await.unwrap();

    let status = fleet.status().await.unwrap();
    let queue = &status.queue;
    assert_eq!(
        (queue.queued, queue.running, queue.delayed, queue.sessions),
        (3, 1, 1, 3)
    );
    assert_eq!(queue.oldest.as_ref().unwrap().work, running);
    let host = &status.hosts[0];
    assert_eq!(
        (&*host.name, host.slots, host.active, host.draining),
        ("one", 1, 1, false)
    );
    assert!(host.alive_until > status.now && host.since < status.now);
    let [a, b, c] = &status.sessions[..] else {
        panic!("{status:?}")
    };
    assert_eq!(
        (&*a.name, &*a.tenant, a.state),
        ("a", "acme", SessionState::Running)
    );
    assert_eq!(
        (a.work, a.queued, a.host.as_deref()),
        (running, 1, Some("one"))
    );
    assert_eq!(a.prompt, long[..200]);
    assert!(a.started >= Some(a.created) && !a.stopping);
    assert_eq!(
        (b.work, b.state, b.priority),
        (ready, SessionState::Ready, 3)
    );
    assert_eq!((c.state, c.started), (SessionState::Delayed, None));
    assert!(c.ready_at > status.now);

    let text = serde_json::to_string(&status).unwrap();
    let read: inhouse_fleet::postgres::FleetStatus = serde_json::from_str(&text).unwrap();
    assert_eq!(read.sessions.len(), 3);
    assert_eq!(read.now, status.now);
}
