use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use inhouse_proto::mcp::CallToolResult;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::telemetry::{CallRecord, Finished, note_panic};
use crate::user_code::{self, Stopped};

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
        handler.await
    });
    let (outcome, result) = match user_code::run(in_turn, timeout).await {
        Ok(result) if result.is_error => ("error", result),
        Ok(result) => ("success", result),
        Err(Stopped::Panicked(panic)) => {
            record.span().in_scope(|| note_panic(&panic));
            // The panic's text may quote secrets. The panic hook has printed it already.
            let text = format!("the tool `{tool}` failed: it panicked");
            ("panic", CallToolResult::error(text))
        }
        Err(Stopped::TimedOut(timeout)) => {
            let text =
                format!("the tool `{tool}` did not finish within {timeout:?} and was stopped");
            ("timeout", CallToolResult::error(text))
        }
    };
    record.finish(outcome, result)
}

async fn wait_for_turn(limits: &Limits) -> Option<SemaphorePermit<'_>> {
    // A semaphore of ours is never closed.
    limits.permits.as_ref()?.acquire().await.ok()
}
