//! The loop of a host: claims what it can carry, runs it, and hands over at the end.

use std::collections::HashMap;
use std::future::{Future, pending};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use sqlx::Row as _;
use sqlx::postgres::PgRow;
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;
use uuid::Uuid;

use super::backoff::Backoff;
use super::failing::Failures;
use super::health::ServedHost;
use super::heartbeat::{Beat, Heartbeat, RunningHeartbeat};
use super::listen::Signal;
use super::statement::Statement as _;
use super::turn::{Delivery, HostSign};
use super::{Fleet, FleetError};
use crate::{RunTurn, Work, WorkId};

/// How long turns may take to stop, and the database to accept the end of a host.
const STOP: Duration = Duration::from_secs(30);
/// How long the end of a host may be held up by showing it in the status.
const SHOWN: Duration = Duration::from_secs(1);

impl Fleet {
    /// Runs prompts of the queue on this host until `shutdown` is ready or the host is [drained](Self::drain).
    ///
    /// Any number of processes may serve. Each claims at most as many sessions as it has free [slots](RunTurn::slots). After the shutdown signal it
    /// claims nothing more; turns that are still running after the [grace](Self::grace) are stopped, and other hosts continue them without
    /// counting an attempt.
    ///
    /// While the database is unavailable, running turns continue until their leases are lost, and the host tries to connect again. A host whose turns
    /// fail for several tenants one after another claims one prompt at a time, after the pauses of [`retry_pause`](Self::retry_pause), until one
    /// succeeds. [`health`](Self::health) shows both.
    ///
    /// ```no_run
    /// use inhouse_fleet::RunTurn;
    /// use inhouse_fleet::postgres::Fleet;
    ///
    /// # async fn example(fleet: Fleet, host: impl RunTurn + 'static) -> Result<(), Box<dyn std::error::Error>> {
    /// let mut terminated = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    /// fleet.serve(host, async move { terminated.recv().await; }).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Cancellation
    /// Dropping the future kills the running CLIs. Other hosts continue their prompts after the [time](Self::host_ttl) of a dead host, which this one is then.
    ///
    /// # Errors
    /// Fails if the database cannot be reached at the start, or does not let the role claim work: [`Refused`](super::FleetErrorKind::Refused).
    pub async fn serve(
        &self,
        host: impl RunTurn + 'static,
        shutdown: impl Future<Output = ()>,
    ) -> Result<(), FleetError> {
        self.serve_shared(Arc::new(host), shutdown).await
    }

    /// Runs prompts on a host that other parts of the process use as well, as [`serve`](Self::serve) does.
    ///
    /// # Errors
    /// Fails as [`serve`](Self::serve) does.
    pub async fn serve_shared(
        &self,
        host: Arc<dyn RunTurn>,
        shutdown: impl Future<Output = ()>,
    ) -> Result<(), FleetError> {
        self.migrate().await?;
        let mut worker = Worker::join(self, host).await?;
        let worked = worker.work(shutdown).await;
        worker.hand_over().await;
        worked
    }
}

struct Worker {
    fleet: Fleet,
    runner: Arc<dyn RunTurn>,
    incarnation: Uuid,
    heartbeat: RunningHeartbeat,
    beats: UnboundedReceiver<Beat>,
    signals: broadcast::Receiver<Signal>,
    turns: JoinSet<HostSign>,
    running: HashMap<Id, RunningTurn>,
    failures: Failures,
    health: Arc<ServedHost>,
    /// The tenant of the last claim: tenants take turns.
    tenant: String,
    /// Whether a claim failed, so that the database may have delivered what this host does not know.
    unsure: bool,
    /// The greatest claim so far; `None` until the database has accepted one, be it without a session.
    last_claim: Option<i64>,
    /// When to claim next; `None` while a signal or the end of a turn has to come first.
    next_claim: Option<Instant>,
    /// When to look next whether running turns are to be stopped, if no notification would say so.
    next_look: Instant,
    backoff: Backoff,
}

struct RunningTurn {
    claim: i64,
    work: WorkId,
    tenant: String,
    stop: CancellationToken,
}

/// What the loop of a worker waited for.
enum Happened {
    Shutdown,
    Signal(Signal),
    Beat(Beat),
    Ended(Result<(Id, HostSign), JoinError>),
    ClaimDue,
    LookDue,
}

