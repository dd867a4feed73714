//! The order of prompts that are enqueued in transactions.

use std::time::Duration;

use futures_util::FutureExt as _;
use inhouse_fleet::{FleetErrorKind, Work};
use sqlx::PgConnection;

use super::support::{Database, Log, answer, within};

async fn enqueue(connection: &mut PgConnection, session: &str, prompt: &str) {
    sqlx::query("select inhouse.enqueue($1, $2)")
        .bind(session)
        .bind(prompt)
        .execute(connection)
        .await
        .unwrap();
}

/// The second transaction waits for the number that the first has taken, so it commits later, whichever wants to commit first.
#[tokio::test]
async fn commit_order_is_prompt_order() {
    let database = Database::create().await;
    database.fleet.migrate().await.unwrap();
    let pool = database.store.pool();
    let mut first = pool.begin().await.unwrap();
    let mut second = pool.begin().await.unwrap();
    enqueue(&mut first, "a", "first").await;

    let blocked = async {
        enqueue(&mut second, "a", "second").await;
        second.commit().await.unwrap();
    };
    let mut blocked = Box::pin(blocked);
    assert!((&mut blocked).now_or_never().is_none());
    let waiting = database.until(
        "select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%inhouse.enqueue%')",
    );
    tokio::select! {
        () = waiting => {}
        () = &mut blocked => panic!("the second transaction did not wait"),
    }
    enqueue(&mut first, "a", "also first").await;
    first.commit().await.unwrap();
    within(blocked).await;

    let log = Log::default();
    let _host = database.host(2, log.answering());
    let last = database
        .fleet
        .enqueue(Work::new("a", "last"))
        .await
        .unwrap();
    database.answer_to(last).await;
    assert_eq!(log.entries(), ["first", "also first", "second", "last"]);
}

#[tokio::test]
async fn rolled_back_prompt_does_not_exist() {
    let database = Database::create().await;
    database.fleet.migrate().await.unwrap();
    let log = Log::default();
    let _host = database.host(1, log.answering());
    let mut transaction = database.store.pool().begin().await.unwrap();
    enqueue(&mut transaction, "a", "rolled back").await;
    transaction.rollback().await.unwrap();
    let next = database
        .fleet
        .enqueue(Work::new("a", "next"))
        .await
        .unwrap();
    database.answer_to(next).await;
    assert_eq!(log.entries(), ["next"]);
}

/// A transaction that stays open blocks neither other sessions nor the prompts that its own session has already.
#[tokio::test]
async fn open_transaction_blocks_only_enqueueing_for_its_session() {
    let database = Database::create().await;
    let committed = database
        .fleet
        .enqueue(Work::new("a", "committed"))
        .await
        .unwrap();
    let also_committed = database
        .fleet
        .enqueue(Work::new("a", "also committed"))
        .await
        .unwrap();
    let mut open = database.store.pool().begin().await.unwrap();
    enqueue(&mut open, "a", "open").await;

    let log = Log::default();
    let _host = database.host(1, log.answering());
    database.answer_to(committed).await;
    database.answer_to(also_committed).await;
    let other = database
        .fleet
        .enqueue(Work::new("b", "other"))
        .await
        .unwrap();
    database.answer_to(other).await;
    let cancelled = database
        .fleet
        .enqueue(Work::new("c", "x").delay(Duration::from_secs(60)));
    database
        .fleet
        .cancel(&cancelled.await.unwrap())
        .await
        .unwrap();
    within(database.fleet.status()).await.unwrap();

    open.commit().await.unwrap();
    let last = database
        .fleet
        .enqueue(Work::new("a", "last"))
        .await
        .unwrap();
    database.answer_to(last).await;
    assert_eq!(
        log.entries(),
        ["committed", "also committed", "other", "open", "last"]
    );
}

/// A prompt for later takes its place when its time has come.
#[tokio::test]
async fn delayed_prompt_does_not_block_its_session() {
    let database = Database::create().await;
    let _host = database.host(1, answer);
    let later = Work::new("a", "later").delay(Duration::from_secs(3600));
    let later = database.fleet.enqueue(later).await.unwrap();
    let now = database.fleet.enqueue(Work::new("a", "now")).await.unwrap();
    assert_eq!(database.answer_to(now).await, "answer to now");
    let status = database.fleet.status().await.unwrap();
    assert_eq!((status.queue.queued, status.queue.delayed), (1, 1));
    for statement in [
        "update inhouse.work set not_before = clock_timestamp() where state = 'queued'",
        "update inhouse.session set ready_at = clock_timestamp()",
    ] {
        database.execute(statement).await;
    }
    assert_eq!(database.answer_to(later).await, "answer to later");
}

