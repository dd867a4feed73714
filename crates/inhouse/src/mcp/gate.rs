use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use tokio::sync::mpsc::UnboundedSender;

use crate::driver::Command;

/// Holds back what servers say until the CLI has been told of them: it would drop it.
pub(super) struct Gate {
    is_open: AtomicBool,
    /// `None` when the gate is open.
    held: Mutex<Option<Vec<Command>>>,
}

impl Gate {
    pub(super) fn closed() -> Self {
        Self {
            is_open: AtomicBool::new(false),
            held: Mutex::new(Some(Vec::new())),
        }
    }

    /// Sends a command, now or when the gate opens.
    pub(super) fn pass(&self, command: Command, commands: &UnboundedSender<Command>) {
        match &mut *self.lock() {
            Some(held) => held.push(command),
            // Fails only when the session has ended, and with it the wish for the message.
            None => drop(commands.send(command)),
        }
    }

    /// Whether nothing is held back any more.
    pub(super) fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Relaxed)
    }

    /// Sends what was held back, and holds nothing back from now on.
    pub(super) fn open(&self, commands: &UnboundedSender<Command>) {
        self.is_open.store(true, Ordering::Relaxed);
        // Under the lock, so that nothing overtakes it.
        let mut held = self.lock();
        for command in held.take().into_iter().flatten() {
            drop(commands.send(command));
        }
    }

    // Nothing in here can panic half-way through a change.
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Vec<Command>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
