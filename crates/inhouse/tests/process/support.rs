use std::env;
use std::fs;
use std::future::Future;
use std::thread;
use std::time::{Duration, Instant};

use inhouse::launch::{CommandLine, Plan};
use inhouse::transport::{ChildTransport, Connection, Transport};
use inhouse::{Options, Result};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader};
use tokio::process::Command;

/// Longer than any step takes on a loaded machine.
pub(crate) const DEADLINE: Duration = Duration::from_secs(30);

/// Ignores every polite way to be ended, and has a child that does so, too. Both hold `$hold` open;
/// their pids are written there first.
pub(crate) const STUBBORN: &str = r#"
    trap '' HUP INT TERM
    exec 2>/dev/null
    (while :; do sleep 1000; done) &
    echo "$$ $!" >&"$hold"
    while :; do sleep 1000; done
"#;

/// Ignores signals as `STUBBORN` does, with the child in a separate session: the CLI runs Bash commands in this way.
pub(crate) const APART: &str = r#"
    trap '' HUP INT TERM
    exec 2>/dev/null
    setsid sh -c 'while :; do sleep 1000; done' &
    echo "$$ $!" >&"$hold"
    while :; do sleep 1000; done
"#;

pub(crate) fn shell(script: &str) -> CommandLine {
    CommandLine::new("/bin/sh").args(["-c", script])
}

pub(crate) async fn open(command: CommandLine) -> Result<Connection> {
    open_with(Options::new(), command).await
}

/// Opens a connection to `command` in place of the CLI.
pub(crate) async fn open_with(options: Options, command: CommandLine) -> Result<Connection> {
    let options = options.wrap_command(move |_| command.clone());
    ChildTransport.open(&Plan::locate(&options)?.launch).await
}

pub(crate) async fn open_stubborn() -> (Connection, [u32; 2]) {
    open_holding(STUBBORN).await
}

/// A running script that holds its stdout, with the pids of its two processes.
pub(crate) async fn open_holding(script: &str) -> (Connection, [u32; 2]) {
    let mut command = shell(script);
    command.env.set.insert("hold".into(), "1".into());
    let mut connection = open(command).await.unwrap();
    let line = first_line(&mut connection.reader).await;
    let pids = parse_pids(&line);
    assert_eq!(connection.peer.pid(), Some(pids[0]));
    (connection, pids)
}

pub(crate) fn parse_pids(line: &str) -> [u32; 2] {
    let mut pids = line.split_whitespace().map(|pid| pid.parse().unwrap());
    [pids.next().unwrap(), pids.next().unwrap()]
}

pub(crate) async fn first_line(reader: &mut (impl AsyncRead + Unpin)) -> String {
    let mut line = String::new();
    within(BufReader::new(reader).read_line(&mut line))
        .await
        .unwrap();
    line
}

/// What is left to read, up to the end: the moment when the last process that held it is dying.
pub(crate) async fn rest(reader: &mut (impl AsyncRead + Unpin)) -> String {
    let mut text = String::new();
    within(reader.read_to_string(&mut text)).await.unwrap();
    text
}

/// Runs a test of this program in a separate process. Returns true in that process, and false in
/// the calling one once that process has passed the test.
pub(crate) async fn run_alone(test: &str) -> bool {
    const VARIABLE: &str = "INHOUSE_TEST_ALONE";
    if env::var_os(VARIABLE).is_some() {
        return true;
    }
    let mut process = Command::new(env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(VARIABLE, "yes")
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let status = within(process.wait()).await.unwrap();
    assert!(status.success(), "{test} has failed; its output is above");
    false
}

pub(crate) async fn within<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(DEADLINE, future)
        .await
        .expect("not done within the deadline")
}

/// Waits until nothing but a zombie may be left of a process: its files are closed a little earlier.
pub(crate) fn wait_until_dead(pid: u32) {
    wait_until("the process is dead", || is_dead(pid));
}

/// Waits until nothing at all is left of a process.
pub(crate) fn wait_until_reaped(pid: u32) {
    wait_until("the process is reaped", || is_reaped(pid));
}

/// Polls a condition of other processes, for which there is no event.
pub(crate) fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < DEADLINE, "deadline passed: {what}");
        thread::yield_now();
    }
}

/// Whether the process has ended; its parent may not have reaped it yet.
pub(crate) fn is_dead(pid: u32) -> bool {
    match fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => {
            let state = stat.rsplit_once(") ").unwrap().1;
            state.starts_with(['Z', 'X'])
        }
        Err(_) => true,
    }
}

/// Whether nothing is left of the process, not even a zombie.
pub(crate) fn is_reaped(pid: u32) -> bool {
    !fs::exists(format!("/proc/{pid}")).unwrap()
}
