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
        let mut subscribers = self.lock();
        // Before the list grows, so that a server with many short sessions keeps only the live ones.
        if subscribers.len() == subscribers.capacity() {
            subscribers.retain(|subscriber| subscriber.strong_count() > 0);
        }
        subscribers.push(subscriber);
    }

    /// Returns the live sessions, and removes the ended ones from the list.
    ///
    /// Callers drop the references after the lock: dropping the last one to a session runs user code.
    pub(super) fn alive(&self) -> Vec<Arc<dyn Subscriber>> {
        let mut alive = Vec::new();
        self.lock().retain(|subscriber| {
            alive.extend(subscriber.upgrade());
            subscriber.strong_count() > 0
        });
        alive
    }

    // A poisoned list is still consistent: no method panics in the middle of a change.
    fn lock(&self) -> MutexGuard<'_, Vec<Weak<dyn Subscriber>>> {
        self.subscribers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct FakeSubscriber;

    impl Subscriber for FakeSubscriber {
        fn tools_changed(&self) {}

        fn listed(&self, _: u64) -> Listed {
            Box::pin(std::future::ready(Ok(())))
        }
    }

    #[test]
    fn ended_sessions_are_removed_without_a_change_of_tools() {
        let subscribers = Subscribers::default();
        let live: Arc<dyn Subscriber> = Arc::new(FakeSubscriber);
        subscribers.add(Arc::downgrade(&live));
        for _ in 0..1000 {
            let ended: Arc<dyn Subscriber> = Arc::new(FakeSubscriber);
            subscribers.add(Arc::downgrade(&ended));
        }
        assert!(subscribers.lock().len() < 10);
        assert_eq!(subscribers.alive().len(), 1);
    }
}
