//! Notifications of the database: one connection, however many readers.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sqlx::postgres::{PgListener, PgPool, PgPoolOptions};
use tokio::sync::{broadcast, watch};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use super::FleetError;
use super::backoff::Backoff;
use super::statement::Statement as _;

/// The channel for hosts: `ready`, `drain` and `stop <work>`.
const WORK: &str = "inhouse_work";
/// The channel for watchers: the id of the work that has news.
const EVENTS: &str = "inhouse_event";
/// A connection that is silent for this long is replaced: the network may have dropped it without a sign.
const SILENCE: Duration = Duration::from_secs(300);
/// Signals that a slow host may have before it has to look at the database instead.
const BACKLOG: usize = 1024;

/// A signal for hosts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Signal {
    /// A session may be ready, or signals may have been missed.
    Ready,
    /// A person wants this work to be stopped.
    Stop(Uuid),
    /// A host is to take no further work.
    Drain,
}

/// Receives notifications, while there is a reader.
#[derive(Debug)]
pub(super) struct Listener {
    shared: Arc<Shared>,
    task: Mutex<Option<AbortHandle>>,
    enabled: bool,
}

#[derive(Debug)]
struct Shared {
    /// Whether a connection listens on the needed channels.
    is_connected: AtomicBool,
    /// Which channels have readers.
    needed: watch::Sender<Channels>,
    signals: broadcast::Sender<Signal>,
    watched: Mutex<HashMap<Uuid, watch::Sender<()>>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Channels {
    work: bool,
    events: bool,
}

/// A subscription to the news of one work.
pub(super) struct News {
    shared: Arc<Shared>,
    work: Uuid,
    receiver: watch::Receiver<()>,
}

impl Listener {
    /// Creates a listener; without `enabled` it never connects, and readers look at the database at intervals.
    pub(super) fn new(enabled: bool) -> Self {
        let shared = Shared {
            is_connected: AtomicBool::new(false),
            needed: watch::Sender::default(),
            signals: broadcast::Sender::new(BACKLOG),
            watched: Mutex::default(),
        };
        Self {
            shared: Arc::new(shared),
            task: Mutex::default(),
            enabled,
        }
    }

    pub(super) fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// Returns whether notifications arrive, as far as this process can tell: a connection that the network dropped without a sign counts until it is
    /// replaced.
    pub(super) fn is_connected(&self) -> bool {
        self.shared.is_connected.load(Ordering::Relaxed)
    }

    /// Returns the signals for hosts from now on.
    pub(super) fn signals(&self, pool: &PgPool) -> broadcast::Receiver<Signal> {
        let signals = self.shared.signals.subscribe();
        self.need(pool, |channels| channels.work = true);
        signals
    }

    /// Returns the news of a work item from now on.
    pub(super) fn news(&self, pool: &PgPool, work: Uuid) -> News {
        let receiver = self.shared.watched().entry(work).or_default().subscribe();
        self.need(pool, |channels| channels.events = true);
        News {
            shared: Arc::clone(&self.shared),
            work,
            receiver,
        }
    }

    fn need(&self, pool: &PgPool, change: impl FnOnce(&mut Channels)) {
        if !self.enabled {
            return;
        }
        self.shared.needed.send_if_modified(|channels| {
            let before = *channels;
            change(channels);
            *channels != before
        });
        let mut task = self.task.lock().unwrap_or_else(PoisonError::into_inner);
        // Ended tasks are those of a runtime that has shut down.
        if task.as_ref().is_none_or(AbortHandle::is_finished) {
            let listen = listen(Arc::clone(&self.shared), pool.clone());
            *task = Some(tokio::spawn(listen).abort_handle());
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let task = self.task.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(task) = task {
            task.abort();
        }
    }
}

impl News {
    /// Waits for news, at most for `limit`.
    pub(super) async fn wait(&mut self, limit: Duration) {
        // Fails if the listener is gone; then the limit is all that is left.
        if let Ok(Err(_)) = timeout(limit, self.receiver.changed()).await {
            sleep(limit).await;
        }
    }
}

impl Drop for News {
    fn drop(&mut self) {
        let mut watched = self.shared.watched();
        // This receiver is the last one.
        if watched
            .get(&self.work)
            .is_some_and(|sender| sender.receiver_count() <= 1)
        {
            watched.remove(&self.work);
        }
    }
}

impl Shared {
    fn watched(&self) -> std::sync::MutexGuard<'_, HashMap<Uuid, watch::Sender<()>>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn dispatch(&self, channel: &str, payload: &str) {
        if channel == EVENTS {
            let work = Uuid::try_parse(payload).unwrap_or_default();
            if let Some(sender) = self.watched().get(&work) {
                sender.send_replace(());
            }
            return;
        }
        let signal = match payload.split_once(' ') {
            Some(("stop", work)) => Uuid::try_parse(work).map_or(Signal::Ready, Signal::Stop),
            None if payload == "drain" => Signal::Drain,
            _ => Signal::Ready,
        };
        // Fails without a host.
        let _ = self.signals.send(signal);
    }

    /// Makes every reader look at the database: notifications may have been missed.
    fn dispatch_all(&self) {
        for sender in self.watched().values() {
            sender.send_replace(());
        }
        let _ = self.signals.send(Signal::Drain);
        let _ = self.signals.send(Signal::Ready);
    }
}

/// Keeps a connection that listens on the needed channels. Without one, readers look at the database at intervals.
async fn listen(shared: Arc<Shared>, pool: PgPool) {
    // A separate connection: one of the pool's would be missing to all others.
    let options = (*pool.connect_options()).clone();
    let pool = PgPoolOptions::new()
        .max_connections(1)
        .connect_lazy_with(options);
    let mut needed = shared.needed.subscribe();
    let mut backoff = Backoff::new();
    loop {
        let channels = *needed.borrow_and_update();
        match connect(&pool, channels).await {
            Ok(mut listener) => {
                backoff.reset();
                shared.is_connected.store(true, Ordering::Relaxed);
                shared.dispatch_all();
                tokio::select! {
                    () = receive(&shared, &mut listener) => {}
                    // The connection is replaced by one with all channels.
                    changed = needed.changed() => if changed.is_err() { return },
                }
                shared.is_connected.store(false, Ordering::Relaxed);
            }
            Err(error) => {
                tracing::warn!(%error, "cannot listen to the database, trying again");
                backoff.wait().await;
            }
        }
    }
}

async fn connect(pool: &PgPool, channels: Channels) -> Result<PgListener, FleetError> {
    let connect = async {
        let mut listener = PgListener::connect_with(pool).await?;
        listener.eager_reconnect(false);
        if channels.work {
            listener.listen(WORK).await?;
        }
        if channels.events {
            listener.listen(EVENTS).await?;
        }
        Ok(listener)
    };
    connect.in_time().await
}

/// Passes notifications on until the connection is lost or silent for too long.
async fn receive(shared: &Shared, listener: &mut PgListener) {
    while let Ok(Ok(Some(notification))) = timeout(SILENCE, listener.try_recv()).await {
        shared.dispatch(notification.channel(), notification.payload());
    }
}
