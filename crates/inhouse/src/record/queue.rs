use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::Side;
use crate::process::ExitStatus;

/// Something to record, with its time.
pub(super) struct Input {
    pub(super) time: Instant,
    pub(super) kind: InputKind,
}

pub(super) enum InputKind {
    /// Bytes that were written to the CLI: whole lines, or parts of one.
    Host(Bytes),
    /// A line of the CLI.
    Cli(Bytes),
    /// A line of the CLI that was too long to be read: how long, and its start.
    TooLong {
        bytes: u64,
        sample: String,
    },
    /// A line of the CLI's stderr.
    Stderr(String),
    End(Side),
    Exit(Option<ExitStatus>),
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
    inputs: Vec<Input>,
    bytes: usize,
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

    /// Moves inputs into the queue; drops them if it is closed or stopped.
    pub(super) fn push(&self, inputs: &mut Vec<Input>, bytes: usize) {
        let mut state = self.lock();
        if state.is_stopped || state.is_closed {
            return inputs.clear();
        }
        if state.inputs.is_empty() {
            std::mem::swap(&mut state.inputs, inputs);
        } else {
            state.inputs.append(inputs);
        }
        let was_small = state.bytes < BATCH;
        state.bytes += bytes;
        state.is_stopped = state.bytes > self.limit;
        if state.is_idle || (was_small && state.bytes >= BATCH) {
            state.is_idle = false;
            self.changed.notify_all();
        }
    }

    /// Waits for inputs and moves them to `inputs`, which must be empty.
    pub(super) fn take(&self, inputs: &mut Vec<Input>) -> Taken {
        let mut state = self.lock();
        while state.inputs.is_empty() && !state.is_closed && !state.is_stopped {
            state.is_idle = true;
            state = self.wait(state);
        }
        state.is_idle = false;
        let more = |state: &mut State| !state.is_closed && state.bytes < BATCH;
        let (mut state, _) = self
            .changed
            .wait_timeout_while(state, PAUSE, more)
            .unwrap_or_else(PoisonError::into_inner);
        std::mem::swap(&mut state.inputs, inputs);
        state.bytes = 0;
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
        state.inputs = Vec::new();
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

impl InputKind {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Host(bytes) | Self::Cli(bytes) => bytes.len(),
            Self::TooLong { sample: text, .. } | Self::Stderr(text) => text.len(),
            Self::End(_) | Self::Exit(_) => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_of_a_closed_queue_are_dropped() {
        let queue = Queue::default();
        queue.close();
        let time = Instant::now();
        let kind = InputKind::End(Side::Cli);
        queue.push(&mut vec![Input { time, kind }], 0);
        let mut inputs = Vec::new();
        assert!(matches!(queue.take(&mut inputs), Taken::Last));
        assert!(inputs.is_empty());
    }
}
