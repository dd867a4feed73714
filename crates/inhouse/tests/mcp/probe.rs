//! A tool whose calls never end, and a journal of what happens to them.

use std::future::pending;

use inhouse::tool::{CallId, Cancelled, Tool};
use tokio::sync::mpsc;

/// The events of all calls, in order.
pub(crate) struct Journal(mpsc::UnboundedReceiver<String>);

/// Reports `dropped` when it is dropped.
struct OnDrop {
    call: String,
    events: mpsc::UnboundedSender<String>,
}

/// Returns a tool whose calls never end.
///
/// For each call the journal has `began`, `dropped` when its handler is dropped, and `cancelled` when a task that was spawned
/// with its [`Cancelled`] token sees the cancellation.
pub(crate) fn endless(name: &str) -> (Tool, Journal) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let handler = move |CallId(call), cancelled: Cancelled| {
        let events = sender.clone();
        async move {
            let _ = events.send(format!("{call} began"));
            tokio::spawn({
                let (call, events) = (call.clone(), events.clone());
                async move {
                    cancelled.wait().await;
                    let _ = events.send(format!("{call} cancelled"));
                }
            });
            let _on_drop = OnDrop { call, events };
            pending::<()>().await;
        }
    };
    (Tool::new(name, "Never ends", handler), Journal(receiver))
}

impl Journal {
    pub(crate) async fn next(&mut self) -> String {
        self.0.recv().await.expect("the tool exists")
    }

    /// Expects that a call is stopped: its handler dropped and its token cancelled, in any order.
    pub(crate) async fn expect_stopped(&mut self, call: &str) {
        let mut events = [self.next().await, self.next().await];
        events.sort();
        assert_eq!(
            events,
            [format!("{call} cancelled"), format!("{call} dropped")]
        );
    }

    /// Expects that there are no further events.
    pub(crate) fn expect_nothing(&mut self) {
        assert_eq!(self.0.try_recv().ok(), None);
    }
}

impl Drop for OnDrop {
    fn drop(&mut self) {
        // The receiver may be gone at the end of a test.
        let _ = self.events.send(format!("{} dropped", self.call));
    }
}
