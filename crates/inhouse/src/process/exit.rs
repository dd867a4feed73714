use tokio::sync::watch;

use super::ExitStatus;

/// What is known of a process's end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    Pending,
    /// `None` if somebody else has the status.
    Ended(Option<ExitStatus>),
}

/// Resolves once the process has ended.
pub(super) async fn ended(mut exit: watch::Receiver<Exit>) -> Option<ExitStatus> {
    let exit = exit.wait_for(|exit| *exit != Exit::Pending).await;
    match exit.as_deref() {
        Ok(Exit::Ended(status)) => *status,
        Ok(Exit::Pending) | Err(_) => None,
    }
}
