use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::task::Poll;
use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;

/// Waits for `future` for at most `limit` of real time; returns `None` if the limit passes.
///
/// The time is real even if tokio's clock is paused. A paused clock jumps to the next timer as soon as every task is idle,
/// so a tokio timer here would fire before every longer deadline of the host; and without any timer, a test in which both
/// sides are idle would never end.
pub(crate) async fn within<F: Future>(limit: Duration, future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    // Most futures are ready at the first poll and need no thread.
    if let Poll::Ready(output) = poll_fn(|cx| Poll::Ready(future.as_mut().poll(cx))).await {
        return Some(output);
    }
    let (_cancel_on_drop, elapsed) = alarm(limit);
    tokio::select! {
        biased;
        output = future => Some(output),
        _ = elapsed => None,
    }
}

/// Starts a thread that sends after `limit`, or ends when the returned sender is dropped.
fn alarm(limit: Duration) -> (mpsc::Sender<()>, oneshot::Receiver<()>) {
    let (cancel_on_drop, cancelled) = mpsc::channel();
    let (elapse, elapsed) = oneshot::channel();
    thread::spawn(move || {
        if cancelled.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
            // The receiver is gone if the wait ended at the same moment.
            let _ = elapse.send(());
        }
    });
    (cancel_on_drop, elapsed)
}
