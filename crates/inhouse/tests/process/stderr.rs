use std::sync::{Arc, Mutex};

use inhouse::{ExitStatus, Options};
use tokio::io::AsyncReadExt as _;

use crate::support::{first_line, open, open_with, shell, within};

#[tokio::test]
async fn promise_21_stderr_tail_is_complete_at_the_exit() {
    let script = "echo one >&2; printf 'no end of line' >&2; exit 1";
    let mut connection = open(shell(script)).await.unwrap();
    within(connection.peer.exited()).await;
    assert_eq!(connection.peer.stderr_tail(), "one\nno end of line");
}

#[tokio::test]
async fn stderr_flood_neither_blocks_nor_grows() {
    let script = "head -c 10485760 /dev/zero | tr '\\0' 'x' >&2
        echo >&2; yes 'a line of the flood' | head -c 10485760 >&2; echo; echo end >&2";
    let mut connection = open(shell(script)).await.unwrap();
    let status = within(connection.peer.exited()).await;
    assert_eq!(status, Some(ExitStatus::with_code(0)));
    let tail = connection.peer.stderr_tail();
    assert!(tail.ends_with("\nend"), "{}", &tail[tail.len() - 80..]);
    assert!(
        tail.len() <= 16 * 1024 && tail.len() > 15 * 1024,
        "{}",
        tail.len()
    );
}

#[tokio::test]
async fn secrets_are_redacted_in_the_tail_and_not_in_the_callback() {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&lines);
    let command = shell("echo 'refused: sk-ant-api03-abcdefgh' >&2");
    let options = Options::new().stderr(move |line| seen.lock().unwrap().push(line.to_owned()));
    let mut connection = open_with(options, command).await.unwrap();
    within(connection.peer.exited()).await;
    assert_eq!(connection.peer.stderr_tail(), "refused: sk-ant-***");
    assert_eq!(*lines.lock().unwrap(), ["refused: sk-ant-api03-abcdefgh"]);
}

#[tokio::test]
async fn panicking_callback_stops_nothing() {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&lines);
    let command = shell("for n in 1 2 3; do echo line $n >&2; done");
    let options = Options::new().stderr(move |line| {
        seen.lock().unwrap().push(line.to_owned());
        assert_ne!(line, "line 2", "the callback's own bug");
    });
    let mut connection = open_with(options, command).await.unwrap();
    within(connection.peer.exited()).await;
    assert_eq!(*lines.lock().unwrap(), ["line 1", "line 2", "line 3"]);
    assert_eq!(connection.peer.stderr_tail(), "line 1\nline 2\nline 3");
}

#[tokio::test]
async fn process_outside_the_group_delays_the_exit_briefly() {
    // The process holds only stderr until its input ends. The substitution ends when it has left the group.
    let script = "exec 3<&0; : $(setsid sh -c 'exec cat >/dev/null' <&3 &); exit 5";
    let mut connection = open(shell(script)).await.unwrap();
    let status = within(connection.peer.exited()).await;
    assert_eq!(status, Some(ExitStatus::with_code(5)));
    drop(connection.writer);
}

#[tokio::test]
async fn writing_process_outside_the_group_does_not_extend_the_delay() {
    let script = "setsid sh -c 'while echo away; do :; done' & read -r end; exit 5";
    let mut connection = open(shell(script)).await.unwrap();
    first_line(&mut connection.reader).await;
    drop(connection.writer);
    let mut buffer = vec![0; 1024];
    // Every piece of output drops the wait for the exit and starts a new one.
    let reading_until_the_exit = async {
        loop {
            tokio::select! {
                status = connection.peer.exited() => break status,
                read = connection.reader.read(&mut buffer) => assert_ne!(read.unwrap(), 0),
            }
        }
    };
    let status = within(reading_until_the_exit).await;
    assert_eq!(status, Some(ExitStatus::with_code(5)));
}
