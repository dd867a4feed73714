//! A watchdog that was stopped and does not read.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};

use rustix::io::ioctl_fionbio;
use rustix::process::{Signal, kill_process};
use tokio::io::AsyncWriteExt as _;

use crate::support::{first_line, is_reaped, open, run_alone, shell, wait_until};
use crate::watchdog::{as_pid, watchdog_of_this_process};

// In a separate process: the watchdog serves all sessions of a process.
#[tokio::test]
async fn stopped_watchdog_is_replaced_without_blocking_the_host() {
    if !run_alone("stopped_watchdog::stopped_watchdog_is_replaced_without_blocking_the_host").await
    {
        return;
    }
    let mut first = open(shell("exec cat")).await.unwrap();
    let stopped = watchdog_of_this_process();
    kill_process(as_pid(stopped), Signal::STOP).unwrap();
    wait_until("the watchdog is stopped", || state_of(stopped) == 'T');
    fill_stdin_of(stopped);

    let mut second = open(shell("exec cat")).await.unwrap();
    assert!(
        is_reaped(stopped),
        "the old watchdog would kill the groups when it continues"
    );
    assert_ne!(watchdog_of_this_process(), stopped);
    for connection in [&mut first, &mut second] {
        connection.writer.write_all(b"alive\n").await.unwrap();
        assert_eq!(first_line(&mut connection.reader).await, "alive\n");
    }
}

fn state_of(pid: u32) -> char {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let state = stat.rsplit_once(") ").unwrap().1;
    state.chars().next().unwrap()
}

fn fill_stdin_of(pid: u32) {
    let path = format!("/proc/{pid}/fd/0");
    let mut pipe = OpenOptions::new().write(true).open(path).unwrap();
    ioctl_fionbio(&pipe, true).unwrap();
    for chunk in [&[b'\n'; 4096][..], b"\n"] {
        let error = loop {
            if let Err(error) = pipe.write(chunk) {
                break error;
            }
        };
        assert_eq!(error.kind(), ErrorKind::WouldBlock);
    }
}
