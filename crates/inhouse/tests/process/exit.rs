use inhouse::process::ExitStatus;
use tokio::io::AsyncWriteExt as _;

use crate::support::{first_line, is_reaped, open, rest, shell, within};

#[tokio::test]
async fn exit_code_is_kept_and_no_process_remains() {
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
async fn signal_is_kept() {
    for signal in [9, 15] {
        let mut connection = open(shell(&format!("kill -{signal} $$"))).await.unwrap();
        let status = within(connection.peer.exited()).await;
        assert_eq!(status, Some(ExitStatus::with_signal(signal)));
    }
}

#[tokio::test]
async fn exited_can_be_dropped_and_called_again() {
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
async fn last_output_can_be_read_after_the_exit() {
    let mut connection = open(shell("cat; echo last")).await.unwrap();
    connection.writer.write_all(b"first\n").await.unwrap();
    connection.writer.shutdown().await.unwrap();
    drop(connection.writer);
    within(connection.peer.exited()).await;
    let text = rest(&mut connection.reader).await;
    assert_eq!(text, "first\nlast\n");
}

#[tokio::test]
async fn process_can_handle_term_itself() {
    let script = "trap 'exit 9' TERM; sleep 1000 & echo ready; wait";
    let mut connection = open(shell(script)).await.unwrap();
    first_line(&mut connection.reader).await;
    connection.peer.terminate();
    let status = within(connection.peer.exited()).await;
    assert_eq!(status, Some(ExitStatus::with_code(9)));
}
