//! Messages, gaps and the backlog of a session.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use futures_core::Stream;
use inhouse::message::{GapReason, Message};
use inhouse::options::Backlog;
use inhouse::transport::duplex;
use inhouse::{Client, Options, query};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncWriteExt as _, BufReader, DuplexStream, ReadBuf,
};

use crate::support::{connect, connect_with, read, settle, settled, summary};

#[tokio::test(start_paused = true)]
async fn promise_03_control_and_handlers_do_not_wait_for_the_reader() {
    const ROUNDS: usize = 100;
    const MESSAGES: usize = 50;
    let (transport, mut cli) = FakeCli::new();
    let options = Options::new().on_request("ping", async |request: Value| {
        Ok::<_, Infallible>(request["round"].clone())
    });
    let host = async {
        let mut client = connect_with(options, transport).await;
        let control = client.control().clone();
        let turn = client.send("flood").await.unwrap();
        for _ in 0..ROUNDS {
            settled(&control).await;
        }
        // The messages are read only now, and all are there.
        let mut turn = turn;
        for index in 0..ROUNDS * MESSAGES {
            let message = turn.next().await.unwrap().unwrap();
            assert_eq!(summary(&message), format!("said {index}"));
        }
        assert_eq!(turn.text().await.unwrap(), "done");
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        for round in 0..ROUNDS {
            for message in 0..MESSAGES {
                cli.assistant(&(round * MESSAGES + message).to_string())
                    .await;
            }
            let request = cli.expect_request("set_model").await;
            let id = cli.ask(json!({"subtype": "ping", "round": round})).await;
            assert_eq!(cli.expect_answer(&id).await.payload(), round);
            request.succeed_empty().await;
        }
        cli.result("done").await;
    };
    join(host, cli).await;
}

/// A message of constant length.
fn note(number: u64) -> Value {
    json!({"type": "note", "number": format!("{number:04}")})
}

fn note_bytes() -> usize {
    note(0).to_string().len()
}

