//! What sessions cost that wait for a time or a person.

use std::error::Error;
use std::time::Duration;

use tokio::time::sleep;

use super::Database;
use super::worker::{WorkerSettings, Workers};
use crate::proc::{Memory, cpu_microseconds};
use crate::report::Report;

/// The number of workers.
const WORKERS: u8 = 2;

/// Lets two workers wait beside sessions of which half wait for a time and half for a person.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn idle(server: &str, sessions: i32, window: Duration) -> Result<Report, Box<dyn Error>> {
    let database = Database::create(server).await?;
    let enqueue = "select inhouse.enqueue('session-' || n, 'prompt ' || n, not_before => clock_timestamp() + interval '1 hour')
                   from generate_series(1, $1) n";
    sqlx::query(enqueue)
        .bind(sessions)
        .execute(database.pool())
        .await?;
    // As `inhouse.deferred` leaves them.
    for statement in [
        "update inhouse.session s set state = 'deferred', work = w.id
         from inhouse.work w where w.session = s.name and hashtext(s.name) % 2 = 0",
        "update inhouse.work w set state = 'deferred' from inhouse.session s where s.work = w.id",
        "insert into inhouse.question (id, work, session, call, body, expires)
         select gen_random_uuid(), id, session, 'call', '{}', clock_timestamp() + interval '7 days'
         from inhouse.work where state = 'deferred'",
        "analyze",
    ] {
        database.execute(statement).await?;
    }
    let settings = WorkerSettings {
        slots: 40,
        lifetime: None,
    };
    let workers = Workers::start(&database, usize::from(WORKERS), settings).await?;
    let ids = workers.ids();
    let cpu = || {
        let cpus = ids.iter().map(|id| cpu_microseconds(id));
        cpus.sum::<Result<u64, _>>()
    };
    // The first heartbeats and claims.
    sleep(Duration::from_secs(2)).await;
    let (begin, begin_cpu) = (database.counters().await?, cpu()?);
    sleep(window).await;
    let (spent, worker_cpu) = (database.spent_since(&begin).await?, cpu()? - begin_cpu);
    let mut resident = 0;
    for id in &ids {
        resident = resident.max(Memory::of(id)?.resident);
    }
    workers.finish().await?;

    let each = spent.seconds * f64::from(WORKERS);
    let mut report = Report::default();
    report.set("transactions_per_second", spent.transactions / each);
    report.set("worker_cpu_us", worker_cpu as f64 / each);
    report.set("server_cpu_us", spent.cpu.as_secs_f64() * 1e6 / each);
    report.count("resident_kib", resident);
    Ok(report)
}
