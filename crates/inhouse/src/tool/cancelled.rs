use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;

use super::{Call, Extract, ToolError};

/// A signal that a call was cancelled or has ended.
///
/// An interrupt, a timeout or the end of the session cancels a call. Its handler is then dropped at
/// its next `await`, which is enough for most. Take this extractor for work that continues elsewhere,
/// in another task or on a thread, and has to be stopped too. All clones are signalled together.
///
/// ```
/// use inhouse::tool::{Cancelled, Tool, ToolServer};
/// use serde_json::json;
/// use tokio::sync::oneshot;
///
/// # inhouse_testkit::run(async {
/// let (stopped, has_stopped) = oneshot::channel();
/// let stopped = std::sync::Mutex::new(Some(stopped));
/// let stopped = std::sync::Arc::new(stopped);
/// let start = Tool::new("start", "Start a job", async move |cancelled: Cancelled| {
///     let stopped = stopped.lock().unwrap().take();
///     tokio::spawn(async move {
///         cancelled.wait().await;
///         stopped.map(|stopped| stopped.send("the job has stopped"))
///     });
///     std::future::pending::<()>().await
/// });
/// let server = ToolServer::new("jobs").tool(start.timeout(std::time::Duration::from_secs(1)));
/// assert!(server.call("start", json!({})).await.is_error);
/// assert_eq!(has_stopped.await, Ok("the job has stopped"));
/// # });
/// ```
#[derive(Clone, Debug)]
pub struct Cancelled {
    signal: Arc<Signal>,
}

#[derive(Debug, Default)]
struct Signal {
    is_cancelled: AtomicBool,
    /// Created by the first [`Cancelled::wait`]. Nearly all calls end without one, and creating, cancelling and dropping a token
    /// takes about twenty atomic operations.
    token: OnceLock<CancellationToken>,
}

/// Owns the lifetime of a call: dropping it cancels the [`Cancelled`] tokens of the call.
pub(crate) struct Canceller {
    cancelled: Cancelled,
}

impl Cancelled {
    /// Returns whether the call was cancelled or has ended.
    ///
    /// For loops on a blocking thread; async code uses [`wait`](Self::wait).
    ///
    /// ```
    /// use inhouse::tool::{Cancelled, Tool, ToolServer};
    /// use serde_json::json;
    ///
    /// # inhouse_testkit::run(async {
    /// let check = Tool::new("check", "Check", async |cancelled: Cancelled| cancelled.is_cancelled());
    /// let server = ToolServer::new("test").tool(check);
    /// assert_eq!(server.call("check", json!({})).await.all_text(), "false");
    /// # });
    /// ```
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.signal.is_cancelled.load(Ordering::Acquire)
    }

    /// Resolves when the call is cancelled or has ended; see [`Cancelled`] for an example.
    ///
    /// # Cancellation
    /// The future may be dropped at any time and does not borrow from `self`.
    pub fn wait(&self) -> impl Future<Output = ()> + Send + 'static {
        let token = self.signal.token.get_or_init(CancellationToken::new);
        // Together with the fence in `cancel`: either this thread sees the flag, or that one sees the token.
        fence(Ordering::SeqCst);
        if self.is_cancelled() {
            token.cancel();
        }
        token.clone().cancelled_owned()
    }

    /// Cancels the call.
    pub(crate) fn cancel(&self) {
        self.signal.is_cancelled.store(true, Ordering::Release);
        fence(Ordering::SeqCst);
        if let Some(token) = self.signal.token.get() {
            token.cancel();
        }
    }

    /// Returns whether both belong to the same call.
    pub(crate) fn is_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.signal, &other.signal)
    }
}

impl Canceller {
    pub(crate) fn new() -> Self {
        Self {
            cancelled: Cancelled {
                signal: Arc::default(),
            },
        }
    }

    pub(crate) fn cancelled(&self) -> &Cancelled {
        &self.cancelled
    }
}

impl Drop for Canceller {
    fn drop(&mut self) {
        self.cancelled.cancel();
    }
}

impl<S> Extract<S> for Cancelled {
    fn extract(call: &Call<'_, S>) -> Result<Self, ToolError> {
        Ok(call.context.cancelled.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn wait_resolves_if_the_call_is_cancelled_before_or_after_it() {
        let before = Canceller::new();
        let waiting = before.cancelled().wait();
        let cancelled = before.cancelled().clone();
        assert!(!cancelled.is_cancelled());
        drop(before);
        assert!(cancelled.is_cancelled());
        waiting.await;
        cancelled.wait().await;

        let after = Canceller::new();
        let cancelled = after.cancelled().clone();
        drop(after);
        cancelled.wait().await;
    }

    #[test]
    fn wait_resolves_if_another_thread_cancels_at_the_same_time() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        for _ in 0..1000 {
            let canceller = Canceller::new();
            let cancelled = canceller.cancelled().clone();
            let dropping = std::thread::spawn(move || drop(canceller));
            runtime.block_on(cancelled.wait());
            dropping.join().unwrap();
        }
    }
}
