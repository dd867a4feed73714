use std::future::Future;
use std::sync::Arc;

use inhouse::ExitStatus;
use tokio::sync::watch;

use super::launched::Launched;

/// The size of the stderr tail, as for a real process.
const STDERR_TAIL: usize = 16 * 1024;

const SIGKILL: i32 = 9;
const SIGTERM: i32 = 15;

/// The process state of a fake in memory: exit status, signals, stderr.
///
/// Shared by the fake and the peer that the host holds.
#[derive(Clone, Debug)]
pub(super) struct ProcessState(Arc<watch::Sender<State>>);

#[derive(Debug, Default)]
struct State {
    exit: Option<ExitStatus>,
    stdout_held: bool,
    terminations: u32,
    kills: u32,
    ignores_terminate: bool,
    ignores_kill: bool,
    stderr: String,
    launched: Launched,
}

impl ProcessState {
    pub(super) fn new() -> Self {
        Self(Arc::new(watch::Sender::new(State::default())))
    }

    pub(super) fn set_launched(&self, launched: Launched) {
        self.0.send_modify(|state| state.launched = launched);
    }

    /// Returns how the host launched the CLI.
    pub(super) fn launched(&self) -> Launched {
        self.0.borrow().launched.clone()
    }

    /// Exits, unless it has exited before.
    pub(super) fn exit(&self, status: ExitStatus) {
        self.0.send_modify(|state| {
            state.exit.get_or_insert(status);
        });
    }

    pub(super) fn terminate(&self) {
        self.0.send_modify(|state| {
            state.terminations += 1;
            if !state.ignores_terminate {
                state.exit.get_or_insert(ExitStatus::with_signal(SIGTERM));
            }
        });
    }

    pub(super) fn kill(&self) {
        self.0.send_modify(|state| {
            // A host also kills the rest of the process group after its leader has exited by itself.
            if state.exit.is_none() {
                state.kills += 1;
            }
            if !state.ignores_kill {
                state.exit.get_or_insert(ExitStatus::with_signal(SIGKILL));
                state.stdout_held = false;
            }
        });
    }

    pub(super) fn ignore_terminate(&self) {
        self.0.send_modify(|state| state.ignores_terminate = true);
    }

    pub(super) fn ignore_kill(&self) {
        self.0.send_modify(|state| state.ignores_kill = true);
    }

    /// Keeps stdout open after the exit, like a grandchild, until the kill.
    pub(super) fn hold_stdout(&self) {
        self.0.send_modify(|state| state.stdout_held = true);
    }

    /// Returns whether stdout stays open after the exit.
    pub(super) fn holds_stdout(&self) -> bool {
        self.0.borrow().stdout_held
    }

    pub(super) fn write_stderr(&self, text: &str) {
        self.0.send_modify(|state| {
            state.stderr.push_str(text);
            let mut cut = state.stderr.len().saturating_sub(STDERR_TAIL);
            while !state.stderr.is_char_boundary(cut) {
                cut += 1;
            }
            state.stderr.drain(..cut);
        });
    }

    /// Returns the stderr tail without its last line end, as for a real process.
    pub(super) fn stderr(&self) -> String {
        self.0.borrow().stderr.trim_end().to_owned()
    }

    pub(super) fn has_exited(&self) -> bool {
        self.0.borrow().exit.is_some()
    }

    /// Resolves with the status at the exit.
    pub(super) fn exited(&self) -> impl Future<Output = ExitStatus> + Send + use<> {
        self.when(|state| state.exit)
    }

    /// Resolves when it has exited and nothing holds stdout open.
    pub(super) fn stdout_closed(&self) -> impl Future<Output = ()> + Send + use<> {
        self.when(|state| (state.exit.is_some() && !state.stdout_held).then_some(()))
    }

    /// Resolves when it has received TERM more than `seen` times.
    pub(super) fn terminated_more_than(
        &self,
        seen: u32,
    ) -> impl Future<Output = ()> + Send + use<> {
        self.when(move |state| (state.terminations > seen).then_some(()))
    }

    /// Resolves when it has been killed.
    pub(super) fn killed(&self) -> impl Future<Output = ()> + Send + use<> {
        self.when(|state| (state.kills > 0).then_some(()))
    }

    fn when<T, C>(&self, condition: C) -> impl Future<Output = T> + Send + use<T, C>
    where
        C: Fn(&State) -> Option<T> + Send + Sync,
    {
        let mut state = self.0.subscribe();
        // Keeps the sender alive while this waits.
        let process = self.clone();
        async move {
            let state = state.wait_for(|state| condition(state).is_some()).await;
            let found = condition(&state.expect("the sender is held above"));
            drop(process);
            found.expect("the condition was just met")
        }
    }
}
