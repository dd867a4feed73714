use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::task::JoinHandle;
use tracing::Instrument;

use crate::process::ExitStatus;

/// A task that waits for the exit of the CLI. Dropping it aborts the task.
///
/// In a task, the future is polled when the process exits and not at every poll of the driver.
pub(super) struct ExitTask(JoinHandle<Option<ExitStatus>>);

impl ExitTask {
    pub(super) fn spawn(exited: impl Future<Output = Option<ExitStatus>> + Send + 'static) -> Self {
        Self(tokio::spawn(exited.in_current_span()))
    }

    /// Ready once, with the status if it is known.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<ExitStatus>> {
        // An error means that the future of the transport panicked: an exit without a status.
        Pin::new(&mut self.0)
            .poll(cx)
            .map(Result::unwrap_or_default)
    }
}

impl Drop for ExitTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}