impl Worker {
    async fn join(fleet: &Fleet, runner: Arc<dyn RunTurn>) -> Result<Self, FleetError> {
        let signals = fleet.shared.listener.signals(fleet.store.pool());
        let incarnation = Uuid::new_v4();
        let settings = &fleet.settings;
        let health = fleet.shared.hosts.add(settings.host_ttl);
        let (heartbeat, beats) = start(fleet, &*runner, incarnation, &health).await?;
        Ok(Self {
            fleet: fleet.clone(),
            runner,
            incarnation,
            heartbeat,
            beats,
            signals,
            turns: JoinSet::new(),
            running: HashMap::new(),
            failures: Failures::new(settings.retry_pause, settings.longest_retry_pause),
            health,
            tenant: String::new(),
            unsure: false,
            last_claim: None,
            next_claim: Some(Instant::now()),
            next_look: Instant::now(),
            backoff: Backoff::new(),
        })
    }

    /// Works until the shutdown signal, or until this host is drained.
    ///
    /// # Errors
    /// The error of the first claim, if no repetition can help.
    async fn work(&mut self, shutdown: impl Future<Output = ()>) -> Result<(), FleetError> {
        let mut shutdown = pin!(shutdown);
        loop {
            let happened = tokio::select! {
                biased;
                () = &mut shutdown => Happened::Shutdown,
                happened = self.next(None) => happened,
            };
            match happened {
                Happened::Shutdown => return Ok(()),
                Happened::Beat(Beat::Alive { draining: true, .. }) => return Ok(()),
                Happened::Beat(Beat::Unknown) => tokio::select! {
                    () = &mut shutdown => return Ok(()),
                    () = self.rejoin() => {}
                },
                Happened::Signal(Signal::Ready) => self.next_claim = Some(Instant::now()),
                Happened::ClaimDue => {
                    let claimed = tokio::select! {
                        biased;
                        // What the claim may have delivered meanwhile returns to the queue with the end of this host.
                        () = &mut shutdown => return Ok(()),
                        claimed = self.claim() => claimed,
                    };
                    self.health.claimed(&claimed);
                    match claimed {
                        Err(error) if self.last_claim.is_none() && !error.is_retryable() => {
                            return Err(error);
                        }
                        claimed => self.start_claimed(claimed),
                    }
                }
                Happened::Ended(ended) => {
                    self.ended(ended);
                    self.next_claim = Some(Instant::now());
                }
                happened => self.handle(happened),
            }
        }
    }

