use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::task::Poll;
use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;

/// Waits for `future`, but not for ever; `None` when the time is up.
///
/// The time is real even where tokio's clock is paused: a paused clock jumps to the next timer as soon
/// as everyone waits, so a timer of the fake would cut short every test of a longer deadline, and
/// without any timer a test in which both sides wait would never end.
pub(super) async fn within<F: Future>(limit: Duration, future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    // Most waits are over before they begin, and need no alarm.
    if let Poll::Ready(output) = poll_fn(|cx| Poll::Ready(future.as_mut().poll(cx))).await {
        return Some(output);
    }
    let (_until_dropped, rings) = alarm(limit);
    tokio::select! {
        biased;
        output = future => Some(output),
        _ = rings => None,
    }
}

/// A thread that waits instead of the runtime: until it rings, or until the sender is dropped.
fn alarm(limit: Duration) -> (mpsc::Sender<()>, oneshot::Receiver<()>) {
    let (until_dropped, cancelled) = mpsc::channel();
    let (ring, rings) = oneshot::channel();
    thread::spawn(move || {
        if cancelled.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
            // Nobody listens any more if the wait ended at the same moment.
            let _ = ring.send(());
        }
    });
    (until_dropped, rings)
}
