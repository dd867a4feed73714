//! Handlers of the host without their types.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::error::HandlerError;
use crate::tool::{Cancelled, Canceller, catch_panic};

/// A handler that answers a question `Q` with an answer `A`.
pub(crate) struct Callback<Q, A> {
    call: Arc<Call<Q, A>>,
}

type Call<Q, A> =
    dyn Fn(Q) -> Pin<Box<dyn Future<Output = Result<A, HandlerError>> + Send>> + Send + Sync;

/// Why there is no answer.
pub(crate) enum Failure {
    /// The handler says so.
    Error(HandlerError),
    /// The handler panicked.
    Panic,
    /// It took too long.
    Timeout(Duration),
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
            // Cloned and called when polled: in a task of its own, where a panic is caught.
            Box::pin(async move { H::clone(&handler)(question).await })
        };
        Self {
            call: Arc::new(call),
        }
    }

    /// Puts a question, which is told when nobody waits for the answer any more.
    pub(crate) fn ask(
        &self,
        question: impl FnOnce(Cancelled) -> Q,
        timeout: Option<Duration>,
    ) -> impl Future<Output = Result<A, Failure>> + Send + 'static {
        let over = Canceller::new();
        let answering = catch_panic((self.call)(question(over.cancelled().clone())));
        async move {
            // Dropped with this future: that is the signal.
            let _over = over;
            let answer = match timeout {
                Some(timeout) => tokio::time::timeout(timeout, answering)
                    .await
                    .map_err(|_| Failure::Timeout(timeout))?,
                None => answering.await,
            };
            match answer {
                Ok(answer) => answer.map_err(Failure::Error),
                Err(text) => {
                    // Its text may quote what was asked.
                    tracing::trace!(text, "what the panic said");
                    Err(Failure::Panic)
                }
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

/// Reads after "the handler".
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error(error) => write!(f, "failed: {error}"),
            Self::Panic => f.write_str("panicked"),
            Self::Timeout(timeout) => write!(f, "did not answer within {timeout:?}"),
        }
    }
}
