//! Workers: processes of this program that serve a fleet until their input ends.

use std::error::Error;
use std::process::Stdio;
use std::time::Duration;

use inhouse::Options;
use inhouse_fleet::{Fleet, Host, Work};
use inhouse_store::postgres::PostgresStore;
use serde::{Deserialize, Serialize};
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, Command};

use super::Database;
use super::cli::Clis;
use crate::generator::Failure;
use crate::proc::{Memory, process_cpu};

/// How a worker serves.
#[derive(Clone, Copy, Debug)]
pub struct WorkerSettings {
    /// The number of turns at the same time.
    pub slots: usize,
    /// The duration of leases, and the time after which a worker counts as dead; the defaults unless set.
    pub lifetime: Option<Duration>,
}

/// The figures of a worker that has ended.
#[derive(Debug, Deserialize, Serialize)]
pub struct WorkerReport {
    /// The processor time of the process.
    pub cpu_ms: f64,
    /// The highest memory of the process.
    pub peak_kib: u64,
    /// The number of prompts that it answered.
    pub done: u64,
    /// The number of attempts that failed.
    pub failed: u64,
    /// The nanoseconds from each prompt to the start of its CLI.
    pub delays_ns: Vec<u64>,
}

/// Serves the fleet of a database until the input of this process ends.
///
/// # Errors
/// Returns an error if the database cannot be reached.
pub async fn work(url: &str, settings: WorkerSettings) -> Result<WorkerReport, Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().to_owned();
    let clis = Clis::new();
    let store = PostgresStore::connect(url).await?;
    let mut fleet = Fleet::postgres(&store);
    let mut host = Host::new(store, async move |_: &Work| {
        Ok(Options::new()
            .session_root(path.join("sessions"))
            .env("CLAUDE_CONFIG_DIR", &path))
    })
    .slots(settings.slots);
    if let Some(lifetime) = settings.lifetime {
        fleet = fleet.host_ttl(lifetime);
        host = host.lease_ttl(lifetime);
    }
    let opened = clis.clone();
    let host = host.transport(move |work: &Work| opened.open(work));
    let stats = host.clone();
    let end_of_input = async {
        let mut input = tokio::io::stdin();
        // Nothing is written to it.
        let _ = input.read(&mut [0]).await;
    };
    fleet.serve(host, end_of_input).await?;

    let stats = stats.stats();
    Ok(WorkerReport {
        cpu_ms: process_cpu().as_secs_f64() * 1e3,
        peak_kib: Memory::of("self")?.peak,
        done: stats.done,
        failed: stats.failed,
        delays_ns: clis.delays(),
    })
}

/// Running workers.
pub(super) struct Workers(Vec<Child>);

impl Workers {
    /// Starts workers, and waits until they serve.
    pub(super) async fn start(
        database: &Database,
        count: usize,
        settings: WorkerSettings,
    ) -> Result<Self, Box<dyn Error>> {
        let mut workers = Vec::new();
        for _ in 0..count {
            let mut command = Command::new(std::env::current_exe()?);
            let lifetime = settings
                .lifetime
                .map(|lifetime| lifetime.as_millis().to_string());
            command
                .args(["worker", database.url(), &settings.slots.to_string()])
                .args(lifetime)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .kill_on_drop(true);
            workers.push(command.spawn()?);
        }
        let served = "select count(*) from inhouse.host where alive_until > clock_timestamp()";
        let expected = i64::try_from(count)?;
        database.until(served, |hosts| hosts >= expected).await?;
        Ok(Self(workers))
    }

    /// Returns the ids of the processes.
    pub(super) fn ids(&self) -> Vec<String> {
        let ids = self.0.iter().filter_map(Child::id);
        ids.map(|id| id.to_string()).collect()
    }

    /// Kills one worker without letting it hand over.
    pub(super) async fn kill_one(&mut self) -> Result<(), Box<dyn Error>> {
        if let Some(mut worker) = self.0.pop() {
            worker.kill().await?;
        }
        Ok(())
    }

    /// Lets the workers end, and returns their reports.
    pub(super) async fn finish(self) -> Result<Vec<WorkerReport>, Box<dyn Error>> {
        let mut reports = Vec::new();
        for mut worker in self.0 {
            drop(worker.stdin.take());
            let output = worker.wait_with_output().await?;
            if !output.status.success() {
                return Err(Failure::of("a worker failed", output.status).into());
            }
            reports.push(serde_json::from_slice(&output.stdout)?);
        }
        Ok(reports)
    }
}

/// Returns the processor time of workers in milliseconds.
pub(super) fn cpu_ms(reports: &[WorkerReport]) -> f64 {
    reports.iter().map(|report| report.cpu_ms).sum()
}

/// Returns the time in milliseconds within which this part of the CLIs started after their prompts.
pub(super) fn delay_ms(reports: &[WorkerReport], part: f64) -> f64 {
    let mut delays: Vec<u64> = reports
        .iter()
        .flat_map(|report| report.delays_ns.clone())
        .collect();
    delays.sort_unstable();
    let at = (delays.len() as f64 * part) as usize;
    let delay = delays.get(at).or(delays.last());
    delay.map_or(f64::NAN, |delay| *delay as f64 / 1e6)
}