    /// Takes no further work, lets turns finish, stops the rest, and leaves the queue.
    async fn hand_over(mut self) {
        tracing::info!(running = self.running.len(), "host takes no further work");
        self.health.set_draining();
        let draining = "update inhouse.host set draining = true where incarnation = $1";
        let draining = sqlx::query(draining).bind(self.incarnation);
        // For the status only.
        let _ = timeout(SHOWN, draining.execute(self.fleet.store.pool())).await;
        self.drain_until(Instant::now() + self.fleet.settings.grace)
            .await;
        for turn in self.running.values() {
            turn.stop.cancel();
        }
        self.drain_until(Instant::now() + STOP).await;
        // A turn that does not stop is dropped, which kills its CLI.
        self.turns.shutdown().await;
        match timeout(STOP, self.leave()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::warn!(%error, "host could not leave; it counts as dead soon");
            }
            Err(_) => tracing::warn!("host could not leave in time; it counts as dead soon"),
        }
    }

    async fn leave(&mut self) -> Result<(), FleetError> {
        self.backoff.reset();
        loop {
            let has_left: bool = sqlx::query_scalar("select inhouse.leave($1)")
                .bind(self.incarnation)
                .fetch_one(self.fleet.store.pool())
                .in_time()
                .await?;
            if has_left {
                return Ok(());
            }
            self.backoff.wait().await;
        }
    }

    /// Waits for the end of the running turns, at most until `deadline`.
    async fn drain_until(&mut self, deadline: Instant) {
        while !self.running.is_empty() {
            self.next_claim = None;
            match self.next(Some(deadline)).await {
                Happened::Shutdown => return,
                Happened::Ended(ended) => self.ended(ended),
                Happened::Beat(Beat::Unknown) => {
                    // All that is running was given to others.
                    for turn in self.running.values() {
                        turn.stop.cancel();
                    }
                }
                happened => self.handle(happened),
            }
        }
    }

    /// Waits for whatever happens next; [`Happened::Shutdown`] at the deadline.
    async fn next(&mut self, deadline: Option<Instant>) -> Happened {
        let has_slot = self.free_slots() > 0;
        let claim = self.next_claim.filter(|_| has_slot);
        let claim = claim.max(claim.and(self.failures.until()));
        let look = (!self.running.is_empty()).then_some(self.next_look);
        tokio::select! {
            biased;
            Some(ended) = self.turns.join_next_with_id() => Happened::Ended(ended),
            Some(beat) = self.beats.recv() => Happened::Beat(beat),
            signal = self.signals.recv() => Happened::Signal(match signal {
                Ok(signal) => signal,
                // The next heartbeat brings the stops that were missed.
                Err(RecvError::Lagged(_)) => Signal::Ready,
                Err(RecvError::Closed) => pending().await,
            }),
            () = until(deadline) => Happened::Shutdown,
            () = until(look) => Happened::LookDue,
            () = until(claim) => Happened::ClaimDue,
        }
    }

    fn handle(&mut self, happened: Happened) {
        match happened {
            Happened::Beat(Beat::Alive { stops, claims, .. }) => {
                for work in stops {
                    self.stop(work);
                }
                self.miss(&claims);
            }
            Happened::Signal(Signal::Stop(work)) => self.stop(work),
            Happened::Signal(Signal::Drain) => {
                // The heartbeat reads whether this host is meant.
                self.heartbeat.beat_soon();
            }
            Happened::LookDue => {
                self.next_look = Instant::now() + self.fleet.settings.poll_interval;
                if !self.fleet.shared.listener.is_connected() {
                    // The heartbeat reads the stops, and by itself comes only after a third of `host_ttl`.
                    self.heartbeat.beat_soon();
                }
            }
            _ => {}
        }
    }

    async fn claim(&mut self) -> Result<Vec<Delivery>, FleetError> {
        let wanted = self.free_slots();
        let known: Option<Vec<i64>> = self
            .unsure
            .then(|| self.running.values().map(|turn| turn.claim).collect());
        // Until the answer is there, the database may have delivered.
        self.unsure = true;
        let rows = sqlx::query(
            "select delivery, (prompt).id, (prompt).session, (prompt).tenant, (prompt).prompt, (prompt).priority,
                    (prompt).dedupe, (prompt).attempts, (prompt).host
             from inhouse.claim($1, $2, $3, $4)",
        )
        .bind(self.incarnation)
        .bind(i32::try_from(wanted).unwrap_or(i32::MAX))
        .bind(&self.tenant)
        .bind(known)
        .fetch_all(self.fleet.store.pool())
        .in_time()
        .await?;
        let name = self.fleet.settings.host_name();
        let deliveries = rows.iter().map(|row| read_delivery(row, &name));
        let deliveries = deliveries.collect::<Result<_, _>>()?;
        self.unsure = false;
        Ok(deliveries)
    }

    fn start_claimed(&mut self, claimed: Result<Vec<Delivery>, FleetError>) {
        let pause = match claimed {
            Ok(deliveries) => {
                self.backoff.reset();
                self.last_claim.get_or_insert(0);
                if !deliveries.is_empty() {
                    self.failures.claimed();
                }
                for delivery in deliveries {
                    self.start_turn(delivery);
                }
                self.fleet.settings.poll_interval
            }
            Err(error) => {
                tracing::warn!(%error, "no work claimed, trying again");
                self.backoff.next()
            }
        };
        self.next_claim = Some(Instant::now() + jittered(pause));
    }

    fn start_turn(&mut self, delivery: Delivery) {
        let (claim, work) = (delivery.claim, delivery.work.id);
        let span = tracing::info_span!(
            "delivery",
            %work,
            session = delivery.work.session,
            attempt = delivery.work.attempt
        );
        let tenant = delivery.work.tenant.clone();
        self.tenant.clone_from(&tenant);
        self.last_claim = self.last_claim.max(Some(claim));
        let stop = CancellationToken::new();
        let health = Arc::clone(&self.health);
        let runner = Arc::clone(&self.runner);
        let turn = delivery.run(self.fleet.clone(), health, runner, stop.clone());
        let task = self.turns.spawn(turn.instrument(span));
        let turn = RunningTurn {
            claim,
            work,
            tenant,
            stop,
        };
        self.running.insert(task.id(), turn);
    }

    fn ended(&mut self, ended: Result<(Id, HostSign), JoinError>) {
        let (id, sign) = match ended {
            Ok(ended) => ended,
            Err(error) => {
                tracing::error!(%error, "the task of a turn failed");
                // The database still has the claim, which comes again with the next one.
                self.unsure = true;
                (error.id(), HostSign::Failed)
            }
        };
        let Some(turn) = self.running.remove(&id) else {
            return;
        };
        let was_failing = self.failures.is_failing();
        match sign {
            HostSign::Succeeded => self.failures.succeeded(),
            HostSign::Failed => {
                let last_claim = self.last_claim.unwrap_or(turn.claim);
                self.failures.failed(&turn.tenant, turn.claim, last_claim);
            }
            HostSign::Unknown => {}
        }
        let is_failing = self.failures.is_failing();
        if is_failing != was_failing {
            self.health.set_failing(is_failing);
        }
        if is_failing && !was_failing {
            tracing::error!("turns fail one after another; this host claims one prompt at a time");
        }
    }

    fn stop(&self, work: Uuid) {
        for turn in self.running.values() {
            if turn.work.as_uuid() == work {
                turn.stop.cancel();
            }
        }
    }

    /// Claims again at once if the database has claims for this host that it does not know: their delivery was lost.
    fn miss(&mut self, claims: &[i64]) {
        let is_known = |claim: &i64| self.running.values().any(|turn| turn.claim == *claim);
        // One that has ended since is not delivered again.
        if !claims.iter().all(is_known) {
            self.unsure = true;
            self.next_claim = Some(Instant::now());
        }
    }

    /// Begins again as another incarnation: the others took this host for dead, and have its work.
    async fn rejoin(&mut self) {
        tracing::warn!("other hosts took this one for dead; its turns are stopped");
        for turn in self.running.values() {
            turn.stop.cancel();
        }
        loop {
            // For each try, because one whose answer was lost may have taken effect.
            self.incarnation = Uuid::new_v4();
            match start(&self.fleet, &*self.runner, self.incarnation, &self.health).await {
                Ok((heartbeat, beats)) => {
                    (self.heartbeat, self.beats) = (heartbeat, beats);
                    return;
                }
                Err(error) => {
                    tracing::warn!(%error, "host not registered, trying again");
                    self.backoff.wait().await;
                }
            }
        }
    }

    fn free_slots(&self) -> usize {
        let free = self.runner.slots().saturating_sub(self.running.len());
        match self.failures.is_failing() {
            true => free.min(1),
            false => free,
        }
    }
}

