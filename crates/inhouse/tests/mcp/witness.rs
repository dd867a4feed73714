//! A tool that does not end by itself, and tells what becomes of its calls.

use std::future::pending;

use inhouse::tool::{CallId, Cancelled, Tool};
use tokio::sync::mpsc;

/// What became of calls, in order.
pub(crate) struct Journal(mpsc::UnboundedReceiver<String>);

/// Tells that it was dropped.
struct Dropped {
    call: String,
    tell: mpsc::UnboundedSender<String>,
}

/// A tool whose calls never end. It tells that a call has begun, that its handler was dropped, and that
/// work which was handed to another task has been told.
pub(crate) fn endless(name: &str) -> (Tool, Journal) {
    let (tell, told) = mpsc::unbounded_channel();
    let handler = move |CallId(call), cancelled: Cancelled| {
        let tell = tell.clone();
        async move {
            let _ = tell.send(format!("{call} began"));
            tokio::spawn({
                let (call, tell) = (call.clone(), tell.clone());
                async move {
                    cancelled.wait().await;
                    let _ = tell.send(format!("{call} told"));
                }
            });
            let _dropped = Dropped { call, tell };
            pending::<()>().await;
        }
    };
    (Tool::new(name, "Never ends", handler), Journal(told))
}

impl Journal {
    pub(crate) async fn next(&mut self) -> String {
        self.0.recv().await.expect("the tool is there")
    }

    /// Expects that a call is stopped, handler and other work, in any order.
    pub(crate) async fn expect_stopped(&mut self, call: &str) {
        let mut entries = [self.next().await, self.next().await];
        entries.sort();
        assert_eq!(entries, [format!("{call} dropped"), format!("{call} told")]);
    }

    /// Expects that nothing has become of any call since.
    pub(crate) fn expect_nothing(&mut self) {
        assert_eq!(self.0.try_recv().ok(), None);
    }
}

impl Drop for Dropped {
    fn drop(&mut self) {
        // Nobody listens when the test is over.
        let _ = self.tell.send(format!("{} dropped", self.call));
    }
}
