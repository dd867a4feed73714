use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc::UnboundedSender;

use crate::driver::Command;

/// Buffers messages of servers until the CLI knows the servers: it drops earlier ones.
pub(super) struct StartupBuffer {
    /// A copy of `buffered.is_none()` that is read without the lock.
    is_flushed: AtomicBool,
    /// `None` after the buffer was flushed.
    buffered: Mutex<Option<Vec<Command>>>,
}

impl StartupBuffer {
    pub(super) fn new() -> Self {
        Self {
            is_flushed: AtomicBool::new(false),
            buffered: Mutex::new(Some(Vec::new())),
        }
    }

    /// Buffers a command, or sends it if the buffer was flushed.
    pub(super) fn send(&self, command: Command, commands: &UnboundedSender<Command>) {
        match &mut *self.lock() {
            Some(buffered) => buffered.push(command),
            // Fails only if the session has ended.
            None => drop(commands.send(command)),
        }
    }

    pub(super) fn is_flushed(&self) -> bool {
        self.is_flushed.load(Ordering::Relaxed)
    }

    /// Sends the buffered commands; later ones are sent at once.
    pub(super) fn flush(&self, commands: &UnboundedSender<Command>) {
        self.is_flushed.store(true, Ordering::Relaxed);
        // Sends under the lock, so that no later command overtakes the buffered ones.
        let mut buffered = self.lock();
        for command in buffered.take().into_iter().flatten() {
            drop(commands.send(command));
        }
    }

    // A poisoned buffer is still consistent: no method panics in the middle of a change.
    fn lock(&self) -> MutexGuard<'_, Option<Vec<Command>>> {
        self.buffered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