/// Registers a host, and starts its heartbeat.
async fn start(
    fleet: &Fleet,
    runner: &dyn RunTurn,
    incarnation: Uuid,
    health: &Arc<ServedHost>,
) -> Result<(RunningHeartbeat, UnboundedReceiver<Beat>), FleetError> {
    let (report, beats) = mpsc::unbounded_channel();
    let heartbeat = Heartbeat::start(fleet, runner.slots(), incarnation, health, report).await?;
    Ok((heartbeat, beats))
}

async fn until(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => pending().await,
    }
}

/// Shortens a pause by up to a quarter, so that hosts do not ask at the same time.
pub(super) fn jittered(pause: Duration) -> Duration {
    let random = Uuid::new_v4().as_bytes()[0];
    pause.mul_f64(1.0 - f64::from(random) / 1024.0)
}

/// Reads a delivery for the host with a name.
fn read_delivery(row: &PgRow, name: &str) -> Result<Delivery, FleetError> {
    let id: Uuid = row.try_get(1)?;
    let (session, prompt): (String, String) = (row.try_get(2)?, row.try_get(4)?);
    let mut work = Work::new(session, prompt).with_id(id.into());
    work.tenant = row.try_get(3)?;
    work.priority = row.try_get(5)?;
    work.dedupe = row.try_get(6)?;
    work.attempt = row.try_get::<i32, _>(7)?.unsigned_abs() + 1;
    // The host of the turn before; none before the first.
    let last_host: Option<String> = row.try_get(8)?;
    work.taken_over = last_host.is_some_and(|last| last != name);
    Ok(Delivery {
        claim: row.try_get(0)?,
        work,
    })
}
