use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Side;
use crate::process::ExitStatus;

/// Something to record, with its time.
#[derive(Clone, Copy)]
pub(super) struct Input {
    pub(super) time: Instant,
    pub(super) kind: InputKind,
    /// How many bytes of the batch belong to this input.
    length: usize,
}

#[derive(Clone, Copy)]
pub(super) enum InputKind {
    /// Bytes that a side has written, which may begin and end inside of a line.
    Bytes(Side),
    /// A line of the CLI's stderr.
    Stderr,
    End(Side),
    Exit(Option<ExitStatus>),
}

/// Inputs and their bytes, both in order.
#[derive(Default)]
pub(super) struct Batch {
    inputs: Vec<Input>,
    bytes: Vec<u8>,
}

impl Batch {
    pub(super) fn push(&mut self, kind: InputKind, bytes: &[u8], time: Instant) {
        self.inputs.push(Input {
            time,
            kind,
            length: bytes.len(),
        });
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns each input with its bytes.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Input, &[u8])> {
        let mut rest = &self.bytes[..];
        self.inputs.iter().map(move |input| {
            let (bytes, behind) = rest.split_at(input.length);
            rest = behind;
            (*input, bytes)
        })
    }

    /// Removes all inputs. Keeps the memory for the next ones, unless it is that of a burst.
    fn clear(&mut self) {
        self.inputs.clear();
        self.bytes.clear();
        self.bytes.shrink_to(4 * BATCH);
    }
}

/// Inputs on their way from the session to the thread that redacts them.
///
/// They are not redacted yet, so they never go to a file, and their number is limited.
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    /// How many bytes wait for the thread at most.
    limit: usize,
}

impl Default for Queue {
    fn default() -> Self {
        Self::with_limit(LIMIT)
    }
}

#[derive(Default)]
struct State {
    batch: Batch,
    /// Whether the thread waits for the first input.
    is_idle: bool,
    /// Whether no input follows.
    is_closed: bool,
    /// Whether inputs are dropped: because there were too many, or because the recording has ended.
    is_stopped: bool,
    is_done: bool,
}

/// The next inputs.
pub(super) enum Taken {
    Inputs,
    /// Inputs were dropped after these.
    Overflow,
    /// No input follows these.
    Last,
}

/// How many bytes wait for the thread at most, by default.
const LIMIT: usize = 64 << 20;

/// How many bytes wake the thread up before [`PAUSE`] has passed.
const BATCH: usize = 256 << 10;

/// How long the thread collects inputs. A wake-up for each of them would cost the session more than all other work.
const PAUSE: Duration = Duration::from_millis(5);

impl Queue {
    pub(super) fn with_limit(limit: usize) -> Self {
        Self {
            state: Mutex::default(),
            changed: Condvar::new(),
            limit,
        }
    }

    /// Copies an input into the queue; drops it if the queue is closed or stopped.
    ///
    /// A copy costs less than shared memory, which the session could not reuse for its next read.
    pub(super) fn push(&self, kind: InputKind, bytes: &[u8], time: Instant) {
        let mut state = self.lock();
        if state.is_stopped || state.is_closed {
            return;
        }
        let was_small = state.batch.bytes.len() < BATCH;
        state.batch.push(kind, bytes, time);
        let size = state.batch.bytes.len();
        state.is_stopped = size > self.limit;
        if state.is_idle || (was_small && size >= BATCH) {
            state.is_idle = false;
            self.changed.notify_all();
        }
    }

    /// Waits for inputs and replaces those of `batch` by them.
    pub(super) fn take(&self, batch: &mut Batch) -> Taken {
        batch.clear();
        let mut state = self.lock();
        while state.batch.inputs.is_empty() && !state.is_closed && !state.is_stopped {
            state.is_idle = true;
            state = self.wait(state);
        }
        state.is_idle = false;
        let more = |state: &mut State| !state.is_closed && state.batch.bytes.len() < BATCH;
        let (mut state, _) = self
            .changed
            .wait_timeout_while(state, PAUSE, more)
            .unwrap_or_else(PoisonError::into_inner);
        std::mem::swap(&mut state.batch, batch);
        if state.is_stopped {
            Taken::Overflow
        } else if state.is_closed {
            Taken::Last
        } else {
            Taken::Inputs
        }
    }

    /// Ends the input.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// Drops this and every later input, because the recording has ended.
    pub(super) fn stop(&self) {
        let mut state = self.lock();
        state.is_stopped = true;
        state.batch = Batch::default();
    }

    /// Reports that everything is written.
    pub(super) fn set_done(&self) {
        self.lock().is_done = true;
        self.changed.notify_all();
    }

    /// Waits until everything is written; returns whether it is.
    pub(super) fn wait_done(self: &Arc<Self>, limit: Duration) -> bool {
        let waiting = |state: &mut State| !state.is_done;
        let (state, _) = self
            .changed
            .wait_timeout_while(self.lock(), limit, waiting)
            .unwrap_or_else(PoisonError::into_inner);
        state.is_done
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let woken = self.changed.wait(state);
        woken.unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_of_a_closed_queue_are_dropped() {
        let queue = Queue::default();
        queue.close();
        queue.push(InputKind::End(Side::Cli), b"", Instant::now());
        let mut batch = Batch::default();
        assert!(matches!(queue.take(&mut batch), Taken::Last));
        assert_eq!(batch.iter().count(), 0);
    }
}
