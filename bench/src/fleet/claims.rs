//! The cost of a claim beside a short and a long queue.

use std::error::Error;
use std::time::Instant;

use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _};
use uuid::Uuid;

use super::Database;
use crate::generator::Failure;
use crate::report::Report;

/// Claims one session after another from a queue with this many prompts, each of a separate session and tenant.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn claims(server: &str, queued: i32, rounds: usize) -> Result<Report, Box<dyn Error>> {
    let database = Database::create(server).await?;
    let mut connection = PgConnection::connect(database.url()).await?;
    let host = Uuid::new_v4();
    sqlx::query("insert into inhouse.host (incarnation, name, slots, alive_until) values ($1, 'bench', 1, 'infinity')")
        .bind(host)
        .execute(&mut connection)
        .await?;
    // Without the trigger, which takes a minute for 100,000 prompts.
    sqlx::query("set session_replication_role = replica")
        .execute(&mut connection)
        .await?;
    for statement in [
        "insert into inhouse.session (name, tenant, state) select 's' || n, 't' || n, 'ready' from generate_series(1, $1) n",
        "insert into inhouse.work (id, session, number, tenant, priority, prompt, not_before)
         select gen_random_uuid(), 's' || n, 1, 't' || n, 0, 'prompt', '-infinity' from generate_series(1, $1) n",
    ] {
        sqlx::query(statement).bind(queued).execute(&mut connection).await?;
    }
    sqlx::query("vacuum analyze")
        .execute(&mut connection)
        .await?;

    let mut times = Vec::new();
    let mut pages = Vec::new();
    for round in 0..rounds {
        let begin = Instant::now();
        let claimed = sqlx::query("select delivery from inhouse.claim($1, 1, '', null)")
            .bind(host)
            .fetch_all(&mut connection)
            .await?;
        times.push(begin.elapsed().as_secs_f64() * 1e6);
        if claimed.len() != 1 {
            return Err(Failure::new(format!("{} sessions were claimed", claimed.len())).into());
        }
        give_back(&mut connection).await?;
        if round % 10 == 0 {
            pages.push(pages_of_a_claim(&mut connection, host).await?);
            give_back(&mut connection).await?;
        }
    }
    times.sort_by(f64::total_cmp);
    let mut report = Report::default();
    report.set("p50_us", times[rounds / 2]);
    report.set("p99_us", times[rounds * 99 / 100]);
    pages.sort_unstable();
    report.count("pages", pages[pages.len() / 2]);
    Ok(report)
}

/// Makes the claimed session ready again, so that the queue keeps its length.
async fn give_back(connection: &mut PgConnection) -> sqlx::Result<()> {
    for statement in [
        "update inhouse.work set state = 'queued' where state = 'running'",
        "update inhouse.session set state = 'ready', work = null, host = null where state = 'running'",
    ] {
        sqlx::query(statement).execute(&mut *connection).await?;
    }
    Ok(())
}

/// Returns how many pages a claim reads.
async fn pages_of_a_claim(
    connection: &mut PgConnection,
    host: Uuid,
) -> Result<u64, Box<dyn Error>> {
    let explain = format!(
        "explain (analyze, buffers, format json) select delivery from inhouse.claim('{host}', 1, '', null)"
    );
    let row = sqlx::query(AssertSqlSafe(explain));
    let row = row.fetch_one(connection).await?;
    let plan: String = row.try_get_unchecked(0)?;
    let plan: Value = serde_json::from_str(&plan)?;
    let blocks = |name: &str| plan[0]["Plan"][name].as_u64().unwrap_or_default();
    Ok(blocks("Shared Hit Blocks") + blocks("Shared Read Blocks"))
}
