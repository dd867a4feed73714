use std::sync::Arc;
use std::time::Duration;

use super::Fleet;
use super::fleet::Shared;

/// Which messages of the CLI are stored for [`Fleet::watch`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoredMessages {
    /// No messages: a watcher sees only when a prompt begins, asks and ends.
    None,
    /// All messages except the events of one that is being written. The default.
    #[default]
    Whole,
    /// All messages. Writes a row for each piece of text of the model if the options ask for partial messages.
    Partial,
}

#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) name: Option<String>,
    pub(super) host_ttl: Duration,
    pub(super) poll_interval: Duration,
    pub(super) grace: Duration,
    pub(super) max_attempts: u32,
    pub(super) retry_pause: Duration,
    pub(super) longest_retry_pause: Duration,
    pub(super) question_ttl: Duration,
    pub(super) retention: Duration,
    pub(super) messages: StoredMessages,
}

impl Default for Settings {
    fn default() -> Self {
        const DAY: Duration = Duration::from_secs(24 * 3600);
        Self {
            name: None,
            host_ttl: Duration::from_secs(15),
            poll_interval: Duration::from_secs(1),
            grace: Duration::from_secs(30),
            max_attempts: 5,
            retry_pause: Duration::from_secs(1),
            longest_retry_pause: Duration::from_secs(60),
            question_ttl: 7 * DAY,
            retention: 30 * DAY,
            messages: StoredMessages::default(),
        }
    }
}

impl Settings {
    /// Returns the name of this host.
    pub(super) fn host_name(&self) -> String {
        self.name.clone().unwrap_or_else(|| {
            let host = std::env::var("HOSTNAME").unwrap_or_else(|_| "host".to_owned());
            format!("{host}-{}", std::process::id())
        })
    }
}

/// Settings, for the process that calls them. Hosts of one fleet should have the same, apart from their names.
///
/// ```no_run
/// use std::time::Duration;
///
/// use inhouse_fleet::postgres::{Fleet, StoredMessages};
/// use inhouse_store::postgres::PostgresStore;
///
/// # async fn example(store: PostgresStore) {
/// let fleet = Fleet::postgres(&store)
///     .host_name("agents-1")
///     .max_attempts(3)
///     .grace(Duration::from_secs(120))
///     .stored_messages(StoredMessages::None);
/// # drop(fleet); }
/// ```
impl Fleet {
    /// Sets the name of this host in events and in the status; by default the variable `HOSTNAME` and the id of the process.
    #[must_use]
    pub fn host_name(mut self, name: impl Into<String>) -> Self {
        self.settings.name = Some(name.into());
        self
    }

    /// Sets after what time without a heartbeat a host is dead and its prompts go to other hosts; 15 s by default.
    ///
    /// A host sends a heartbeat every third of this time. It declares others dead only after this time with heartbeats that the database accepted
    /// without a gap of half of it, so an outage of the database is not the death of its hosts. If no other host has been running that long, as after
    /// a restart of all hosts, prompts of dead hosts wait up to this time longer. The session itself is protected by its lease in the store: a host
    /// that takes over waits for the end of that lease, so it should not be much longer than this time.
    #[must_use]
    pub fn host_ttl(mut self, ttl: Duration) -> Self {
        self.settings.host_ttl = ttl.max(Duration::from_millis(30));
        self
    }

    /// Sets how often a host with a free slot looks at the database without being notified; every second by default.
    ///
    /// Notifications make prompts begin at once. The interval decides how late a prompt begins whose time has come, and everything else if
    /// notifications are [off](Self::without_notifications). Watchers look 30 times less often, or as often without notifications.
    #[must_use]
    pub fn poll_interval(mut self, interval: Duration) -> Self {
        self.settings.poll_interval = interval.max(Duration::from_millis(10));
        self
    }

    /// Sets how long [`serve`](Self::serve) lets running turns finish after its shutdown signal; 30 s by default.
    ///
    /// Turns that are still running then are stopped and continued by other hosts.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.settings.grace = grace;
        self
    }

    /// Sets after how many failed attempts a prompt is parked; 5 by default.
    #[must_use]
    pub fn max_attempts(mut self, attempts: u32) -> Self {
        self.settings.max_attempts = attempts.max(1);
        self
    }

    /// Sets the pause after the first failed attempt, which doubles with each further one up to `longest`; 1 s and 60 s by default.
    ///
    /// The later prompts of the session wait, because they come after this one.
    #[must_use]
    pub fn retry_pause(mut self, first: Duration, longest: Duration) -> Self {
        self.settings.retry_pause = first;
        self.settings.longest_retry_pause = longest.max(first);
        self
    }

    /// Sets how long a question may stay unanswered; 7 days by default. Then the call is denied, and the turn continues.
    #[must_use]
    pub fn question_ttl(mut self, ttl: Duration) -> Self {
        self.settings.question_ttl = ttl;
        self
    }

    /// Sets how long finished and cancelled work is kept, with its events and its dedupe key; 30 days by default. Parked work is kept until it
    /// is retried or cancelled.
    #[must_use]
    pub fn retention(mut self, retention: Duration) -> Self {
        self.settings.retention = retention;
        self
    }

    /// Sets which messages are stored for [`watch`](Self::watch).
    #[must_use]
    pub fn stored_messages(mut self, messages: StoredMessages) -> Self {
        self.settings.messages = messages;
        self
    }

    /// Uses no `LISTEN`, for a connection pooler in transaction mode. Everything is then noticed after the
    /// [poll interval](Self::poll_interval) at the latest, apart from a [drain](Self::drain) of a host that runs no turn: a heartbeat reads it, after a
    /// third of [`host_ttl`](Self::host_ttl).
    ///
    /// A host that runs turns sends a heartbeat in each poll interval, to read which of them are cancelled.
    #[must_use]
    pub fn without_notifications(mut self) -> Self {
        self.shared = Arc::new(Shared::new(self.store.pool(), false));
        self
    }
}
