//! The cost of a claim, which does not depend on the length of the queue.

use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _};
use uuid::Uuid;

use super::support::Database;

/// How the queued prompts are distributed.
#[derive(Clone, Copy, Debug)]
enum Shape {
    /// Each prompt has a session and a tenant.
    Tenants,
    /// Each prompt has a session, and one tenant has them all.
    Sessions,
    /// One session has all prompts.
    Prompts,
    /// One session is ready, all others wait for a time.
    Delayed,
    /// One session is ready; all others belong to a tenant that has reached its limit.
    Limited,
}

/// Fills the queue without the triggers of `enqueue`, which would take a minute for 100,000 prompts.
async fn fill(connection: &mut PgConnection, shape: Shape, count: i32) {
    let sessions = match shape {
        Shape::Tenants => {
            "insert into inhouse.session (name, tenant, state) select 's' || n, 't' || n, 'ready' from generate_series(1, $1) n"
        }
        Shape::Sessions => {
            "insert into inhouse.session (name, tenant, state) select 's' || n, 't', 'ready' from generate_series(1, $1) n"
        }
        Shape::Prompts => {
            "insert into inhouse.session (name, tenant, state) select 's1', 't', 'ready' from generate_series(1, $1) n where n = 1"
        }
        Shape::Delayed => {
            "insert into inhouse.session (name, tenant, state, ready_at)
             select 's' || n, 't' || n, case when n = 1 then 'ready' else 'delayed' end, clock_timestamp() + interval '1 hour'
             from generate_series(1, $1) n"
        }
        Shape::Limited => {
            "insert into inhouse.session (name, tenant, state) select 's' || n, case when n = 1 then 'z' else 'limited' end, 'ready'
             from generate_series(1, $1) n"
        }
    };
    let work = match shape {
        Shape::Prompts => {
            "insert into inhouse.work (id, session, number, tenant, priority, prompt, not_before)
             select gen_random_uuid(), 's1', n, 't', 0, 'prompt', '-infinity' from generate_series(1, $1) n"
        }
        _ => {
            "insert into inhouse.work (id, session, number, tenant, priority, prompt, not_before)
             select gen_random_uuid(), s.name, 1, s.tenant, 0, 'prompt', '-infinity' from inhouse.session s where $1 > 0"
        }
    };
    for statement in [
        "set session_replication_role = replica",
        "truncate inhouse.session, inhouse.work, inhouse.tenant, inhouse.event",
        "insert into inhouse.tenant (name, max_active) values ('limited', 0)",
    ] {
        sqlx::query(statement)
            .execute(&mut *connection)
            .await
            .unwrap();
    }
    for statement in [sessions, work] {
        sqlx::query(statement)
            .bind(count)
            .execute(&mut *connection)
            .await
            .unwrap();
    }
}

/// Returns how many pages a claim of one session reads, in a connection that has claimed before.
async fn pages_of_a_claim(connection: &mut PgConnection, host: Uuid) -> i64 {
    let mut pages = Vec::new();
    for _ in 0..6 {
        // Claims before have left dead rows, as in a database that is in use.
        let explain = format!(
            "explain (analyze, buffers, format json) select * from inhouse.claim('{host}', 1, '', null)"
        );
        let row = sqlx::query(AssertSqlSafe(explain));
        let row = row.fetch_one(&mut *connection).await.unwrap();
        let plan: String = row.try_get_unchecked(0).unwrap();
        let plan: Value = serde_json::from_str(&plan).unwrap();
        let plan = &plan[0]["Plan"];
        assert_eq!(
            plan["Actual Rows"].as_f64(),
            Some(1.0),
            "a session is claimed"
        );
        let blocks = |name: &str| plan[name].as_i64().unwrap();
        pages.push(blocks("Shared Hit Blocks") + blocks("Shared Read Blocks"));
        sqlx::query("update inhouse.session set state = 'ready', work = null, host = null where state = 'running'")
            .execute(&mut *connection)
            .await
            .unwrap();
        sqlx::query("update inhouse.work set state = 'queued' where state = 'running'")
            .execute(&mut *connection)
            .await
            .unwrap();
    }
    pages.into_iter().min().unwrap()
}

#[tokio::test]
async fn claim_costs_the_same_with_10_and_with_100_000_prompts() {
    let database = Database::create().await;
    database.fleet.migrate().await.unwrap();
    let host = Uuid::new_v4();
    sqlx::query("insert into inhouse.host (incarnation, name, slots, alive_until) values ($1, 'h', 1, 'infinity')")
        .bind(host)
        .execute(database.store.pool())
        .await
        .unwrap();
    for shape in [
        Shape::Tenants,
        Shape::Sessions,
        Shape::Prompts,
        Shape::Delayed,
        Shape::Limited,
    ] {
        // The same connection: plans that were made for the short queue stay in use.
        let mut connection = PgConnection::connect(&database.url).await.unwrap();
        fill(&mut connection, shape, 10).await;
        let few = pages_of_a_claim(&mut connection, host).await;
        fill(&mut connection, shape, 100_000).await;
        let many = pages_of_a_claim(&mut connection, host).await;
        // The indexes have two more levels.
        assert!(
            many <= 2 * few + 40,
            "{shape:?}: {few} pages with 10, {many} with 100,000"
        );
        connection.close().await.unwrap();
    }
}
