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

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

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
    let mut watchdog = WATCHDOG.lock().unwrap_or_else(PoisonError::into_inner);
    watchdog.register(group.as_raw_nonzero().get());
}

/// Removes a registration. Must be called before the leader is reaped, while its number is taken.
pub(super) fn unregister(group: Pid) {
    let mut watchdog = WATCHDOG.lock().unwrap_or_else(PoisonError::into_inner);
    watchdog.unregister(group.as_raw_nonzero().get());
}

/// Kills `group` after this time, unless this function is called again or the group is unregistered before.
///
/// The watchdog does it also if the host is stopped, whose own timers do not run.
pub(super) fn kill_after(group: Pid, time: Duration) {
    let mut watchdog = WATCHDOG.lock().unwrap_or_else(PoisonError::into_inner);
    watchdog.kill_after(group.as_raw_nonzero().get(), time);
}

/// The registered groups, each with the time at which it is killed, if it has one.
type Groups = BTreeMap<i32, Option<Instant>>;

struct Watchdog {
    groups: Groups,
    shell: Option<Shell>,
    warned: bool,
}

impl Watchdog {
    const fn new() -> Self {
        Self {
            groups: BTreeMap::new(),
            shell: None,
            warned: false,
        }
    }

    fn register(&mut self, group: i32) {
        self.groups.insert(group, None);
        self.send(&format!("+ {group}\n"));
    }

    fn unregister(&mut self, group: i32) {
        self.groups.remove(&group);
        self.send(&format!("- {group}\n"));
    }

    fn kill_after(&mut self, group: i32, time: Duration) {
        if let Some(until) = self.groups.get_mut(&group) {
            let end = Instant::now() + time;
            *until = Some(end);
            self.send(&timer_line(group, end));
        }
    }

    /// Sends a change to the shell, or all groups with their times to a new shell if that fails.
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

/// Returns the line that makes the shell kill a group at a time.
fn timer_line(group: i32, until: Instant) -> String {
    let time = until.saturating_duration_since(Instant::now());
    // POSIX `sleep` takes whole seconds.
    let seconds = time.as_millis().div_ceil(1000);
    format!("t {group} {seconds}\n")
}

struct Shell {
    child: Child,
    stdin: ChildStdin,
}

impl Shell {
    fn start(groups: &Groups) -> io::Result<Self> {
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
        for (group, until) in groups {
            let _ = writeln!(all, "+ {group}");
            all.extend(until.map(|until| timer_line(*group, until)));
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

    fn groups<const N: usize>(groups: [i32; N]) -> Groups {
        groups.map(|group| (group, None)).into()
    }

    /// Waits until a condition is met; returns whether it is within a minute.
    fn is_met_soon(mut is_met: impl FnMut() -> bool) -> bool {
        let give_up = Instant::now() + Duration::from_secs(60);
        while !is_met() {
            if Instant::now() > give_up {
                return false;
            }
            std::thread::yield_now();
        }
        true
    }

    fn sleeper() -> Child {
        let mut command = Command::new("sleep");
        command.arg("1000").process_group(0).spawn().unwrap()
    }

    #[test]
    fn registered_groups_are_killed_at_the_end_of_input() {
        let mut sleepers = [(); 4].map(|()| sleeper());
        let [first, second, third, fourth] = sleepers.each_ref().map(|child| child.id() as i32);
        let mut shell = Shell::start(&groups([first, second])).unwrap();
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
        let mut shell = Shell::start(&groups([first, second])).unwrap();
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
        let mut shell = Shell::start(&groups([first, second])).unwrap();
        // Long enough for the second line to arrive in time on a slow machine.
        for change in [
            format!("t {first} 8\n"),
            format!("- {first}\n"),
            format!("t {second} 10\n"),
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
    fn replaced_shell_keeps_the_times_of_its_groups() {
        let mut sleepers = [(); 2].map(|()| sleeper());
        let [first, second] = sleepers.each_ref().map(|child| child.id() as i32);
        let mut watchdog = Watchdog::new();
        watchdog.register(first);
        watchdog.kill_after(first, Duration::from_secs(1));
        watchdog.register(second);
        let shell = watchdog.shell.as_mut().unwrap();
        kill_process_group(Pid::from_child(&shell.child), Signal::KILL).unwrap();
        shell.child.wait().unwrap();

        // Replaces the shell, which did not get this time.
        watchdog.kill_after(second, Duration::from_secs(2));
        let [first, second] = &mut sleepers;
        assert_eq!(second.wait().unwrap().signal(), Some(9));
        // A slow machine may run the timers late and in any order.
        let first_is_killed = is_met_soon(|| first.try_wait().unwrap().is_some());
        if !first_is_killed {
            first.kill().unwrap();
            first.wait().unwrap();
        }
        assert!(first_is_killed);
        watchdog.shell.unwrap().discard();
    }

    /// The host extends the time while the timer kills the group, which takes a while for a large family.
    #[cfg(target_os = "linux")]
    #[test]
    fn group_whose_time_is_extended_during_its_kill_is_not_left_stopped() {
        let state = |group: i32| {
            let stat = std::fs::read_to_string(format!("/proc/{group}/stat")).unwrap();
            let (_, state) = stat.rsplit_once(") ").unwrap();
            state.chars().next().unwrap()
        };
        let mut command = Command::new("sh");
        let family = "i=0; while [ $i -lt 300 ]; do sleep 1000 & i=$((i + 1)); done; echo; wait";
        command.args(["-c", family]).process_group(0);
        let mut leader = command.stdout(Stdio::piped()).spawn().unwrap();
        let group = leader.id() as i32;
        let mut started = [0];
        let stdout = leader.stdout.as_mut().unwrap();
        io::Read::read_exact(stdout, &mut started).unwrap();
        let mut shell = Shell::start(&groups([group])).unwrap();
        shell.send(&format!("t {group} 0\n")).unwrap();
        while !matches!(state(group), 'T' | 'Z') {
            std::thread::yield_now();
        }
        shell.send(&format!("t {group} 1000\n")).unwrap();
        // The input is read only after the timer has ended.
        shell.send(&format!("- {group}\n")).unwrap();
        drop(shell.stdin);
        assert!(shell.child.wait().unwrap().success());
        // A killed process may still run for a moment on a busy machine.
        let is_dead = is_met_soon(|| state(group) == 'Z');
        let _ = kill_process_group(Pid::from_child(&leader), Signal::KILL);
        leader.wait().unwrap();
        assert!(is_dead);
    }

    #[test]
    fn discarded_shell_kills_no_group() {
        let mut sleeper = sleeper();
        let shell = Shell::start(&groups([sleeper.id() as i32])).unwrap();
        shell.discard();
        assert!(sleeper.try_wait().unwrap().is_none());
        sleeper.kill().unwrap();
        sleeper.wait().unwrap();
    }
}
