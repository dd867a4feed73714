//! Host processes report events, and are killed, stopped, continued and reaped.

use std::future::pending;
use std::process::Command;
use std::time::Duration;

use inhouse_testkit::host::{HostProcess, exit_with_test, report, this_test};

use crate::support::{DEADLINE, is_reaped, wait_until};

/// Set in the host process.
const HOST: &str = "INHOUSE_TEST_HOST";

/// A short time, in which no event is expected.
const NOTHING: Duration = Duration::from_millis(50);

fn shell(script: &str) -> HostProcess {
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(script);
    HostProcess::start(command).unwrap()
}

fn with_child() -> HostProcess {
    shell("sleep 1000 & echo \"inhouse-host child \\\"$!\\\"\"; wait")
}

#[tokio::test]
async fn events_are_found_among_other_output() {
    let mut host = shell(
        r#"printf '%s\n' noise 'inhouse-host first "1"' 'inhouse-host second "a\nb"'; exit 3"#,
    );
    let first = host.next_event(DEADLINE).await.unwrap();
    assert_eq!((first.name.as_str(), first.value.as_str()), ("first", "1"));
    assert_eq!(host.event("second", DEADLINE).await.unwrap(), "a\nb");
    let error = host.event("third", DEADLINE).await.unwrap_err().to_string();
    assert!(error.contains("the event third"), "{error}");
    assert!(error.contains("noise"), "{error}");
    let status = host.exited(DEADLINE).await.unwrap();
    assert_eq!(status.code(), Some(3));
}

#[tokio::test]
async fn stopped_host_reports_nothing_until_it_is_continued() {
    let mut host = shell(
        r#"echo 'inhouse-host ready ""'; while sleep 0.01; do echo 'inhouse-host on ""'; done"#,
    );
    host.event("ready", DEADLINE).await.unwrap();
    host.stop();
    wait_until("the host is stopped", || is_stopped(host.pid()));
    while host.next_event(NOTHING).await.is_ok() {}
    host.resume();
    host.event("on", DEADLINE).await.unwrap();
}

#[tokio::test]
async fn killed_host_leaves_its_children() {
    let mut host = with_child();
    let child = child_of(&mut host).await;
    assert!(!host.kill().success());
    assert!(!is_dead(child));
    kill(&child.to_string());
}

#[tokio::test]
async fn terminated_host_can_end_by_itself() {
    let mut host =
        shell(r#"trap 'exit 7' TERM; echo 'inhouse-host ready ""'; while :; do sleep 0.01; done"#);
    host.event("ready", DEADLINE).await.unwrap();
    host.terminate();
    let status = host.exited(DEADLINE).await.unwrap();
    assert_eq!(status.code(), Some(7));
}

#[tokio::test]
async fn processes_below_a_host_are_listed() {
    let mut host = with_child();
    let child = child_of(&mut host).await;
    assert_eq!(host.descendants(), [child]);
}

#[tokio::test]
async fn tree_is_stopped_continued_and_killed_on_drop() {
    let mut host = with_child();
    let child = child_of(&mut host).await;
    host.stop_tree();
    wait_until("both are stopped", || {
        is_stopped(host.pid()) && is_stopped(child)
    });
    host.resume_tree();
    wait_until("both run", || !is_stopped(host.pid()) && !is_stopped(child));
    host.stop_tree();
    // What is stopped below a host does not outlive the value, even if the host is killed first.
    host.kill();
    let pid = host.pid();
    drop(host);
    assert!(is_reaped(pid));
    wait_until("the child is dead", || is_dead(child));
}

/// The host of the next test. Does nothing when it runs as an ordinary test.
#[tokio::test]
async fn host_of_a_killed_test() {
    if std::env::var_os(HOST).is_some() {
        exit_with_test();
        report("ready", "");
        pending::<()>().await;
    }
}

#[tokio::test]
async fn host_exits_when_its_test_is_killed() {
    // `sleep` holds the other end of the host's stdin, as a test does.
    let script = r#"
        exec 3>&1
        sh -c 'echo "inhouse-host test \"$$\"" >&3; exec sleep 1000' | "$@"
        echo 'inhouse-host ended ""'
    "#;
    let host = this_test("hosts::host_of_a_killed_test").unwrap();
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", script, "sh"])
        .arg(host.get_program())
        .args(host.get_args())
        .env(HOST, "yes");
    let mut shell = HostProcess::start(command).unwrap();
    let test = shell.event("test", DEADLINE).await.unwrap();
    shell.event("ready", DEADLINE).await.unwrap();
    kill(&test);
    shell.event("ended", DEADLINE).await.unwrap();
}

fn kill(pid: &str) {
    let mut kill = Command::new("kill");
    assert!(kill.args(["-KILL", pid]).status().unwrap().success());
}

async fn child_of(host: &mut HostProcess) -> u32 {
    let child = host.event("child", DEADLINE).await.unwrap();
    child.parse().unwrap()
}

fn is_stopped(pid: u32) -> bool {
    state(pid) == Some('T')
}

fn is_dead(pid: u32) -> bool {
    matches!(state(pid), None | Some('Z' | 'X'))
}

/// Returns the state of a process; `None` if there is nothing left of it.
fn state(pid: u32) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.chars().next()
}
