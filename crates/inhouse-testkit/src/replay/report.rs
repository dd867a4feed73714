use std::{
    fmt::Write as _,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::Difference;

/// The differences that a [`Replay`](super::Replay) has found so far; a handle that stays valid after the session.
///
/// ```
/// use inhouse::record::Recording;
/// use inhouse_testkit::Replay;
///
/// let header = r#"{"inhouse_recording":1,"started":"2026-11-17T09:30:00Z"}"#;
/// let report = Replay::new(Recording::parse(header)?).report();
/// assert!(report.differences().is_empty());
/// # Ok::<(), inhouse::record::RecordingError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ReplayReport {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    differences: Vec<Difference>,
    /// The line that the replay waits for, or the reason of its end.
    status: String,
    is_complete: bool,
}

impl ReplayReport {
    /// Returns all differences between the recording and what the host has written.
    #[must_use]
    pub fn differences(&self) -> Vec<Difference> {
        self.lock().differences.clone()
    }

    /// Returns whether the recording was played to its end.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.lock().is_complete
    }

    /// Checks that the recording was played to its end, and that the host wrote the same as in the recording.
    ///
    /// # Panics
    /// With all differences, or with what the replay still waits for.
    #[track_caller]
    pub fn assert_same(&self) {
        let state = self.lock();
        let mut text = String::new();
        for difference in &state.differences {
            let _ = writeln!(text, "{difference}");
        }
        if text.is_empty() && !state.is_complete {
            text = format!("the recording was not played to its end: {}", state.status);
        }
        let is_same = text.is_empty();
        // Before the panic, which would poison the lock.
        drop(state);
        assert!(is_same, "{}", text.trim_end());
    }

    pub(super) fn add(&self, difference: Difference) {
        self.lock().differences.push(difference);
    }

    pub(super) fn set_status(&self, status: String) {
        self.lock().status = status;
    }

    pub(super) fn set_complete(&self) {
        let mut state = self.lock();
        state.is_complete = true;
        state.status.clear();
    }

    /// Returns what the replay waits for, or why it has ended, for error texts.
    pub(super) fn status(&self) -> String {
        self.lock().status.clone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
