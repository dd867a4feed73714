use std::env;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{self, Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, getpgid, kill_process};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt as _;

use crate::support::{
    APART, DEADLINE, STUBBORN, is_dead, is_reaped, open, parse_pids, shell, wait_until_dead,
};

#[test]
fn promise_13_no_process_survives_a_killed_host() {
    let mut host = Host::start("wait", STUBBORN);
    host.kill();
    host.assert_nothing_is_left();
}

#[test]
fn child_in_its_own_session_does_not_survive_a_killed_host() {
    let mut host = Host::start("wait", APART);
    host.kill();
    host.assert_nothing_is_left();
}

#[test]
fn process_of_a_killed_host_is_killed_without_a_request_to_end() {
    let polite = r#"
        trap 'echo asked >&3; exit' TERM
        sleep 1000 &
        echo "$$ $!" >&3
        wait
    "#;
    let mut host = Host::start("wait", polite);
    host.kill();
    assert_eq!(host.assert_nothing_is_left(), "");
}

#[test]
fn no_process_survives_a_host_that_exits_without_drop() {
    let mut host = Host::start("exit", STUBBORN);
    drop(host.process.stdin.take());
    assert!(host.process.wait().unwrap().success());
    host.assert_nothing_is_left();
}

#[test]
fn lost_watchdog_is_replaced() {
    let mut host = Host::start("lose the watchdog", STUBBORN);
    host.kill();
    host.assert_nothing_is_left();
}

#[test]
fn no_process_of_a_stopped_host_outlives_its_lease() {
    for script in [STUBBORN, APART] {
        let mut host = Host::start("hold a lease", script);
        kill_process(as_pid(host.process.id()), Signal::STOP).unwrap();
        host.assert_nothing_is_left();
        host.kill();
    }
}

#[tokio::test]
async fn watchdog_holds_no_descriptor_of_the_host() {
    let _connection = open(shell("exec cat")).await.unwrap();
    let watchdog = watchdog_of_this_process();
    let link = |name: &str| fs::read_link(format!("/proc/{watchdog}/{name}")).unwrap();
    assert_eq!(link("fd/1"), Path::new("/dev/null"));
    assert_eq!(link("fd/2"), Path::new("/dev/null"));
    assert_eq!(link("cwd"), Path::new("/"));
    let group = getpgid(Some(as_pid(watchdog))).unwrap();
    assert_eq!(group, as_pid(watchdog));
}

const FIFO: &str = "INHOUSE_TEST_FIFO";
const SCRIPT: &str = "INHOUSE_TEST_SCRIPT";
const THEN: &str = "INHOUSE_TEST_THEN";

/// Not a test: the process that [`Host::start`] runs.
#[tokio::test]
async fn host() {
    let Some(fifo) = env::var_os(FIFO) else {
        return;
    };
    let then = env::var(THEN).unwrap();
    let script = env::var(SCRIPT).unwrap();
    let mut command = shell(&format!("exec 3>\"${FIFO}\"\nread -r go\n{script}"));
    command.env.set.insert(FIFO.into(), fifo);
    command.env.set.insert("hold".into(), "3".into());
    let mut connection = open(command).await.unwrap();

    let second;
    if then == "lose the watchdog" {
        let lost = watchdog_of_this_process();
        kill_process(as_pid(lost), Signal::KILL).unwrap();
        wait_until_dead(lost);
        second = open(shell("exec cat")).await.unwrap();
        assert!(is_reaped(lost));
        assert_ne!(watchdog_of_this_process(), lost);
        assert!(second.peer.pid().is_some());
    }
    if then == "hold a lease" {
        connection.peer.kill_after(Duration::from_secs(3));
    }
    connection.writer.write_all(b"go\n").await.unwrap();
    io::stdin().read_to_end(&mut Vec::new()).unwrap();
    assert_eq!(then, "exit");
    process::exit(0);
}

/// A process with a session, in which a script writes two pids to its descriptor 3.
struct Host {
    process: Child,
    pids: [u32; 2],
    end: Receiver<String>,
    _directory: TempDir,
}

impl Host {
    fn start(then: &str, script: &str) -> Self {
        let directory = TempDir::new().unwrap();
        let fifo = directory.path().join("fifo");
        let made = Command::new("mkfifo").arg(&fifo).status().unwrap();
        assert!(made.success());
        let process = Command::new(env::current_exe().unwrap())
            .args(["--exact", "watchdog::host"])
            .env(FIFO, &fifo)
            .env(SCRIPT, script)
            .env(THEN, then)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let (line, end) = follow(fifo);
        let pids = parse_pids(&line.recv_timeout(DEADLINE).unwrap());
        assert!(pids.iter().all(|&pid| !is_dead(pid)));
        Self {
            process,
            pids,
            end,
            _directory: directory,
        }
    }

    fn kill(&mut self) {
        self.process.kill().unwrap();
        let status = self.process.wait().unwrap();
        assert_eq!(status.signal(), Some(9), "the host has ended by itself");
    }

    /// Only the script and its children hold the pipe, so it ends with them. Returns the rest of the output.
    fn assert_nothing_is_left(&self) -> String {
        let said = self.end.recv_timeout(DEADLINE);
        let said = said.expect("the processes exit with their host");
        self.pids.into_iter().for_each(wait_until_dead);
        said
    }
}

/// Reads the first line of a pipe, and later the rest.
fn follow(fifo: PathBuf) -> (Receiver<String>, Receiver<String>) {
    let (send_line, line) = mpsc::channel();
    let (send_rest, rest) = mpsc::channel();
    thread::spawn(move || {
        let mut reader = BufReader::new(File::open(fifo).unwrap());
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        send_line.send(line).unwrap();
        let mut rest = String::new();
        reader.read_to_string(&mut rest).unwrap();
        send_rest.send(rest).unwrap();
    });
    (line, rest)
}

/// A process that has just started may not have its command line yet.
pub(crate) fn watchdog_of_this_process() -> u32 {
    let start = Instant::now();
    loop {
        if let Some(pid) = find_watchdog() {
            return pid;
        }
        assert!(start.elapsed() < DEADLINE, "there is no watchdog");
    }
}

fn find_watchdog() -> Option<u32> {
    let parent = format!("PPid:\t{}\n", process::id());
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.find(|pid: &u32| {
        let read = |name| fs::read_to_string(format!("/proc/{pid}/{name}")).unwrap_or_default();
        read("status").contains(&parent) && read("cmdline").ends_with("\0inhouse-watchdog\0")
    })
}

pub(crate) fn as_pid(pid: u32) -> Pid {
    Pid::from_raw(pid.cast_signed()).unwrap()
}
