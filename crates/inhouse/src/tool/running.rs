use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use inhouse_proto::mcp::CallToolResult;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::record::{CallRecord, Finished, note_panic};

/// How many calls may run at once.
#[derive(Clone, Debug, Default)]
pub(super) struct Limits {
    permits: Option<Arc<Semaphore>>,
}

impl Limits {
    pub(super) fn new(calls: Option<usize>) -> Self {
        let permits = calls.map(|calls| Arc::new(Semaphore::new(calls.max(1))));
        Self { permits }
    }
}

/// Runs a call to its result, whatever the handler does: fail, panic, or take too long.
///
/// The timeout includes the time that it waits for its turn: whoever waits for the call cannot tell
/// the one from the other.
pub(super) async fn run<'a>(
    record: CallRecord,
    tool: &str,
    timeout: Option<Duration>,
    limits: [&'a Limits; 2],
    // Kept by the caller, too: a turn ends when the handler is gone, and not before.
    turns: &mut [Option<SemaphorePermit<'a>>; 2],
    // Pinned by the caller: handed on as it is, it would be copied from future to future.
    handler: Pin<&mut (impl Future<Output = CallToolResult> + Send)>,
) -> Finished {
    let in_turn = pin!(async {
        let [server_limit, tool_limit] = limits;
        // The tool's first: who waits for that must not take a turn of the server from other
        // tools.
        turns[0] = wait_for_turn(tool_limit).await;
        turns[1] = wait_for_turn(server_limit).await;
        catch_panic(handler).await
    });
    let (outcome, result) = match within(timeout, in_turn).await {
        Some(Ok(result)) if result.is_error => ("error", result),
        Some(Ok(result)) => ("success", result),
        Some(Err(panic)) => {
            record.span().in_scope(|| note_panic(&panic));
            // The panic's text may quote secrets. The panic hook has printed it already.
            let text = format!("the tool `{tool}` failed: it panicked");
            ("panic", CallToolResult::error(text))
        }
        None => {
            let text = format!(
                "the tool `{tool}` did not finish within {:?} and was stopped",
                timeout.unwrap_or_default()
            );
            ("timeout", CallToolResult::error(text))
        }
    };
    record.finish(outcome, result)
}

async fn wait_for_turn(limits: &Limits) -> Option<SemaphorePermit<'_>> {
    // A semaphore of ours is never closed.
    limits.permits.as_ref()?.acquire().await.ok()
}

async fn within<F: Future>(timeout: Option<Duration>, future: Pin<&mut F>) -> Option<F::Output> {
    match timeout {
        Some(timeout) => tokio::time::timeout(timeout, future).await.ok(),
        None => Some(future.await),
    }
}

/// Polls a future to its result or to the text of its panic.
///
/// It is not polled again, so nobody sees what it may have left half-done, except through the
/// application's own state, which the application has to keep sound as it does with any task that
/// panics.
pub(crate) async fn catch_panic<F: Future>(future: F) -> Result<F::Output, String> {
    let mut future = pin!(future);
    std::future::poll_fn(
        |cx| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx))) {
            Ok(poll) => poll.map(Ok),
            Err(panic) => Poll::Ready(Err(text_of(&*panic))),
        },
    )
    .await
}

fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("it panicked").to_owned()
}
