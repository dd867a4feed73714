use std::future::Future;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use rustix::io::retry_on_intr;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::watch;

use super::exit::{ExitState, wait_for_exit};
use super::spawn::Pipes;
use super::{ExitStatus, watchdog};

/// A running process group. Dropping it kills the group.
///
/// Once the leader was reaped and its group is empty, the system may give the group's number to
/// another process, and a signal would hit that. Therefore only one thread reaps the leader. It
/// first waits without reaping: while the leader is a zombie its number stays taken, and in that
/// state the rest of the group is killed. Every other signal is sent under the lock that reaping
/// takes, and not at all after it.
///
/// The reaper is a thread and not a task because a runtime may end before the child does, and a
/// child that is never reaped stays a zombie.
pub(super) struct Group {
    leader: Arc<Leader>,
    exit: watch::Receiver<ExitState>,
}

impl Group {
    /// Starts `command`, whose three streams are piped, as the leader of a new group.
    pub(super) fn start(mut command: Command) -> io::Result<(Self, Pipes)> {
        // The thread starts first: if it cannot start, there must be no child without a reaper.
        let (child_sender, child_receiver) = mpsc::channel::<(Child, Arc<Leader>)>();
        let (exit_sender, exit) = watch::channel(ExitState::Running);
        thread::Builder::new()
            .name("inhouse-child".to_owned())
            .spawn(move || {
                if let Ok((child, leader)) = child_receiver.recv() {
                    exit_sender.send_replace(ExitState::Exited(leader.reap(child)));
                }
            })?;

        watchdog::start();
        let mut child = command.process_group(0).spawn()?;
        let pid = Pid::from_child(&child);
        let pipes = take_pipes(&mut child);
        let leader = Arc::new(Leader {
            pid,
            reaped: Mutex::new(false),
        });
        // Before the child reaches the reaper, which unregisters it.
        watchdog::register(pid);
        child_sender
            .send((child, Arc::clone(&leader)))
            .expect("the thread waits for the child");
        // On an error of `take_pipes` dropping the group kills the child.
        let group = Self { leader, exit };
        Ok((group, pipes?))
    }

    pub(super) fn pid(&self) -> u32 {
        self.leader.pid.as_raw_nonzero().get().cast_unsigned()
    }

    /// Resolves once the leader was reaped; `None` if other code has reaped it.
    pub(super) fn exited(&self) -> impl Future<Output = Option<ExitStatus>> + Send + use<> {
        wait_for_exit(self.exit.clone())
    }

    // A signal to the group fails only if nothing but the zombie of the leader is left.
    pub(super) fn terminate(&self) {
        self.leader.unless_reaped(|leader| {
            let _ = kill_process_group(leader, Signal::TERM);
        });
    }

    /// Kills the group after this time, unless this method is called again before, also if this process is stopped.
    pub(super) fn kill_after(&self, time: Duration) {
        self.leader
            .unless_reaped(|leader| watchdog::kill_after(leader, time));
    }

    pub(super) fn kill(&self) {
        self.leader.unless_reaped(|leader| {
            #[cfg(target_os = "linux")]
            super::descendants::kill_descendants(leader);
            let _ = kill_process_group(leader, Signal::KILL);
        });
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

struct Leader {
    pid: Pid,
    reaped: Mutex<bool>,
}

impl Leader {
    fn unless_reaped(&self, signal: impl FnOnce(Pid)) {
        let reaped = self.reaped.lock().unwrap_or_else(PoisonError::into_inner);
        if !*reaped {
            signal(self.pid);
        }
    }

    /// Waits until the leader has exited, kills the rest of its group, and reaps it.
    fn reap(&self, mut child: Child) -> Option<ExitStatus> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        let waited = retry_on_intr(|| waitid(WaitId::Pid(self.pid), options));

        let mut reaped = self.reaped.lock().unwrap_or_else(PoisonError::into_inner);
        // An error means that the host reaps all children itself, or ignores SIGCHLD: the number may
        // already belong to another process.
        if waited.is_ok() {
            let _ = kill_process_group(self.pid, Signal::KILL);
        }
        watchdog::unregister(self.pid);
        *reaped = true;
        child.wait().ok().map(ExitStatus::from)
    }
}

fn take_pipes(child: &mut Child) -> io::Result<Pipes> {
    const PIPED: &str = "the streams of the command are piped";
    Ok(Pipes {
        stdin: ChildStdin::from_std(child.stdin.take().expect(PIPED))?,
        stdout: ChildStdout::from_std(child.stdout.take().expect(PIPED))?,
        stderr: ChildStderr::from_std(child.stderr.take().expect(PIPED))?,
    })
}
