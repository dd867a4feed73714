//! Calls that wait for transactions of others, and must not take all connections of the process meanwhile.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use sqlx::Postgres;
use sqlx::pool::PoolConnection;
use sqlx::postgres::PgPool;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};
use tokio::time::Instant;

/// How long a call may wait for everything together. Less than the limit of a statement: one that is given up before the server does so would
/// keep its connection busy.
const WAIT: Duration = Duration::from_secs(25);
/// How long a call may wait for a lock after it has waited long for a connection.
const SHORTEST_WAIT: Duration = Duration::from_millis(500);

/// Limits the calls that wait for the counter of a session, which a transaction keeps locked until it ends.
///
/// One call for each session has a connection: the others would only wait behind it. All of them together have half of the connections, so
/// that leases and turns have the rest.
#[derive(Debug)]
pub(super) struct WaitingCalls {
    all: Semaphore,
    sessions: Mutex<HashMap<String, Weak<Semaphore>>>,
}

/// A call that may wait for a lock of its session, and its connection.
pub(super) struct WaitingCall<'a> {
    pub(super) connection: PoolConnection<Postgres>,
    deadline: Instant,
    _of_session: OwnedSemaphorePermit,
    _of_all: SemaphorePermit<'a>,
}

impl WaitingCall<'_> {
    /// Returns the setting `lock_timeout` for the statement of this call, in milliseconds.
    pub(super) fn lock_timeout(&self) -> String {
        let left = self.deadline.saturating_duration_since(Instant::now());
        left.max(SHORTEST_WAIT).as_millis().to_string()
    }
}

impl WaitingCalls {
    pub(super) fn new(pool: &PgPool) -> Self {
        let connections = pool.options().get_max_connections() as usize;
        Self {
            all: Semaphore::new((connections / 2).max(1)),
            sessions: Mutex::default(),
        }
    }

    /// Waits for the earlier calls for the session, in their order, and for a connection.
    pub(super) async fn enter(
        &self,
        session: &str,
        pool: &PgPool,
    ) -> sqlx::Result<WaitingCall<'_>> {
        let deadline = Instant::now() + WAIT;
        let of_session = self.semaphore_of(session).acquire_owned().await;
        let of_all = self.all.acquire().await;
        Ok(WaitingCall {
            connection: pool.acquire().await?,
            deadline,
            _of_session: of_session.expect("the semaphore is never closed"),
            _of_all: of_all.expect("the semaphore is never closed"),
        })
    }

    fn semaphore_of(&self, session: &str) -> Arc<Semaphore> {
        let sessions = self.sessions.lock();
        let mut sessions = sessions.unwrap_or_else(PoisonError::into_inner);
        if let Some(semaphore) = sessions.get(session).and_then(Weak::upgrade) {
            return semaphore;
        }
        sessions.retain(|_, semaphore| semaphore.strong_count() > 0);
        let semaphore = Arc::new(Semaphore::new(1));
        sessions.insert(session.to_owned(), Arc::downgrade(&semaphore));
        semaphore
    }
}
