use tokio::sync::mpsc::UnboundedSender;

use crate::driver::Command;

/// A request that someone waits for; withdraws it when they stop.
pub(super) struct Pending<'a> {
    commands: &'a UnboundedSender<Command>,
    key: Option<u64>,
}

impl<'a> Pending<'a> {
    pub(super) fn new(commands: &'a UnboundedSender<Command>, key: u64) -> Self {
        Self {
            commands,
            key: Some(key),
        }
    }

    /// The reply has come: there is nothing to withdraw.
    pub(super) fn settled(mut self) {
        self.key = None;
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            // Fails only when the session has ended, and the request with it.
            let _ = self.commands.send(Command::Withdraw { key });
        }
    }
}
