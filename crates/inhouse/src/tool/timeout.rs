//! Limits of a call: its timeout, and how many calls run at once.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use inhouse_proto::mcp::CallToolResult;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::telemetry::{CallSpan, FinishedCall, record_panic};
use crate::user_code::{self, Stopped};

/// Limits how many calls of a tool or a server run at once; unlimited by default.
#[derive(Clone, Debug, Default)]
pub(super) struct Concurrency {
    permits: Option<Arc<Semaphore>>,
}

impl Concurrency {
    pub(super) fn new(calls: Option<usize>) -> Self {
        Self {
            permits: calls.map(|calls| Arc::new(Semaphore::new(calls.max(1)))),
        }
    }

    async fn acquire(&self) -> Option<SemaphorePermit<'_>> {
        // The semaphore is never closed.
        self.permits.as_ref()?.acquire().await.ok()
    }
}

/// Runs a handler within its limits, and turns a panic or a timeout into an error result.
///
/// The timeout includes the time that the call waits for its permits: the client cannot tell waiting
/// from running.
pub(super) async fn run_with_limits<'a>(
    span: CallSpan<'_>,
    tool: &str,
    timeout: Option<Duration>,
    [server, this_tool]: [&'a Concurrency; 2],
    // The permits outlive this future, so that a slot frees only once the handler is dropped.
    permits: &mut [Option<SemaphorePermit<'a>>; 2],
    // Pinned by the caller, because a future passed by value is copied into each future around it.
    handler: Pin<&mut (impl Future<Output = CallToolResult> + Send)>,
) -> FinishedCall {
    let limited = pin!(async {
        // The tool's permit first: a call that waits for it must not hold a permit that calls of
        // other tools need.
        permits[0] = this_tool.acquire().await;
        permits[1] = server.acquire().await;
        handler.await
    });
    let (outcome, result) = match user_code::run(limited, timeout).await {
        Ok(result) if result.is_error => ("error", result),
        Ok(result) => ("success", result),
        Err(Stopped::Panicked(panic)) => {
            span.span().in_scope(|| record_panic(&panic));
            // Without the panic's text, which may quote secrets. The panic hook has printed it.
            let text = format!("the tool `{tool}` failed: it panicked");
            ("panic", CallToolResult::error(text))
        }
        Err(Stopped::TimedOut(timeout)) => {
            let text =
                format!("the tool `{tool}` did not finish within {timeout:?} and was stopped");
            ("timeout", CallToolResult::error(text))
        }
    };
    span.finish(outcome, result)
}
