use std::sync::mpsc;
use std::thread;

use inhouse::process::ExitStatus;
use tokio::io::AsyncWriteExt as _;
use tokio::runtime::Runtime;

use crate::support::{
    APART, first_line, is_dead, is_reaped, open, open_holding, open_stubborn, rest, shell,
    wait_until_dead, wait_until_reaped, within,
};

#[tokio::test]
async fn child_leads_its_own_process_group() {
    let script = "read -r pid comm state parent group rest </proc/$$/stat; echo $group";
    let mut connection = open(shell(script)).await.unwrap();
    let group = first_line(&mut connection.reader).await;
    assert_eq!(group.trim().parse().ok(), connection.peer.pid());
}

#[tokio::test]
async fn promise_05_kill_reaches_every_descendant() {
    let (mut connection, [leader, child]) = open_stubborn().await;
    connection.peer.terminate();
    assert!(!is_dead(leader) && !is_dead(child));
    connection.peer.kill();
    let status = within(connection.peer.exited()).await;
    assert_eq!(status, Some(ExitStatus::with_signal(9)));
    assert!(is_reaped(leader));
    wait_until_dead(child);
}

#[tokio::test]
async fn remaining_grandchild_does_not_hold_stdout_open() {
    let script = "trap '' HUP TERM; sleep 1000 & echo $!; exit 4";
    let mut connection = open(shell(script)).await.unwrap();
    let text = rest(&mut connection.reader).await;
    let status = within(connection.peer.exited()).await.unwrap();
    assert_eq!(status.code(), Some(4));
    wait_until_dead(text.trim().parse().unwrap());
}

#[tokio::test]
async fn promise_13_dropped_peer_leaves_no_process() {
    let (connection, [leader, child]) = open_stubborn().await;
    let mut reader = connection.reader;
    drop(connection.peer);
    rest(&mut reader).await;
    wait_until_reaped(leader);
    wait_until_dead(child);
}

#[tokio::test]
async fn promise_13_child_in_its_own_session_is_killed() {
    let (connection, [leader, child]) = open_holding(APART).await;
    let mut reader = connection.reader;
    drop(connection.peer);
    rest(&mut reader).await;
    wait_until_reaped(leader);
    wait_until_dead(child);
}

#[test]
fn promise_13_runtime_shutdown_leaves_no_process() {
    for runtime in [
        Runtime::new().unwrap(),
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap(),
    ] {
        let (send, pids) = mpsc::channel();
        let task = async move {
            let (mut connection, pids) = open_stubborn().await;
            send.send(pids).unwrap();
            connection.peer.exited().await;
        };
        let pids = runtime.block_on(async {
            tokio::spawn(task);
            loop {
                if let Ok(pids) = pids.try_recv() {
                    break pids;
                }
                tokio::task::yield_now().await;
            }
        });
        assert!(pids.iter().all(|&pid| !is_dead(pid)));
        drop(runtime);
        wait_until_reaped(pids[0]);
        wait_until_dead(pids[1]);
    }
}

#[test]
fn child_outlives_the_thread_that_started_it() {
    let runtime = Runtime::new().unwrap();
    let handle = runtime.handle().clone();
    let starter = thread::spawn(move || handle.block_on(open(shell("exec cat"))).unwrap());
    let mut connection = starter.join().unwrap();
    runtime.block_on(async {
        connection.writer.write_all(b"still here\n").await.unwrap();
        assert_eq!(first_line(&mut connection.reader).await, "still here\n");
    });
}
