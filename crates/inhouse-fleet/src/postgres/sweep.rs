//! The sweep of a host: takes the work of dead hosts, denies expired questions, and removes what is old.

use tokio::task::AbortHandle;
use tokio::time::sleep;
use uuid::Uuid;

use super::fleet::seconds;
use super::serve::jittered;
use super::statement::Statement as _;
use super::{Fleet, FleetError};

/// Sweeps in the background, apart from the heartbeat, which a long sweep must not delay.
pub(super) fn start(fleet: &Fleet, incarnation: Uuid) -> AbortHandle {
    tokio::spawn(run(fleet.clone(), incarnation)).abort_handle()
}

async fn run(fleet: Fleet, incarnation: Uuid) {
    #[cfg(feature = "opentelemetry")]
    let metrics = crate::metrics::QueueMetrics::new();
    loop {
        match sweep(&fleet, incarnation).await {
            Ok(0) => {}
            Ok(taken) => tracing::warn!(taken, "sessions taken from dead hosts"),
            Err(error) => tracing::warn!(%error, "sweep failed"),
        }
        #[cfg(feature = "opentelemetry")]
        match ages(&fleet).await {
            Ok((oldest, waiting)) => metrics.record(oldest, waiting),
            Err(error) => tracing::warn!(%error, "age of the queue not read"),
        }
        sleep(jittered(fleet.settings.host_ttl / 3)).await;
    }
}

/// Returns how many sessions were taken from dead hosts.
async fn sweep(fleet: &Fleet, incarnation: Uuid) -> Result<i32, FleetError> {
    let (settings, pool) = (&fleet.settings, fleet.store.pool());
    // After an outage of the database, or a pause of the whole process, the other hosts need some time for their heartbeats as well. The database
    // measures all of it, so its clock may jump and that of this machine may have been stopped.
    let taken: Option<i32> = sqlx::query_scalar(
        "select inhouse.sweep($1, $2, make_interval(secs => $3), make_interval(secs => $4)) from inhouse.host
         where incarnation = $1 and steady_since < clock_timestamp() - make_interval(secs => $5)
             and alive_until > clock_timestamp() + make_interval(secs => $5) / 2",
    )
    .bind(incarnation)
    .bind(i32::try_from(settings.max_attempts).unwrap_or(i32::MAX))
    .bind(seconds(settings.retry_pause))
    .bind(seconds(settings.longest_retry_pause))
    .bind(seconds(settings.host_ttl))
    .fetch_optional(pool)
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
    Ok(taken.unwrap_or(0))
}

/// Returns the age of the oldest prompt, and the time for which a session has waited for a slot, in seconds.
#[cfg(feature = "opentelemetry")]
async fn ages(fleet: &Fleet) -> Result<(f64, f64), FleetError> {
    let ages = sqlx::query_as(
        "select coalesce((select extract(epoch from clock_timestamp() - created) from inhouse.oldest()), 0)::float8,
                inhouse.queue_age()",
    );
    ages.fetch_one(fleet.store.pool()).in_time().await
}
