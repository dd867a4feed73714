//! The heartbeat of a host, one row however many turns it runs, and the sweep that finds dead hosts.

use std::sync::Arc;

use sqlx::Row as _;
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::AbortHandle;
use tokio::time::timeout;
use uuid::Uuid;

use super::fleet::seconds;
use super::serve::jittered;
use super::statement::Statement as _;
use super::{Fleet, FleetError};

/// The answer of the database to a heartbeat.
#[derive(Debug)]
pub(super) enum Beat {
    Alive {
        /// Whether the host is to take no further work.
        draining: bool,
        /// The work of this host that a person wants to be stopped.
        stops: Vec<Uuid>,
        /// The claims that the database has for this host.
        claims: Vec<i64>,
    },
    /// The host counts as dead, and its work was given to others.
    Unknown,
}

pub(super) struct Heartbeat {
    fleet: Fleet,
    incarnation: Uuid,
    report: UnboundedSender<Beat>,
    soon: Arc<Notify>,
}

/// A running heartbeat, which ends when this value is dropped.
pub(super) struct RunningHeartbeat {
    task: AbortHandle,
    soon: Arc<Notify>,
}

impl RunningHeartbeat {
    /// Sends the next heartbeat now.
    pub(super) fn beat_soon(&self) {
        self.soon.notify_one();
    }
}

impl Drop for RunningHeartbeat {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Heartbeat {
    /// Registers a host and sends heartbeats in the background. Each answer goes to `report`.
    pub(super) async fn start(
        fleet: &Fleet,
        slots: usize,
        incarnation: Uuid,
        report: UnboundedSender<Beat>,
    ) -> Result<RunningHeartbeat, FleetError> {
        sqlx::query(
            "insert into inhouse.host (incarnation, name, slots, alive_until)
             values ($1, $2, $3, clock_timestamp() + make_interval(secs => $4))",
        )
        .bind(incarnation)
        .bind(fleet.settings.name.clone().unwrap_or_else(default_name))
        .bind(i32::try_from(slots).unwrap_or(i32::MAX))
        .bind(seconds(fleet.settings.host_ttl))
        .execute(fleet.store.pool())
        .in_time()
        .await?;
        let soon = Arc::new(Notify::new());
        let heartbeat = Self {
            fleet: fleet.clone(),
            incarnation,
            report,
            soon: Arc::clone(&soon),
        };
        let task = tokio::spawn(heartbeat.run()).abort_handle();
        Ok(RunningHeartbeat { task, soon })
    }

    async fn run(self) {
        let interval = self.fleet.settings.host_ttl / 3;
        loop {
            // A statement that hangs must not keep the next heartbeat from being tried.
            match timeout(interval, self.beat()).await {
                Ok(Ok(beat)) => {
                    // Fails if the host has ended.
                    if self.report.send(beat).is_err() {
                        return;
                    }
                }
                Ok(Err(error)) => tracing::warn!(%error, "heartbeat failed"),
                Err(_) => tracing::warn!("heartbeat not answered in time"),
            }
            match timeout(interval, self.sweep()).await {
                Ok(Ok(0)) | Err(_) => {}
                Ok(Ok(taken)) => tracing::warn!(taken, "sessions taken from dead hosts"),
                Ok(Err(error)) => tracing::warn!(%error, "sweep failed"),
            }
            let _ = timeout(jittered(interval), self.soon.notified()).await;
        }
    }

    async fn beat(&self) -> Result<Beat, FleetError> {
        let row = sqlx::query(
            "with beat as (
                 update inhouse.host set alive_until = clock_timestamp() + make_interval(secs => $2)
                 where incarnation = $1 returning draining
             )
             select draining,
                 array(select w.id from inhouse.session s join inhouse.work w on w.id = s.work
                       where s.host = $1 and s.state = 'running' and w.stop is not null),
                 array(select claim from inhouse.session where host = $1 and state = 'running')
             from beat",
        )
        .bind(self.incarnation)
        .bind(seconds(self.fleet.settings.host_ttl))
        .fetch_optional(self.fleet.store.pool())
        .in_time()
        .await?;
        let Some(row) = row else {
            return Ok(Beat::Unknown);
        };
        Ok(Beat::Alive {
            draining: row.try_get(0)?,
            stops: row.try_get(1)?,
            claims: row.try_get(2)?,
        })
    }

    /// Gives the work of dead hosts to others, denies expired questions, and removes what is old. Returns how many sessions were taken.
    async fn sweep(&self) -> Result<i32, FleetError> {
        let (settings, pool) = (&self.fleet.settings, self.fleet.store.pool());
        let taken = sqlx::query_scalar(
            "select inhouse.sweep($1, make_interval(secs => $2), make_interval(secs => $3))",
        )
        .bind(i32::try_from(settings.max_attempts).unwrap_or(i32::MAX))
        .bind(seconds(settings.retry_pause))
        .bind(seconds(settings.longest_retry_pause))
        .fetch_one(pool)
        .in_time()
        .await?;
        sqlx::query("select inhouse.expire()")
            .execute(pool)
            .in_time()
            .await?;
        sqlx::query("select inhouse.purge(make_interval(secs => $1))")
            .bind(seconds(settings.retention))
            .execute(pool)
            .in_time()
            .await?;
        Ok(taken)
    }
}

fn default_name() -> String {
    let host = std::env::var("HOSTNAME").unwrap_or_else(|_| "host".to_owned());
    format!("{host}-{}", std::process::id())
}
