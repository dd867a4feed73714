//! Calls that wait for transactions of others, and must not take all connections of the process meanwhile.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use sqlx::postgres::PgPool;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};

/// Limits the calls that wait for the counter of a session, which a transaction keeps locked until it ends.
///
/// One call for each session has a connection: the others would only wait behind it. All of them together have half of the connections, so
/// that leases and turns have the rest.
#[derive(Debug)]
pub(super) struct WaitingCalls {
    all: Semaphore,
    sessions: Mutex<HashMap<String, Weak<Semaphore>>>,
}

/// The permission to use a connection, until it is dropped.
pub(super) struct Permit<'a> {
    _of_session: OwnedSemaphorePermit,
    _of_all: SemaphorePermit<'a>,
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
    pub(super) async fn enter(&self, session: &str) -> Permit<'_> {
        let of_session = self.semaphore_of(session).acquire_owned().await;
        let of_all = self.all.acquire().await;
        Permit {
            _of_session: of_session.expect("the semaphore is never closed"),
            _of_all: of_all.expect("the semaphore is never closed"),
        }
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
