use std::time::Duration;

use inhouse::process::{ExitStatus, ShutdownTiming, shutdown};
use tokio::io::AsyncWriteExt as _;
use tokio::time::Instant;

use crate::support::{
    first_line, is_reaped, open, open_stubborn, rest, shell, wait_until_dead, within,
};

#[tokio::test]
async fn the_exit_code_is_kept_and_nothing_is_left() {
    for code in [0, 1, 42, 255] {
        let connection = open(shell(&format!("exit {code}"))).await.unwrap();
        let mut peer = connection.peer;
        let pid = peer.pid().unwrap();
        let status = within(peer.exited()).await;
        assert_eq!(status, Some(ExitStatus::with_code(code)));
        assert!(is_reaped(pid));
    }
}

#[tokio::test]
async fn a_signal_is_kept() {
    for signal in [9, 15] {
        let mut connection = open(shell(&format!("kill -{signal} $$"))).await.unwrap();
        let status = within(connection.peer.exited()).await;
        assert_eq!(status, Some(ExitStatus::with_signal(signal)));
    }
}

#[tokio::test]
async fn exited_may_be_dropped_and_asked_again() {
    let mut connection = open(shell("cat; exit 3")).await.unwrap();
    tokio::select! {
        biased;
        _ = connection.peer.exited() => panic!("its input is still open"),
        () = std::future::ready(()) => {}
    }
    drop(connection.writer);
    for _ in 0..3 {
        let status = within(connection.peer.exited()).await;
        assert_eq!(status, Some(ExitStatus::with_code(3)));
    }
}

#[tokio::test]
async fn signals_after_the_exit_are_harmless() {
    let mut connection = open(shell("exit 7")).await.unwrap();
    within(connection.peer.exited()).await;
    connection.peer.terminate();
    connection.peer.kill();
    let status = within(connection.peer.exited()).await;
    assert_eq!(status, Some(ExitStatus::with_code(7)));
}

#[tokio::test]
async fn what_was_written_last_can_be_read_after_the_exit() {
    let mut connection = open(shell("cat; echo last")).await.unwrap();
    connection.writer.write_all(b"first\n").await.unwrap();
    connection.writer.shutdown().await.unwrap();
    drop(connection.writer);
    within(connection.peer.exited()).await;
    let text = rest(&mut connection.reader).await;
    assert_eq!(text, "first\nlast\n");
}

#[tokio::test]
async fn a_process_that_ends_with_its_input_gets_no_signal() {
    let connection = open(shell("trap 'exit 9' TERM; cat; exit 0"))
        .await
        .unwrap();
    let mut peer = connection.peer;
    drop(connection.writer);
    let status = within(shutdown(&mut *peer, ShutdownTiming::default())).await;
    assert_eq!(status, Some(ExitStatus::with_code(0)));
}

#[tokio::test]
async fn a_process_that_outstays_its_input_is_asked_to_end() {
    let script =
        "trap 'exit 9' TERM; echo ready; while :; do read -r line || sleep 1000 & wait; done";
    let mut connection = open(shell(script)).await.unwrap();
    first_line(&mut connection.reader).await;
    drop(connection.writer);
    let timing = ShutdownTiming {
        grace: Duration::ZERO,
        ..ShutdownTiming::default()
    };
    let status = within(shutdown(&mut *connection.peer, timing)).await;
    assert_eq!(status, Some(ExitStatus::with_code(9)));
}

#[tokio::test]
async fn trap_14_the_end_is_bounded_whatever_the_process_does() {
    let (mut connection, [leader, child]) = open_stubborn().await;
    drop(connection.writer);
    let timing = ShutdownTiming {
        grace: Duration::from_millis(50),
        term: Duration::from_millis(50),
    };
    let start = Instant::now();
    let status = within(shutdown(&mut *connection.peer, timing)).await;
    assert_eq!(status, Some(ExitStatus::with_signal(9)));
    assert!(start.elapsed() >= Duration::from_millis(100));
    assert!(is_reaped(leader));
    wait_until_dead(child);
}
