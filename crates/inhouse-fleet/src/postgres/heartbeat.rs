//! The heartbeat of a host, one row however many turns it runs.
//!
//! It has a separate connection: a host whose heartbeats wait for a connection of the pool would be taken for dead with all of its turns.

use std::sync::Arc;

use sqlx::postgres::{PgConnection, PgExecutor, PgRow};
use sqlx::{ConnectOptions as _, Row as _};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot::error::TryRecvError;
use tokio::sync::{Notify, oneshot};
use tokio::task::AbortHandle;
use tokio::time::timeout;
use uuid::Uuid;

use super::fleet::seconds;
use super::health::ServedHost;
use super::serve::jittered;
use super::statement::Statement as _;
use super::{Fleet, FleetError, FleetErrorKind, sweep};

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
    health: Arc<ServedHost>,
    connection: Option<PgConnection>,
    connecting: Option<oneshot::Receiver<PgConnection>>,
}

/// A running heartbeat and sweep, which end when this value is dropped.
pub(super) struct RunningHeartbeat {
    tasks: [AbortHandle; 2],
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
        for task in &self.tasks {
            task.abort();
        }
    }
}

impl Heartbeat {
    /// Registers a host, and sends heartbeats and sweeps in the background. The answer to each heartbeat goes to `report`.
    pub(super) async fn start(
        fleet: &Fleet,
        slots: usize,
        incarnation: Uuid,
        health: &Arc<ServedHost>,
        report: UnboundedSender<Beat>,
    ) -> Result<RunningHeartbeat, FleetError> {
        sqlx::query(
            "insert into inhouse.host (incarnation, name, slots, alive_until)
             values ($1, $2, $3, clock_timestamp() + make_interval(secs => $4))",
        )
        .bind(incarnation)
        .bind(fleet.settings.host_name())
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
            health: Arc::clone(health),
            connection: None,
            connecting: None,
        };
        let heartbeat = tokio::spawn(heartbeat.run()).abort_handle();
        let tasks = [heartbeat, sweep::start(fleet, incarnation)];
        Ok(RunningHeartbeat { tasks, soon })
    }

    async fn run(mut self) {
        let interval = self.fleet.settings.host_ttl / 3;
        loop {
            // A statement that hangs must not keep the next heartbeat from being tried.
            let error = match timeout(interval, self.beat()).await {
                Ok(Ok(beat)) => {
                    // Fails if the host has ended.
                    if self.report.send(beat).is_err() {
                        return;
                    }
                    None
                }
                Ok(Err(error)) => Some(error.to_string()),
                Err(_) => Some("no answer in time".to_owned()),
            };
            if let Some(error) = &error {
                tracing::warn!(error, "heartbeat failed");
            }
            self.health.beat(error);
            let _ = timeout(jittered(interval), self.soon.notified()).await;
        }
    }

    async fn beat(&mut self) -> Result<Beat, FleetError> {
        let pool = self.fleet.store.pool();
        if pool.is_closed() {
            let text = "the store was closed";
            return Err(FleetError::new(FleetErrorKind::Unavailable, text));
        }
        let row = match self.take_connection() {
            Some(mut connection) => {
                let row = self.send(&mut connection).await?;
                // One that has failed, or whose answer was not waited for, is closed instead.
                self.connection = Some(connection);
                row
            }
            None => self.send(self.fleet.store.pool()).await?,
        };
        let Some(row) = row else {
            return Ok(Beat::Unknown);
        };
        Ok(Beat::Alive {
            draining: row.try_get(0)?,
            stops: row.try_get(1)?,
            claims: row.try_get(2)?,
        })
    }

    /// Returns the separate connection. Without one, the pool is used until it is made in the background, which may take longer than a heartbeat
    /// may, or may not be possible, if the server has none left.
    fn take_connection(&mut self) -> Option<PgConnection> {
        if let Some(connection) = self.connection.take() {
            return Some(connection);
        }
        let connecting = self.connecting.get_or_insert_with(|| {
            let (sender, connecting) = oneshot::channel();
            let options = self.fleet.store.pool().connect_options();
            tokio::spawn(async move {
                match options.connect().in_time().await {
                    // Fails if the host has ended.
                    Ok(connection) => drop(sender.send(connection)),
                    Err(error) => tracing::warn!(%error, "no connection for heartbeats"),
                }
            });
            connecting
        });
        match connecting.try_recv() {
            Err(TryRecvError::Empty) => None,
            received => {
                self.connecting = None;
                received.ok()
            }
        }
    }

    async fn send(&self, executor: impl PgExecutor<'_>) -> Result<Option<PgRow>, FleetError> {
        let query = sqlx::query(
            "with beat as (
                 update inhouse.host set alive_until = clock_timestamp() + make_interval(secs => $2),
                     -- The heartbeat before was longer ago than half of the time.
                     steady_since = case when alive_until < clock_timestamp() + make_interval(secs => $2) / 2
                                    then clock_timestamp() else steady_since end
                 where incarnation = $1 returning draining
             )
             select draining,
                 array(select w.id from inhouse.session s join inhouse.work w on w.id = s.work
                       where s.host = $1 and s.state = 'running' and w.stop is not null),
                 array(select claim from inhouse.session where host = $1 and state = 'running')
             from beat",
        )
        .bind(self.incarnation)
        .bind(seconds(self.fleet.settings.host_ttl));
        query.fetch_optional(executor).in_time().await
    }
}
