//! Kills the process groups of a host that has died, or that was stopped for longer than the lease of a session.
//!
//! A parent-death signal is bound to the *thread* that spawned the child, exists on Linux only and
//! needs `unsafe`. A pipe needs neither: the kernel closes the host's end whatever kills the host,
//! SIGKILL included. One small shell for the whole host reads the other end and then kills the groups
//! that are registered.
//!
//! It sends KILL without a grace period. The stdin of each CLI ends together with the shell's pipe,
//! and a CLI that sees the end of its stdin sends another request to the model (2.1.325). The shell
//! only has to wake up and send a signal, which takes far less time than such a request.
//!
//! The shell leads its own process group, so that Ctrl-C in the host's terminal does not reach it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::io::ioctl_fionbio;
use rustix::process::{Pid, Signal, kill_process_group};

static WATCHDOG: Mutex<Watchdog> = Mutex::new(Watchdog::new());

/// Starts the watchdog if it does not run. Called before a CLI is spawned.
///
/// A dying process closes its descriptors in ascending order. The watchdog's pipe is opened before
/// the pipes of the CLI, so it usually has the lower number and the watchdog is woken first.
pub(super) fn start() {
    let mut watchdog = WATCHDOG.lock().unwrap_or_else(PoisonError::into_inner);
    let is_running = watchdog.shell.as_mut().is_some_and(Shell::is_running);
    if !is_running {
        // Killed and not just dropped, because `is_running` is also false if the status is unknown: a
        // shell that still runs would take the end of its pipe for the death of the host.
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
    watchdog.send(&format!("+ {group}\n"));
}

/// Removes a registration. Must be called before the leader is reaped, while its number is taken.
pub(super) fn unregister(group: Pid) {
    let group = group.as_raw_nonzero().get();
    let mut watchdog = WATCHDOG.lock().unwrap_or_else(PoisonError::into_inner);
    watchdog.groups.remove(&group);
    watchdog.send(&format!("- {group}\n"));
}

/// Kills `group` after this time, unless this function is called again or the group is unregistered before.
///
/// The watchdog does it also if the host is stopped, whose own timers do not run.
pub(super) fn kill_after(group: Pid, time: Duration) {
    let group = group.as_raw_nonzero().get();
    let mut watchdog = WATCHDOG.lock().unwrap_or_else(PoisonError::into_inner);
    if watchdog.groups.contains(&group) {
        // POSIX `sleep` takes whole seconds.
        let seconds = time.as_millis().div_ceil(1000);
        watchdog.send(&format!("t {group} {seconds}\n"));
    }
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

    /// Sends a change to the shell, or all groups to a new shell if that fails.
    fn send(&mut self, change: &str) {
        if let Some(shell) = &mut self.shell
            && shell.send(change).is_ok()
        {
            return;
        }
        if let Some(broken) = self.shell.take() {
            broken.discard();
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
                    "watchdog not started: if this process is killed in the middle of a turn, the CLI \
                     may send one more request to the model before it exits"
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
            // The shell outlives the host and must not hold its directory, output or environment.
            .current_dir("/")
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        let mut child = command.spawn()?;
        let mut stdin = child.stdin.take().expect("stdin is piped");

        let mut all = String::new();
        for group in groups {
            let _ = writeln!(all, "+ {group}");
        }
        let written = stdin
            .write_all(all.as_bytes())
            // Later changes must not block on a shell that was stopped by a signal.
            .and_then(|()| Ok(ioctl_fionbio(&stdin, true)?));
        let shell = Self { child, stdin };
        match written {
            Ok(()) => Ok(shell),
            Err(error) => {
                shell.discard();
                Err(error)
            }
        }
    }

    /// Sends a change; fails if the shell is gone or its pipe is full. A change is shorter than
    /// `PIPE_BUF`, so it is written completely or not at all.
    fn send(&mut self, change: &str) -> io::Result<()> {
        // Checked first: a write to a dead shell would kill a host that has not ignored SIGPIPE.
        if !self.is_running() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.stdin.write_all(change.as_bytes())
    }

    fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Kills the shell and its timers before its input ends, because at the end of input it kills the groups.
    fn discard(mut self) {
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
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
            // Not registered, and a prefix of a registered number.
            format!("- {}\n", first / 10),
        ] {
            shell.send(&change).unwrap();
        }
        drop(shell.stdin);
        assert!(shell.child.wait().unwrap().success());

        let [first, second, third, fourth] = &mut sleepers;
        for registered in [first, third] {
            assert_eq!(registered.wait().unwrap().signal(), Some(9));
        }
        for unregistered in [second, fourth] {
            assert!(unregistered.try_wait().unwrap().is_none());
            unregistered.kill().unwrap();
            unregistered.wait().unwrap();
        }
    }

    #[test]
    fn group_is_killed_when_its_time_is_not_extended() {
        let mut sleepers = [(); 2].map(|()| sleeper());
        let [first, second] = sleepers.each_ref().map(|child| child.id() as i32);
        let mut shell = Shell::start(&BTreeSet::from([first, second])).unwrap();
        for change in [
            format!("t {second} 0\n"),
            format!("t {first} 1000\n"),
            format!("t {first} 0\n"),
        ] {
            shell.send(&change).unwrap();
        }
        // Neither the input nor the host ends.
        for sleeper in &mut sleepers {
            assert_eq!(sleeper.wait().unwrap().signal(), Some(9));
        }
        shell.discard();
    }

    #[test]
    fn unregistered_group_outlives_its_time() {
        let mut sleepers = [(); 2].map(|()| sleeper());
        let [first, second] = sleepers.each_ref().map(|child| child.id() as i32);
        let mut shell = Shell::start(&BTreeSet::from([first, second])).unwrap();
        for change in [
            format!("t {first} 1\n"),
            format!("- {first}\n"),
            format!("t {second} 2\n"),
        ] {
            shell.send(&change).unwrap();
        }
        let [first, second] = &mut sleepers;
        assert_eq!(second.wait().unwrap().signal(), Some(9));
        assert!(first.try_wait().unwrap().is_none());
        first.kill().unwrap();
        first.wait().unwrap();
        shell.discard();
    }

    #[test]
    fn discarded_shell_kills_no_group() {
        let mut sleeper = sleeper();
        let shell = Shell::start(&BTreeSet::from([sleeper.id() as i32])).unwrap();
        shell.discard();
        assert!(sleeper.try_wait().unwrap().is_none());
        sleeper.kill().unwrap();
        sleeper.wait().unwrap();
    }
}
