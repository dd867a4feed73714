//! Many sessions with many queued prompts, and workers of which one is killed.

use std::error::Error;
use std::time::{Duration, Instant};

use super::Database;
use super::turns::enqueue;
use super::worker::{WorkerSettings, Workers, cpu_ms};
use crate::generator::Failure;
use crate::report::Report;

/// The number of workers that are never killed.
const WORKERS: usize = 3;

const SETTINGS: WorkerSettings = WorkerSettings {
    slots: 40,
    lifetime: Some(Duration::from_secs(3)),
};

/// Queries that count what must not be, with what that is.
const WRONG: [(&str, &str); 5] = [
    (
        "prompts without their answer",
        "select count(*) from inhouse.work where state <> 'done' or reply::json->>'text' is distinct from prompt",
    ),
    (
        "prompts that began before the one before them had ended",
        "select count(*) from (
             select started, lag(finished) over (partition by session order by number) as before from inhouse.work
         ) w where before > started",
    ),
    (
        "stored results that are not the next one of their session",
        "select count(*) from inhouse_stream s join inhouse_entry e on e.stream = s.id
         where s.subpath = 'results'
         and split_part(convert_from(e.body, 'UTF8')::json->'result'->>'result', ' ', 1)::bigint <> e.position",
    ),
    (
        "prompts that are not once in a transcript",
        "select count(*) from inhouse.work w left join (
             select convert_from(e.body, 'UTF8')::json->>'uuid' as id, count(*) as entries
             from inhouse_stream s join inhouse_entry e on e.stream = s.id
             where s.subpath = '' and convert_from(e.body, 'UTF8')::json->>'type' = 'user' group by 1
         ) t on t.id = w.id::text where t.entries is distinct from 1",
    ),
    (
        "attempts that were charged",
        "select coalesce(sum(attempts), 0)::bigint from inhouse.work",
    ),
];

/// Lets workers answer a queue of prompts, kills one of them, and checks that every prompt was answered once and in order.
///
/// # Errors
/// Returns an error if the database fails, or a prompt was lost, repeated or answered out of order.
pub async fn simulation(
    server: &str,
    sessions: usize,
    turns: usize,
) -> Result<Report, Box<dyn Error>> {
    let database = Database::create(server).await?;
    let begin = Instant::now();
    enqueue(database.fleet(), sessions, turns).await?;
    let enqueued = begin.elapsed();

    let begin = Instant::now();
    let mut workers = Workers::start(&database, WORKERS + 1, SETTINGS).await?;
    let all = i64::try_from(sessions * turns)?;
    let done = "select count(*) from inhouse.work where finished is not null";
    database.until(done, |done| done >= all / 4).await?;
    workers.kill_one().await?;
    let open = "select count(*) from inhouse.work where state in ('queued', 'running', 'deferred')";
    database.until(open, |open| open == 0).await?;
    let seconds = begin.elapsed().as_secs_f64();
    let reports = workers.finish().await?;

    for (what, query) in WRONG {
        let count = database.number(query).await?;
        if count != 0 {
            return Err(Failure::new(format!("{what}: {count} of {all}")).into());
        }
    }
    let results =
        "select coalesce(sum(next), 0)::bigint from inhouse_stream where subpath = 'results'";
    let results = database.number(results).await?;
    if results != all {
        return Err(Failure::new(format!("{results} results of {all} prompts are stored")).into());
    }
    let taken_over = database
        .number("select count(*) from inhouse.work where losses > 0")
        .await?;
    let mut report = Report::default();
    report.count("prompts", all.unsigned_abs());
    report.count("sessions", sessions as u64);
    report.count("workers", WORKERS as u64 + 1);
    report.count("taken_over", taken_over.unsigned_abs());
    report.set("enqueued_per_second", all as f64 / enqueued.as_secs_f64());
    report.set("per_second", all as f64 / seconds);
    report.set("worker_cpu_us", cpu_ms(&reports) * 1e3 / all as f64);
    let peak = reports.iter().map(|report| report.peak_kib).max();
    report.count("peak_kib", peak.unwrap_or_default());
    Ok(report)
}