#[tokio::test(start_paused = true)]
async fn promise_03_messages_beyond_the_backlog_are_one_gap_with_their_size() {
    let (transport, mut cli) = FakeCli::new();
    let options = Options::new().backlog(Backlog::bytes(3 * note_bytes()));
    let host = async {
        let mut client = connect_with(options, transport).await;
        settled(client.control()).await;
        let messages = client.messages();
        assert_eq!(read(messages, 3).await, ["note", "note", "note"]);
        let Message::Gap(gap) = messages.next().await.unwrap().unwrap() else {
            panic!("the gap is where the loss happened");
        };
        assert_eq!(gap.reason, GapReason::BacklogFull);
        assert_eq!((gap.lines, gap.bytes), (7, 7 * note_bytes() as u64));
        assert_eq!(
            read(messages, 1).await,
            ["result kept"],
            "results are never dropped"
        );
        // The backlog has room again.
        settled(client.control()).await;
        assert_eq!(read(client.messages(), 2).await, ["note", "note"]);
    };
    let cli = async move {
        cli.accept().await;
        for number in 0..10 {
            cli.send(note(number)).await;
        }
        cli.result("kept").await;
        settle(&mut cli).await;
        let request = cli.expect_request("set_model").await;
        cli.send(note(10)).await;
        cli.send(note(11)).await;
        request.succeed_empty().await;
        cli.expect_end_of_input().await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn promise_03_each_run_of_lost_messages_is_one_gap() {
    let (transport, mut cli) = FakeCli::new();
    let options = Options::new().backlog(Backlog::bytes(note_bytes()));
    let host = async {
        let mut client = connect_with(options, transport).await;
        settled(client.control()).await;
        read(client.messages(), 5).await
    };
    let cli = async move {
        cli.accept().await;
        for _ in 0..2 {
            for number in 0..3 {
                cli.send(note(number)).await;
            }
            cli.result("end").await;
        }
        settle(&mut cli).await;
    };
    let (read, ()) = join(host, cli).await;
    let gaps = ["gap backlog_full 2", "gap backlog_full 3"];
    assert_eq!(read, ["note", gaps[0], "result end", gaps[1], "result end"]);
}

#[tokio::test(start_paused = true)]
async fn fast_reader_loses_nothing_with_a_small_backlog() {
    let (transport, mut cli) = FakeCli::new();
    let options = Options::new().backlog(Backlog::bytes(1));
    let host = async {
        let mut client = connect_with(options, transport).await;
        for _ in 0..3 {
            assert_eq!(read(client.messages(), 1).await, ["note"]);
            settled(client.control()).await;
        }
    };
    let cli = async move {
        cli.accept().await;
        for number in 0..3 {
            cli.send(note(number)).await;
            settle(&mut cli).await;
        }
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn gap_at_the_end_is_reported() {
    let (transport, mut cli) = FakeCli::new();
    let options = Options::new().backlog(Backlog::bytes(note_bytes()));
    let host = async {
        let mut client = connect_with(options, transport).await;
        settled(client.control()).await;
        client.control().close().await.unwrap();
        let read = read(client.messages(), 2).await;
        assert!(client.messages().next().await.is_none());
        read
    };
    let cli = async move {
        cli.accept().await;
        for number in 0..3 {
            cli.send(note(number)).await;
        }
        settle(&mut cli).await;
        cli.expect_end_of_input().await;
    };
    let (read, ()) = join(host, cli).await;
    assert_eq!(read, ["note", "gap backlog_full 2"]);
}

#[tokio::test(start_paused = true)]
async fn unbounded_backlog_keeps_everything() {
    const COUNT: usize = 3000;
    let (transport, mut cli) = FakeCli::new();
    let options = Options::new().backlog(Backlog::unbounded());
    let host = async {
        let mut client = connect_with(options, transport).await;
        settled(client.control()).await;
        read(client.messages(), COUNT).await
    };
    let cli = async move {
        cli.accept().await;
        for number in 0..COUNT {
            cli.send(note(number as u64)).await;
        }
        settle(&mut cli).await;
    };
    let (read, ()) = join(host, cli).await;
    assert!(read.iter().all(|message| message == "note"));
}

#[tokio::test(start_paused = true)]
async fn messages_are_a_stream() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut messages = query("hello").transport(transport).await.unwrap();
        let mut read = Vec::new();
        while let Some(message) = poll_fn(|cx| Pin::new(&mut messages).poll_next(cx)).await {
            read.push(summary(&message.unwrap()));
        }
        read
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.turn("hi").await;
        cli.expect_end_of_input().await;
    };
    let (read, ()) = join(host, cli).await;
    assert_eq!(read, ["system init", "said hi", "result hi"]);
}

#[tokio::test(start_paused = true)]
async fn dropped_next_future_loses_no_message() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        for _ in 0..3 {
            tokio::select! {
                biased;
                message = client.messages().next() => panic!("too early: {message:?}"),
                () = tokio::task::yield_now() => {}
            }
        }
        settled(client.control()).await;
        read(client.messages(), 2).await
    };
    let cli = async move {
        cli.accept().await;
        let request = cli.expect_request("set_model").await;
        cli.assistant("1").await;
        cli.assistant("2").await;
        request.succeed_empty().await;
    };
    let (read, ()) = join(host, cli).await;
    assert_eq!(read, ["said 1", "said 2"]);
}

#[tokio::test(start_paused = true)]
async fn split_session_is_read_and_controlled_from_two_tasks() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let (control, mut messages) = connect(transport).await.split();
        let reading = tokio::spawn(async move { read(&mut messages, 2).await });
        control.send("hello").await.unwrap();
        let read = reading.await.unwrap();
        control.close().await.unwrap();
        read
    };
    let cli = async move {
        cli.accept().await;
        assert_eq!(cli.expect_prompt().await.text(), "hello");
        cli.assistant("hi").await;
        cli.result("hi").await;
        cli.expect_end_of_input().await;
    };
    let (read, ()) = join(host, cli).await;
    assert_eq!(read, ["said hi", "result hi"]);
}

#[tokio::test(start_paused = true)]
async fn host_only_states_are_not_messages() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        read(client.messages(), 2).await
    };
    let cli = async move {
        cli.accept().await;
        cli.state("running").await;
        let shown = json!({
            "type": "system",
            "subtype": "session_state_changed",
            "state": "running",
        });
        cli.send(shown).await;
        cli.send(json!({"type": "keep_alive"})).await;
        cli.assistant("hi").await;
    };
    let (read, ()) = join(host, cli).await;
    assert_eq!(read, ["system session_state_changed", "said hi"]);
}

