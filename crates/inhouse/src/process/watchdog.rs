//! Ends the groups of a host that had no chance to do it itself.
//!
//! A parent-death signal would follow the *thread* that spawned, exists on Linux only and needs
//! `unsafe`. A pipe does better: the kernel closes the host's end whatever the host dies of, SIGKILL
//! included, and the reader at the other end, one small shell for the whole host, ends the groups
//! that were registered and not taken back.
//!
//! The shell leads a group of its own, so that a Ctrl-C for the host does not reach it. It exits
//! only after the host is gone, so it leaves no zombie there.

use std::collections::BTreeSet;
use std::env;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use rustix::io::ioctl_fionbio;
use rustix::process::Pid;

static WATCHDOG: Mutex<Watchdog> = Mutex::new(Watchdog::new());

/// Has `group` ended when the host is.
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
        if self.groups.is_empty() {
            return;
        }
        match Shell::start(&self.groups) {
            Ok(shell) => self.shell = Some(shell),
            Err(error) if !self.warned => {
                self.warned = true;
                tracing::warn!(
                    %error,
                    "no watchdog could be started: if this process is killed, the CLI is only told \
                     by the end of its input"
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
            // Neither a directory nor an output of the host is held beyond its life, and of the
            // environment no more than it takes to find `sleep`.
            .current_dir("/")
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        if let Some(path) = env::var_os("PATH") {
            command.env("PATH", path);
        }
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
        if self.child.try_wait()?.is_some() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.stdin.write_all(change.as_bytes())
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
    fn the_groups_that_were_not_taken_back_are_ended_at_the_end_of_input() {
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

        let mut ends = Vec::new();
        for sleeper in &mut sleepers {
            let ended = sleeper.try_wait().unwrap();
            sleeper.kill().unwrap();
            ends.push(ended.and_then(|_| sleeper.wait().unwrap().signal()));
        }
        assert_eq!(ends, [Some(15), None, Some(15), None]);
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
