//! Turns per second, and the time from a prompt to its begin.

use std::error::Error;

use inhouse_fleet::{Fleet, Work};
use tokio::task::JoinSet;

use super::Database;
use super::cli::prompt;
use super::worker::{WorkerSettings, Workers, cpu_ms, delay_ms};
use crate::generator::Failure;
use crate::report::Report;

/// The number of prompts that are enqueued at the same time.
const ENQUEUEING: usize = 8;

/// The number of workers.
const WORKERS: usize = 2;

const SETTINGS: WorkerSettings = WorkerSettings {
    slots: 40,
    lifetime: None,
};

/// Enqueues prompts for sessions while two workers answer them.
///
/// # Errors
/// Returns an error if the database fails, or a prompt is not answered.
pub async fn turns(server: &str, sessions: usize, turns: usize) -> Result<Report, Box<dyn Error>> {
    let database = Database::create(server).await?;
    let workers = Workers::start(&database, WORKERS, SETTINGS).await?;
    let begin = database.counters().await?;
    enqueue(database.fleet(), sessions, turns).await?;
    let open = "select count(*) from inhouse.work where state in ('queued', 'running', 'deferred')";
    database.until(open, |open| open == 0).await?;
    // Connections report what they have done when they end.
    let reports = workers.finish().await?;
    let spent = database.spent_since(&begin).await?;

    let all = (sessions * turns) as f64;
    let done: f64 = reports.iter().map(|report| report.done as f64).sum();
    if done != all {
        return Err(Failure::new(format!("{done} of {all} prompts were answered")).into());
    }
    // By the clock of the database, so that the start and the end of the workers do not count.
    let seconds: f64 = sqlx::query_scalar(
        "select extract(epoch from max(finished) - min(created))::float8 from inhouse.work",
    )
    .fetch_one(database.pool())
    .await?;
    let mut report = Report::default();
    report.set("per_second", all / seconds);
    report.set("transactions", spent.transactions / all);
    report.set("log_kib", spent.log_bytes / 1024.0 / all);
    report.set("worker_cpu_us", cpu_ms(&reports) * 1e3 / all);
    report.set("server_cpu_us", spent.cpu.as_secs_f64() * 1e6 / all);
    let peak = reports.iter().map(|report| report.peak_kib).max();
    report.count("peak_kib", peak.unwrap_or_default());
    Ok(report)
}

/// Enqueues prompts one after the other for workers that are idle.
///
/// # Errors
/// Returns an error if the database fails, or a prompt is not answered.
pub async fn begin(server: &str, sessions: usize, turns: usize) -> Result<Report, Box<dyn Error>> {
    let database = Database::create(server).await?;
    let workers = Workers::start(&database, WORKERS, SETTINGS).await?;
    let fleet = database.fleet();
    for number in 0..turns {
        for session in 0..sessions {
            let work = Work::new(format!("session-{session}"), prompt(number));
            let id = fleet.enqueue(work).await?;
            fleet.result(&id).await?;
        }
    }
    let reports = workers.finish().await?;
    let mut report = Report::default();
    report.set("p50_ms", delay_ms(&reports, 0.5));
    report.set("p99_ms", delay_ms(&reports, 0.99));
    Ok(report)
}

/// Enqueues prompts: the first of each session, then the second of each, and so on.
pub(super) async fn enqueue(
    fleet: &Fleet,
    sessions: usize,
    turns: usize,
) -> Result<(), Box<dyn Error>> {
    let mut tasks = JoinSet::new();
    for part in 0..ENQUEUEING {
        let fleet = fleet.clone();
        tasks.spawn(async move {
            for number in 0..turns {
                for session in (part..sessions).step_by(ENQUEUEING) {
                    let work = Work::new(format!("session-{session}"), prompt(number));
                    fleet.enqueue(work).await?;
                }
            }
            Ok::<_, inhouse_fleet::FleetError>(())
        });
    }
    while let Some(enqueued) = tasks.join_next().await {
        enqueued??;
    }
    Ok(())
}