/// The CLI's stdout, which records the buffers it is read into.
struct Watched {
    stdout: DuplexStream,
    buffers: Arc<Mutex<BTreeSet<usize>>>,
}

/// The size of the buffers that the host reads into.
const READ_BUFFER: usize = 64 * 1024;

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        // The end of the spare capacity is the end of the allocation.
        let room = buffer.initialize_unfilled().as_ptr_range();
        self.buffers.lock().unwrap().insert(room.end as usize);
        Pin::new(&mut self.stdout).poll_read(cx, buffer)
    }
}

#[tokio::test(start_paused = true)]
async fn backlog_bounds_memory_for_short_lines_between_long_ones() {
    const LIMIT: usize = 1024 * 1024;
    const COUNT: usize = 1_000;
    let (writer, stdin) = tokio::io::duplex(64 * 1024);
    let (mut stdout, reader) = tokio::io::duplex(2 * READ_BUFFER);
    let buffers = Arc::new(Mutex::new(BTreeSet::new()));
    let watched = Watched {
        stdout: reader,
        buffers: Arc::clone(&buffers),
    };
    let options = Options::new().backlog(Backlog::bytes(LIMIT));
    let host = async {
        let transport = duplex(watched, writer);
        let mut client = Client::connect_with(options, transport).await.unwrap();
        settled(client.control()).await;
        let mut short = 0;
        for _ in 0..COUNT {
            match client.messages().next().await.unwrap().unwrap() {
                Message::Unknown(_) => short += 1,
                _ => break,
            }
        }
        short
    };
    let cli = async move {
        let mut requests = BufReader::new(stdin);
        let mut succeed = async |stdout: &mut DuplexStream| {
            let mut line = String::new();
            requests.read_line(&mut line).await.unwrap();
            let request: Value = serde_json::from_str(&line).unwrap();
            let id = &request["request_id"];
            let response = json!({"subtype": "success", "request_id": id, "response": {}});
            let reply = json!({"type": "control_response", "response": response});
            stdout
                .write_all(format!("{reply}\n").as_bytes())
                .await
                .unwrap();
        };
        succeed(&mut stdout).await;
        // Keep-alives are not messages: they fill the buffers and are not kept.
        let padding = "x".repeat(READ_BUFFER - 100);
        let long = format!("{{\"type\":\"keep_alive\",\"padding\":\"{padding}\"}}\n");
        for number in 0..COUNT {
            let short = format!("{{\"type\":\"note\",\"n\":\"{number:08}\"}}\n");
            stdout.write_all(short.as_bytes()).await.unwrap();
            stdout.write_all(long.as_bytes()).await.unwrap();
        }
        succeed(&mut stdout).await;
        stdout
    };
    let (short, _stdout) = join(host, cli).await;
    assert_eq!(short, COUNT, "the messages fit the backlog");
    let held = buffers.lock().unwrap().len() * READ_BUFFER;
    assert!(
        held <= LIMIT,
        "{held} bytes of read buffers for {COUNT} short lines"
    );
}

#[tokio::test]
async fn reading_a_long_backlog_lets_other_tasks_run() {
    const COUNT: usize = 3000;
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = connect(transport).await;
        settled(client.control()).await;
        let turns = Arc::new(AtomicUsize::new(0));
        let other = tokio::spawn({
            let turns = Arc::clone(&turns);
            async move {
                loop {
                    turns.fetch_add(1, Ordering::Relaxed);
                    tokio::task::yield_now().await;
                }
            }
        });
        let reading = tokio::spawn(async move {
            let before = turns.load(Ordering::Relaxed);
            read(client.messages(), COUNT).await;
            turns.load(Ordering::Relaxed) - before
        });
        let turns = reading.await.unwrap();
        other.abort();
        assert!(turns >= 10, "another task had {turns} turns");
    };
    let cli = async move {
        cli.accept().await;
        for number in 0..COUNT {
            cli.send(note(number as u64)).await;
        }
        settle(&mut cli).await;
        cli.expect_end_of_input().await;
    };
    join(host, cli).await;
}
