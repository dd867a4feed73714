//! A limit for every statement: a connection that the network has dropped without a sign never answers.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Timeout, timeout};

use super::{FleetError, FleetErrorKind};

const LIMIT: Duration = Duration::from_secs(30);

/// A statement with a limit.
pub(super) struct InTime<F>(Pin<Box<Timeout<F>>>);

pub(super) trait Statement: Sized {
    /// Limits how long the statement may take.
    fn in_time(self) -> InTime<Self>;
}

impl<T, F: Future<Output = sqlx::Result<T>>> Statement for F {
    fn in_time(self) -> InTime<Self> {
        InTime(Box::pin(timeout(LIMIT, self)))
    }
}

impl<T, F: Future<Output = sqlx::Result<T>>> Future for InTime<F> {
    type Output = Result<T, FleetError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Poll::Ready(match ready!(self.0.as_mut().poll(cx)) {
            Ok(outcome) => outcome.map_err(FleetError::from),
            Err(_) => {
                let text = format!("no answer within {} s", LIMIT.as_secs());
                Err(FleetError::new(FleetErrorKind::Unavailable, text))
            }
        })
    }
}
