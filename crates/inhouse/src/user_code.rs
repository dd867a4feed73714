//! Runs code of the user: handlers, hooks and tools.
//!
//! This is the one place where a panic of user code is caught and where a timeout drops it. The
//! callers turn a failure into their own answer: a tool into an error result, a permission handler
//! into a denial, a hook into an error reply.

use std::any::Any;
use std::fmt::{self, Display};
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use crate::error::HandlerError;
use crate::tool::{Cancelled, Canceller};

/// Why user code was stopped before it returned.
#[derive(Debug)]
pub(crate) enum Stopped {
    /// It panicked. The text may quote a secret: it is logged at `TRACE` only.
    Panicked(String),
    /// It ran longer than its timeout and was dropped.
    TimedOut(Duration),
}

/// Runs a future to its output, a panic or the timeout, whichever comes first.
pub(crate) async fn run<F: Future>(
    future: F,
    timeout: Option<Duration>,
) -> Result<F::Output, Stopped> {
    let caught = catch_panic(future);
    let caught = match timeout {
        Some(timeout) => tokio::time::timeout(timeout, caught)
            .await
            .map_err(|_| Stopped::TimedOut(timeout))?,
        None => caught.await,
    };
    caught.map_err(Stopped::Panicked)
}

/// Calls a function; returns `None` if it panics.
pub(crate) fn call<T>(function: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(function)).ok()
}

/// Polls a future to its output or to the text of its panic.
///
/// A future that has panicked is not polled again, so its own broken invariants are not observed.
/// State that it shares with the application is the application's to keep consistent, as with any
/// task that panics.
pub(crate) async fn catch_panic<F: Future>(future: F) -> Result<F::Output, String> {
    let mut future = pin!(future);
    std::future::poll_fn(
        |cx| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx))) {
            Ok(poll) => poll.map(Ok),
            Err(panic) => Poll::Ready(Err(panic_text(&*panic))),
        },
    )
    .await
}

/// Calls a function; returns its value, or the text of its panic.
pub(crate) fn catch_panic_of<T>(function: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(function)).map_err(|panic| panic_text(&*panic))
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no text").to_owned()
}

/// A handler of the user from `Q` to `A`, without its own type.
pub(crate) struct Callback<Q, A> {
    call: Arc<Call<Q, A>>,
}

type Call<Q, A> =
    dyn Fn(Q) -> Pin<Box<dyn Future<Output = Result<A, HandlerError>> + Send>> + Send + Sync;

/// Why a handler has no answer.
pub(crate) enum Failure {
    /// The handler returned an error.
    Error(HandlerError),
    /// The handler panicked.
    Panicked,
    /// The handler ran longer than its timeout and was dropped.
    TimedOut(Duration),
}

impl<Q: Send + 'static, A: 'static> Callback<Q, A> {
    pub(crate) fn new<H, F>(handler: H) -> Self
    where
        H: FnOnce(Q) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<A, HandlerError>> + Send + 'static,
    {
        let handler = Arc::new(handler);
        let call = move |question| -> Pin<Box<dyn Future<Output = _> + Send>> {
            let handler = Arc::clone(&handler);
            // Cloned and called inside the future: both may panic, and panics are caught there.
            Box::pin(async move { H::clone(&handler)(question).await })
        };
        Self {
            call: Arc::new(call),
        }
    }

    /// Calls the handler.
    ///
    /// `question` gets a token that is cancelled when this future completes or is dropped.
    pub(crate) async fn call(
        &self,
        question: impl FnOnce(Cancelled) -> Q,
        timeout: Option<Duration>,
    ) -> Result<A, Failure> {
        // Dropping the canceller cancels the token.
        let canceller = Canceller::new();
        let question = question(canceller.cancelled().clone());
        match run((self.call)(question), timeout).await {
            Ok(answer) => answer.map_err(Failure::Error),
            Err(Stopped::TimedOut(timeout)) => Err(Failure::TimedOut(timeout)),
            Err(Stopped::Panicked(text)) => {
                tracing::trace!(text, "panic payload");
                Err(Failure::Panicked)
            }
        }
    }
}

impl<Q, A> Clone for Callback<Q, A> {
    fn clone(&self) -> Self {
        Self {
            call: Arc::clone(&self.call),
        }
    }
}

impl<Q, A> fmt::Debug for Callback<Q, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Callback")
    }
}

impl Failure {
    /// Returns a sentence that says how `handler` failed. It never has the text of a panic.
    pub(crate) fn describe(&self, handler: impl Display) -> String {
        match self {
            Self::Error(error) => format!("{handler} failed: {error}"),
            Self::Panicked => format!("{handler} panicked"),
            Self::TimedOut(timeout) => format!("{handler} did not answer within {timeout:?}"),
        }
    }

    /// Logs the failure. The text of an error may quote the request: `TRACE` only.
    pub(crate) fn log(&self, handler: &str) {
        match self {
            Self::Error(error) => {
                tracing::warn!(handler, "handler failed");
                tracing::trace!(handler, %error, "handler error");
            }
            Self::Panicked => tracing::error!(handler, "handler panicked"),
            Self::TimedOut(timeout) => tracing::warn!(handler, ?timeout, "handler timed out"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn panic_and_timeout_are_distinguished() {
        let panicking = async { panic!("hunter{}", 2) };
        let stopped = run(panicking, Some(Duration::MAX)).await.unwrap_err();
        assert!(matches!(stopped, Stopped::Panicked(text) if text == "hunter2"));

        let limit = Duration::from_secs(3);
        let stopped = run(pending::<()>(), Some(limit)).await.unwrap_err();
        assert!(matches!(stopped, Stopped::TimedOut(timeout) if timeout == limit));

        assert_eq!(run(async { 7 }, None).await.unwrap(), 7);
    }

    #[tokio::test]
    async fn token_is_cancelled_when_the_call_completes() {
        let callback = Callback::new(async |cancelled: Cancelled| {
            assert!(!cancelled.is_cancelled());
            Ok(cancelled)
        });
        let Ok(cancelled) = callback.call(|cancelled| cancelled, None).await else {
            panic!("the handler succeeds");
        };
        assert!(cancelled.is_cancelled());
    }
}
