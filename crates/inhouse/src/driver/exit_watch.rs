use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::task::JoinHandle;
use tracing::Instrument;

use crate::process::ExitStatus;

/// Waits for the end of a CLI, in a task of its own: so the driver learns of it without asking at
/// every turn. Dropping it ends the task.
pub(super) struct ExitWatch(JoinHandle<Option<ExitStatus>>);

impl ExitWatch {
    pub(super) fn new(exited: impl Future<Output = Option<ExitStatus>> + Send + 'static) -> Self {
        Self(tokio::spawn(exited.in_current_span()))
    }

    /// Ready once, with the status if that is known.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<ExitStatus>> {
        // A watch that fails tells no more than that.
        Pin::new(&mut self.0)
            .poll(cx)
            .map(Result::unwrap_or_default)
    }
}

impl Drop for ExitWatch {
    fn drop(&mut self) {
        self.0.abort();
    }
}
