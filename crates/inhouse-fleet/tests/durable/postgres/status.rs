//! The cost of the status, which does not describe all open sessions.

use inhouse_fleet::Work;
use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _};

use super::support::Database;

const STATUS: &str = include_str!("../../../src/postgres/status.sql");

/// Fills the queue without the triggers of `enqueue`: a third of the sessions each is ready, waits for a time, and waits for a person.
async fn fill(connection: &mut PgConnection, count: i32) {
    for statement in [
        "set session_replication_role = replica",
        "truncate inhouse.session, inhouse.work",
    ] {
        sqlx::query(statement)
            .execute(&mut *connection)
            .await
            .unwrap();
    }
    for statement in [
        "insert into inhouse.work (id, session, number, tenant, priority, prompt, not_before, state)
         select gen_random_uuid(), 's' || n, 1, 't', 0, 'prompt',
                case n % 3 when 1 then clock_timestamp() + interval '1 hour' else '-infinity' end,
                case n % 3 when 2 then 'deferred' else 'queued' end
         from generate_series(1, $1) n",
        "insert into inhouse.session (name, tenant, state, ready_at, work)
         select w.session, 't', case when w.state = 'deferred' then 'deferred' when w.not_before > created then 'delayed' else 'ready' end,
                greatest(w.not_before, w.created), case when w.state = 'deferred' then w.id end
         from inhouse.work w, (select $1) unused",
    ] {
        sqlx::query(statement)
            .bind(count)
            .execute(&mut *connection)
            .await
            .unwrap();
    }
    // As autovacuum does: counts then need no rows, only their index.
    sqlx::query("vacuum analyze inhouse.session, inhouse.work")
        .execute(&mut *connection)
        .await
        .unwrap();
}

/// Returns how many pages a status reads.
async fn pages_of_a_status(connection: &mut PgConnection) -> i64 {
    let explain = format!("explain (analyze, buffers, format json) {STATUS}");
    let row = sqlx::query(AssertSqlSafe(explain));
    let row = row.fetch_one(connection).await.unwrap();
    let plan: String = row.try_get_unchecked(0).unwrap();
    let plan: Value = serde_json::from_str(&plan).unwrap();
    let blocks = |name: &str| plan[0]["Plan"][name].as_i64().unwrap();
    blocks("Shared Hit Blocks") + blocks("Shared Read Blocks")
}

#[tokio::test]
async fn status_of_100_000_sessions_costs_little_more_than_one_of_10_000() {
    let database = Database::create().await;
    database.fleet.migrate().await.unwrap();
    let mut connection = PgConnection::connect(&database.url).await.unwrap();
    fill(&mut connection, 10_000).await;
    let few = pages_of_a_status(&mut connection).await;
    fill(&mut connection, 100_000).await;
    let many = pages_of_a_status(&mut connection).await;
    // The indexes that are counted have a few hundred pages, and the others one or two more levels.
    assert!(
        many <= 2 * few + 1_000,
        "{few} pages with 10,000, {many} with 100,000"
    );

    let status = database.fleet.status().await.unwrap();
    assert_eq!(
        (
            status.queue.sessions,
            status.queue.queued,
            status.queue.deferred,
            status.queue.delayed
        ),
        (100_000, 66_667, 33_333, 33_334)
    );
    assert_eq!(status.sessions.len(), 10_000);
    assert!(status.sessions.is_sorted_by_key(|session| session.created));
    let oldest = status.queue.oldest.unwrap();
    assert_eq!(oldest.session, "s3", "the first that waits for a slot");
}

/// A thousand older prompts that wait for a time hide it from the short way to find it.
#[tokio::test]
async fn oldest_prompt_is_found_behind_many_that_wait_for_a_time() {
    let database = Database::create().await;
    database.fleet.migrate().await.unwrap();
    database
        .execute(
            "select inhouse.enqueue('later ' || n, 'prompt', not_before => clock_timestamp() + interval '1 hour')
             from generate_series(1, 1100) n",
        )
        .await;
    assert!(
        database
            .fleet
            .status()
            .await
            .unwrap()
            .queue
            .oldest
            .is_none()
    );
    // Of one session the next prompt counts, which is not the oldest one here.
    let session = Work::new("later 7", "now");
    let next = database.fleet.enqueue(session).await.unwrap();
    let oldest = database.fleet.status().await.unwrap().queue.oldest;
    assert_eq!(oldest.unwrap().work, next);
}
