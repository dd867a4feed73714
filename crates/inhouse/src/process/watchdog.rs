//! Kills the process groups of a host that has died.
//!
//! A parent-death signal would follow the *thread* that spawned, exists on Linux only and needs
//! `unsafe`. A pipe does better: the kernel closes the host's end whatever the host dies of, SIGKILL
//! included, and the reader at the other end, one small shell for the whole host, kills the groups
//! that were registered and not taken back.
//!
//! It kills at once. The stdin of each CLI ends in the same moment as the shell's pipe, and a CLI that
//! reacts to that end asks the model once more (2.1.325). The shell has only to wake up and send a
//! signal, which takes far less than the CLI needs to make a request.
//!
//! The shell leads a group of its own, so that a Ctrl-C for the host does not reach it. It exits
//! only after the host is gone, so it leaves no zombie there.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use rustix::io::ioctl_fionbio;
use rustix::process::Pid;

static WATCHDOG: Mutex<Watchdog> = Mutex::new(Watchdog::new());

/// Starts the watchdog if there is none, before the first group needs it.
///
/// A dying process closes its descriptors in ascending order. The watchdog's pipe is opened before
/// the pipes of the CLI, so it usually has the lower number and the watchdog is woken first.
pub(super) fn start() {
    let mut watchdog = WATCHDOG.lock().unwrap_or_else(PoisonError::into_inner);
    let is_running = watchdog.shell.as_mut().is_some_and(Shell::is_running);
    if !is_running {
        // Never dropped alone: a shell that is alive after all would take the end of its pipe for the
        // death of the host.
        if let Some(shell) = watchdog.shell.take() {
            shell.discard();
        }
        watchdog.restart();
    }
}

/// Registers `group` to be killed if the host dies.
pub(super) fn register(group: Pid) {
    let group = group.as_raw_nonzero().get();
    let mut watchdog = WATCHDOG.lock().unwrap_or_else(PoisonError::into_inner);
    watchdog.groups.insert(group);
    watchdog.tell(&format!("+ {group}\n"));
}

/// Takes a registration back; to be called while the number cannot belong to anybody else.
pub(super) fn unregister(group: Pid) {
    let group = group.as_raw_nonzero().get();
    let mut watchdog = WATCHDOG.lock().unwrap_or_else(PoisonError::into_inner);
    watchdog.groups.remove(&group);
    watchdog.tell(&format!("- {group}\n"));
}

struct Watchdog {
    groups: BTreeSet<i32>,
    shell: Option<Shell>,
    warned: bool,
}

impl Watchdog {
    const fn new() -> Self {
        Self {
            groups: BTreeSet::new(),
            shell: None,
            warned: false,
        }
    }

    /// Passes a change on, or everything to a new shell if there is none that listens.
    fn tell(&mut self, change: &str) {
        if let Some(shell) = &mut self.shell
            && shell.tell(change).is_ok()
        {
            return;
        }
        if let Some(deaf) = self.shell.take() {
            deaf.discard();
        }
        if !self.groups.is_empty() {
            self.restart();
        }
    }

    fn restart(&mut self) {
        match Shell::start(&self.groups) {
            Ok(shell) => self.shell = Some(shell),
            Err(error) if !self.warned => {
                self.warned = true;
                tracing::warn!(
                    %error,
                    "no watchdog could be started: if this process is killed in the middle of a turn, \
                     the CLI may send one more request to the model before it ends"
                );
            }
            Err(_) => {}
        }
    }
}

struct Shell {
    child: Child,
    stdin: ChildStdin,
}

impl Shell {
    fn start(groups: &BTreeSet<i32>) -> io::Result<Self> {
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", include_str!("watchdog.sh"), "inhouse-watchdog"])
            // No directory, output or variable of the host is held beyond its life.
            .current_dir("/")
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        let mut child = command.spawn()?;
        let mut stdin = child.stdin.take().expect("its stdin is piped");

        let mut all = String::new();
        for group in groups {
            let _ = writeln!(all, "+ {group}");
        }
        let told = stdin
            .write_all(all.as_bytes())
            // Later changes must not wait for a shell that somebody has stopped.
            .and_then(|()| Ok(ioctl_fionbio(&stdin, true)?));
        let shell = Self { child, stdin };
        match told {
            Ok(()) => Ok(shell),
            Err(error) => {
                shell.discard();
                Err(error)
            }
        }
    }

    /// Fails if the shell is gone or its pipe is full. A change is shorter than `PIPE_BUF`, so it is
    /// written whole or not at all.
    fn tell(&mut self, change: &str) -> io::Result<()> {
        // Asked first, because a host may have SIGPIPE at its default.
        if !self.is_running() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.stdin.write_all(change.as_bytes())
    }

    fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Kills it before its input ends, since at that end it would kill the groups.
    fn discard(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;

    use super::*;

    fn sleeper() -> Child {
        let mut command = Command::new("sleep");
        command.arg("1000").process_group(0).spawn().unwrap()
    }

    #[test]
    fn registered_groups_are_killed_at_the_end_of_input() {
        let mut sleepers = [(); 4].map(|()| sleeper());
        let [first, second, third, fourth] = sleepers.each_ref().map(|child| child.id() as i32);
        let mut shell = Shell::start(&BTreeSet::from([first, second])).unwrap();
        for change in [
            format!("+ {third}\n"),
            format!("- {second}\n"),
            format!("+ {fourth}\n"),
            format!("- {fourth}\n"),
            // Never registered, and the start of one that is.
            format!("- {}\n", first / 10),
        ] {
            shell.tell(&change).unwrap();
        }
        drop(shell.stdin);
        assert!(shell.child.wait().unwrap().success());

        let [first, second, third, fourth] = &mut sleepers;
        for registered in [first, third] {
            assert_eq!(registered.wait().unwrap().signal(), Some(9));
        }
        for taken_back in [second, fourth] {
            assert!(taken_back.try_wait().unwrap().is_none());
            taken_back.kill().unwrap();
            taken_back.wait().unwrap();
        }
    }

    #[test]
    fn a_discarded_shell_ends_nothing() {
        let mut sleeper = sleeper();
        let shell = Shell::start(&BTreeSet::from([sleeper.id() as i32])).unwrap();
        shell.discard();
        assert!(sleeper.try_wait().unwrap().is_none());
        sleeper.kill().unwrap();
        sleeper.wait().unwrap();
    }
}
