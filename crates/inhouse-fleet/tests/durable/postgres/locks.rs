//! Calls that wait for the locks of other transactions.

use std::time::Duration;

use inhouse_fleet::postgres::Fleet;
use inhouse_fleet::{FleetErrorKind, Work};
use sqlx::{Connection as _, PgConnection};
use tokio::time::timeout;

use super::support::{Database, within};

/// Less than the 25 s and 30 s of the calls, and much longer than a hundredth of them.
const LIMIT: Duration = Duration::from_secs(15);

/// The stand-ins shorten the time for which a call may wait for a lock to a hundredth; without a limit there is nothing to shorten.
#[tokio::test]
async fn calls_behind_a_long_transaction_also_end_on_the_server() {
    let database = Database::create().await;
    let first = database.fleet.enqueue(Work::new("busy", "first"));
    first.await.unwrap();
    let stand_ins = "create function shorten() returns text language sql as $$
             select set_config('lock_timeout', (setting::integer / 100)::text, true) from pg_settings where name = 'lock_timeout'
         $$;
         create schema slow;
         alter function inhouse.enqueue set schema slow;
         alter function inhouse.erase set schema slow;
         create function inhouse.enqueue(text, text, text, integer, text, timestamptz, uuid) returns uuid language plpgsql as $$
         begin
             perform shorten();
             return slow.enqueue($1, $2, $3, $4, $5, $6, $7);
         end $$;
         create function inhouse.erase(text) returns boolean language plpgsql as $$
         begin
             perform shorten();
             return slow.erase($1);
         end $$";
    let stand_ins = sqlx::raw_sql(stand_ins);
    stand_ins.execute(database.store.pool()).await.unwrap();
    let mut other = PgConnection::connect(&database.url).await.unwrap();
    let mut transaction = other.begin().await.unwrap();
    sqlx::query("select slow.enqueue('busy', 'second')")
        .execute(&mut *transaction)
        .await
        .unwrap();
    let enqueued = timeout(LIMIT, database.fleet.enqueue(Work::new("busy", "third"))).await;
    let enqueued = enqueued.expect("the wait for the lock has an end");
    assert_eq!(enqueued.unwrap_err().kind(), FleetErrorKind::Unavailable);
    let erased = timeout(LIMIT, database.fleet.erase("busy")).await;
    let erased = erased.expect("the wait for the lock has an end");
    assert_eq!(erased.unwrap_err().kind(), FleetErrorKind::Unavailable);
    database
        .until("select count(*) = 0 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'")
        .await;
    transaction.commit().await.unwrap();
    within(database.fleet.erase("busy")).await.unwrap();
}

/// The event trigger shortens the time for which a migration may wait for a lock to a hundredth; without a limit there is nothing to shorten.
#[tokio::test]
async fn migration_that_waits_for_a_lock_fails_with_the_reason() {
    let database = Database::create().await;
    database.fleet.migrate().await.unwrap();
    let statements = "create function shorten() returns event_trigger language plpgsql as $$
         begin
             perform set_config('lock_timeout', (setting::integer / 100)::text, false) from pg_settings where name = 'lock_timeout';
         end $$;
         create event trigger shorten on ddl_command_start when tag in ('CREATE SCHEMA') execute function shorten()";
    let statements = sqlx::raw_sql(statements);
    statements.execute(database.store.pool()).await.unwrap();
    let mut other = PgConnection::connect(&database.url).await.unwrap();
    let mut transaction = other.begin().await.unwrap();
    sqlx::query("lock table inhouse.migrations in access exclusive mode")
        .execute(&mut *transaction)
        .await
        .unwrap();
    let fleet = Fleet::postgres(&database.store);
    let migrated = timeout(LIMIT, fleet.migrate()).await;
    let migrated = migrated.expect("the wait for the lock has an end");
    let error = migrated.unwrap_err();
    assert_eq!(error.kind(), FleetErrorKind::Unavailable);
    assert!(error.to_string().contains("locked"), "{error}");
    transaction.commit().await.unwrap();
    fleet.migrate().await.unwrap();
}
