use std::future::Future;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;

use rustix::io::retry_on_intr;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::watch;

use super::exit::{Exit, ended};
use super::{ExitStatus, watchdog};

/// A running process group, by its leader. Dropping it kills the group.
///
/// The number of a group is free for others once its leader was reaped and its members are gone, so
/// a signal sent after that could hit a stranger. Therefore the leader is reaped in one place only,
/// by a thread that first waits without reaping: while the dead leader is still there its number
/// cannot be given away, and in that moment the rest of the group is killed. All other signals are
/// sent under the lock that the reaping takes, and not at all once it has happened.
///
/// It is a thread and not a task because a runtime may end before the child does, and then nobody
/// would be left to reap it. Beside a CLI its cost does not show.
pub(super) struct Group {
    leader: Arc<Leader>,
    exit: watch::Receiver<Exit>,
}

/// The pipes of a group's leader.
pub(super) struct Pipes {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

impl Group {
    /// Starts `command`, whose three streams are piped, as the leader of a new group.
    pub(super) fn start(mut command: Command) -> io::Result<(Self, Pipes)> {
        // The thread comes first: a failure to start it must not leave a child that nobody reaps.
        let (hand_over, handed_over) = mpsc::channel::<(Child, Arc<Leader>)>();
        let (end, exit) = watch::channel(Exit::Pending);
        thread::Builder::new()
            .name("inhouse-child".to_owned())
            .spawn(move || {
                if let Ok((child, leader)) = handed_over.recv() {
                    end.send_replace(Exit::Ended(leader.reap(child)));
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
        // Before the hand-over, because the thread takes the registration back.
        watchdog::register(pid);
        hand_over
            .send((child, Arc::clone(&leader)))
            .expect("the thread waits for the child");
        let group = Self { leader, exit };
        Ok((group, pipes?))
    }

    pub(super) fn pid(&self) -> u32 {
        self.leader.pid.as_raw_nonzero().get().cast_unsigned()
    }

    /// Resolves once the leader was reaped; `None` if somebody else did that and has the status.
    pub(super) fn exited(&self) -> impl Future<Output = Option<ExitStatus>> + Send + use<> {
        ended(self.exit.clone())
    }

    pub(super) fn terminate(&self) {
        self.leader.unless_reaped(|leader| {
            // This and the kill fail only for a group of which nothing but the dead leader is left.
            let _ = kill_process_group(leader, Signal::TERM);
        });
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

    /// Waits for the leader's end, kills what it leaves behind, and reaps it.
    fn reap(&self, mut child: Child) -> Option<ExitStatus> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        let waited = retry_on_intr(|| waitid(WaitId::Pid(self.pid), options));

        let mut reaped = self.reaped.lock().unwrap_or_else(PoisonError::into_inner);
        // An error means that the host itself reaps all children, or ignores SIGCHLD: the number
        // may already belong to somebody else.
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
