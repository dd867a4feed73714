use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::error::Result;

/// A session that is notified when the tools of its server change.
pub(crate) trait Subscriber: Send + Sync {
    /// Announces the change to the client, without waiting for it.
    fn tools_changed(&self);

    /// Resolves when the client has listed this revision of the tools, when the session has ended,
    /// or at the session's deadline, which starts now.
    ///
    /// The future does not keep the subscriber alive.
    fn listed(&self, revision: u64) -> Listed;
}

pub(crate) type Listed = Pin<Box<dyn Future<Output = Result<()>> + Send>>;

/// The live sessions of a server.
#[derive(Default)]
pub(super) struct Subscribers {
    subscribers: Mutex<Vec<Weak<dyn Subscriber>>>,
}

impl Subscribers {
    pub(super) fn add(&self, subscriber: Weak<dyn Subscriber>) {
        self.lock().push(subscriber);
    }

    /// Returns the sessions that are left, and forgets the others.
    ///
    /// They are returned without the lock: dropping the last reference to a session runs user code.
    pub(super) fn alive(&self) -> Vec<Arc<dyn Subscriber>> {
        let mut alive = Vec::new();
        self.lock().retain(|subscriber| {
            alive.extend(subscriber.upgrade());
            subscriber.strong_count() > 0
        });
        alive
    }

    // Nothing in here can panic half-way through a change.
    fn lock(&self) -> MutexGuard<'_, Vec<Weak<dyn Subscriber>>> {
        self.subscribers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