#[tokio::test]
async fn key_of_another_tenant_is_another_key() {
    let database = Database::create().await;
    let work = |tenant: &str, prompt: &str| Work::new("a", prompt).tenant(tenant).dedupe("order-9");
    let first = database
        .fleet
        .enqueue(work("acme", "Charge 5 dollars"))
        .await
        .unwrap();
    let second = database
        .fleet
        .enqueue(work("other", "Charge 6 dollars"))
        .await
        .unwrap();
    assert_ne!(first, second);
    let error = database
        .fleet
        .enqueue(work("acme", "Charge 6 dollars"))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), FleetErrorKind::Conflict, "{error}");
    let text = error.to_string();
    assert!(
        text.contains(&first.to_string()) && text.contains("order-9"),
        "{text}"
    );
}

#[tokio::test]
async fn concurrent_work_with_one_key_is_enqueued_once() {
    let database = Database::create().await;
    let work = || Work::new("a", "prompt").dedupe("key");
    let enqueue = |_| database.fleet.enqueue(work());
    let ids = futures_util::future::try_join_all((0..8).map(enqueue))
        .await
        .unwrap();
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    assert_eq!(database.fleet.status().await.unwrap().queue.queued, 1);
}

#[tokio::test]
async fn invalid_work_is_refused() {
    let database = Database::create().await;
    for work in [
        Work::new("", "prompt"),
        Work::new("a", "prompt").tenant(""),
        Work::new("a", "a NUL: \0"),
    ] {
        let error = database.fleet.enqueue(work).await.unwrap_err();
        assert_eq!(error.kind(), FleetErrorKind::Invalid, "{error}");
    }
}

#[tokio::test]
async fn role_without_rights_on_the_tables_can_enqueue() {
    let database = Database::create().await;
    database.fleet.migrate().await.unwrap();
    let pool = database.store.pool();
    let role = format!("app_{}", uuid::Uuid::new_v4().simple());
    for statement in [
        format!("create role {role}"),
        format!("grant usage on schema inhouse to {role}"),
    ] {
        let statement = sqlx::AssertSqlSafe(statement);
        sqlx::query(statement).execute(pool).await.unwrap();
    }
    let mut transaction = pool.begin().await.unwrap();
    let set_role = sqlx::AssertSqlSafe(format!("set local role {role}"));
    sqlx::query(set_role)
        .execute(&mut *transaction)
        .await
        .unwrap();
    let work: uuid::Uuid = sqlx::query_scalar(
        "select inhouse.enqueue('a', 'prompt', priority => 5, dedupe => 'order-9')",
    )
    .fetch_one(&mut *transaction)
    .await
    .unwrap();
    let age = sqlx::query("select inhouse.queue_age()");
    age.execute(&mut *transaction).await.unwrap();
    transaction.commit().await.unwrap();
    let mut transaction = pool.begin().await.unwrap();
    let set_role = sqlx::AssertSqlSafe(format!("set local role {role}"));
    sqlx::query(set_role)
        .execute(&mut *transaction)
        .await
        .unwrap();
    let read = sqlx::query("select prompt from inhouse.work");
    read.execute(&mut *transaction).await.unwrap_err();
    drop(transaction);
    let _host = database.host(1, answer);
    assert_eq!(database.answer_to(work.into()).await, "answer to prompt");
    let drop_role = sqlx::AssertSqlSafe(format!(
        "revoke all on schema inhouse from {role}; drop role {role}"
    ));
    sqlx::raw_sql(drop_role).execute(pool).await.unwrap();
}

/// Commits that lock several sessions meet hosts that die, leave and claim at the same time. None of them may fail with a deadlock.
#[tokio::test(flavor = "multi_thread")]
async fn transactions_for_several_sessions_never_deadlock_with_hosts() {
    let database = Database::create().await;
    database.fleet.migrate().await.unwrap();
    let log = Log::default();
    let _host = database.host(4, log.answering());
    let enqueue_many = async |writer: usize| {
        for number in 0..10 {
            let mut transaction = database.store.pool().begin().await.unwrap();
            // Each writer has its own sessions, in an order that changes.
            let mut sessions = [0, 1, 2, 3];
            sessions.rotate_left(number % 4);
            for session in sessions {
                let name = format!("w{writer}-{session}");
                enqueue(&mut transaction, &name, &format!("{name} {number}")).await;
            }
            transaction.commit().await.unwrap();
        }
    };
    let restart_hosts = async {
        for _ in 0..5 {
            let host = database.host(4, log.answering());
            database
                .until("select count(*) = 2 from inhouse.host")
                .await;
            host.shut_down().await;
        }
    };
    within(async { tokio::join!(enqueue_many(0), enqueue_many(1), restart_hosts) }).await;
    database
        .until("select count(*) = 0 from inhouse.work where state <> 'done'")
        .await;
    let log = log.entries();
    for session in ["w0-0", "w1-3"] {
        let ran: Vec<_> = log
            .iter()
            .filter(|prompt| prompt.starts_with(session))
            .collect();
        let mut numbers: Vec<usize> = ran
            .iter()
            .map(|prompt| prompt[5..].parse().unwrap())
            .collect();
        assert!(numbers.is_sorted(), "order of {session}: {numbers:?}");
        numbers.dedup();
        assert_eq!(numbers.len(), 10);
    }
}
