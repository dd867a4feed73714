use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

use super::{Call, Extract, ToolError};

/// Tells that nobody wants the result of a call any more.
///
/// An interrupt, a timeout of the CLI or the end of the session cancels a call. Its handler is then
/// dropped at its next `await`, which is all that most need. This is for the others: for work that
/// was handed to another task or thread, and goes on there until it is told.
#[derive(Clone, Debug)]
pub struct Cancelled {
    signal: Arc<Signal>,
}

/// The other end of [`Cancelled`]: dropping it tells that the call is over.
pub(crate) struct Canceller {
    cancelled: Cancelled,
}

#[derive(Debug, Default)]
struct Signal {
    is_given: AtomicBool,
    waiting: Notify,
}

impl Cancelled {
    /// Whether the call was cancelled, or is over.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.signal.is_given.load(Ordering::Acquire)
    }

    /// Cancels the call.
    pub(crate) fn cancel(&self) {
        self.signal.is_given.store(true, Ordering::Release);
        self.signal.waiting.notify_waiters();
    }

    /// Whether this is about the same call.
    pub(crate) fn is_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.signal, &other.signal)
    }

    /// Resolves when the call is cancelled, or is over.
    pub fn wait(&self) -> impl Future<Output = ()> + Send + 'static {
        let signal = Arc::clone(&self.signal);
        async move {
            // Made before the look at the flag: it hears of whatever is told after that.
            let told = signal.waiting.notified();
            if !signal.is_given.load(Ordering::Acquire) {
                told.await;
            }
        }
    }
}

impl Canceller {
    pub(crate) fn new() -> Self {
        let signal = Arc::default();
        Self {
            cancelled: Cancelled { signal },
        }
    }

    /// The end that listens.
    pub(crate) fn cancelled(&self) -> &Cancelled {
        &self.cancelled
    }
}

impl Drop for Canceller {
    fn drop(&mut self) {
        let someone_listens = Arc::strong_count(&self.cancelled.signal) > 1;
        if someone_listens {
            self.cancelled.cancel();
        }
    }
}

impl<S> Extract<S> for Cancelled {
    fn extract(call: &Call<'_, S>) -> Result<Self, ToolError> {
        Ok(call.context.cancelled.clone())
    }
}
