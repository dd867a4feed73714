//! Writes to a CLI that does not read.

use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use inhouse::transport::duplex;
use inhouse::{Client, ErrorKind, ExitStatus, Options};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader, BufWriter, DuplexStream,
};
use tokio::sync::oneshot;

use crate::support::{connect, connect_with, failed, read, seconds, timed};

/// More than fits into the pipe of the fake.
fn long_prompt() -> String {
    "x".repeat(300_000)
}

#[tokio::test(start_paused = true)]
async fn unread_prompt_times_out_with_the_reason() {
    let (transport, mut cli) = FakeCli::new();
    let options = Options::new().control_timeout(seconds(15));
    let host = async {
        let mut client = connect_with(options, transport).await;
        let (outcome, took) = timed(client.control().send(long_prompt())).await;
        assert_eq!(read(client.messages(), 1).await, ["said I do not listen"]);
        (failed(outcome), took)
    };
    let cli = async move {
        cli.accept().await;
        cli.assistant("I do not listen").await;
        cli.expect_kill().await;
    };
    let ((error, took), ()) = join(host, cli).await;
    assert!(error.is_timeout());
    assert!(
        error.to_string().contains("stopped reading its input"),
        "{error}"
    );
    assert_eq!(took, seconds(15));
}

#[tokio::test(start_paused = true)]
async fn queued_lines_are_written_in_order_when_the_cli_reads_again() {
    let (transport, mut cli) = FakeCli::new();
    let (gave_up, host_gave_up) = oneshot::channel();
    let host = async {
        let client = connect(transport).await;
        let limited = client.control().with_timeout(seconds(5));
        assert!(failed(limited.send(long_prompt()).await).is_timeout());
        gave_up.send(()).unwrap();
        client.control().interrupt().await.unwrap();
    };
    let cli = async move {
        cli.accept().await;
        host_gave_up.await.unwrap();
        assert_eq!(cli.expect_prompt().await.text(), long_prompt());
        cli.expect_request("interrupt").await.succeed_empty().await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn closed_stdin_fails_senders_and_stdout_is_read_to_its_end() {
    let (transport, mut cli) = FakeCli::new();
    let (failing, host_fails) = oneshot::channel();
    let host = async {
        let mut client = connect(transport).await;
        assert_eq!(read(client.messages(), 1).await, ["said I listen no more"]);
        let control = client.control().clone();
        let (sent, asked, messages) =
            tokio::join!(control.send("hello?"), control.interrupt(), async {
                failing.send(()).unwrap();
                read(client.messages(), 1).await
            },);
        assert_eq!(messages, ["said but I still talk"]);
        [failed(sent), failed(asked)]
    };
    let cli = async move {
        cli.accept().await;
        cli.close_stdin();
        cli.assistant("I listen no more").await;
        host_fails.await.unwrap();
        cli.assistant("but I still talk").await;
        cli.exit(ExitStatus::with_code(5));
    };
    let (errors, ()) = join(host, cli).await;
    for error in errors {
        assert_eq!(error.kind(), ErrorKind::Exited);
        assert_eq!(error.exit_status(), Some(ExitStatus::with_code(5)));
    }
}

/// A CLI behind two plain streams with a small stdin buffer.
struct Bare {
    stdin: BufReader<DuplexStream>,
    stdout: DuplexStream,
}

impl Bare {
    async fn line(&mut self) -> Value {
        let mut line = String::new();
        self.stdin
            .read_line(&mut line)
            .await
            .expect("the host writes");
        serde_json::from_str(&line).expect("a line of JSON")
    }

    async fn say(&mut self, line: Value) {
        let line = format!("{line}\n");
        self.stdout
            .write_all(line.as_bytes())
            .await
            .expect("the host reads");
    }

    async fn accept(&mut self) {
        let initialize = self.line().await;
        assert_eq!(initialize["request"]["subtype"], "initialize");
        self.succeed(&initialize).await;
    }

    async fn succeed(&mut self, request: &Value) {
        let id = &request["request_id"];
        let response = json!({"subtype": "success", "request_id": id, "response": {}});
        self.say(json!({"type": "control_response", "response": response}))
            .await;
    }
}

fn bare(pipe: usize) -> (DuplexStream, DuplexStream, Bare) {
    let (writer, stdin) = tokio::io::duplex(pipe);
    let (stdout, reader) = tokio::io::duplex(64 * 1024);
    let stdin = BufReader::new(stdin);
    (reader, writer, Bare { stdin, stdout })
}

#[tokio::test(start_paused = true)]
async fn narrow_pipe_carries_everything() {
    let (reader, writer, mut cli) = bare(7);
    let host = async {
        let transport = duplex(reader, writer);
        let mut client = Client::connect_with(Options::new(), transport)
            .await
            .unwrap();
        let turn = client
            .send("a prompt of more than seven bytes")
            .await
            .unwrap();
        assert_eq!(turn.text().await.unwrap(), "heard");
        client.close().await.unwrap();
    };
    let cli = async move {
        cli.accept().await;
        let prompt = cli.line().await;
        assert_eq!(
            prompt["message"]["content"][0]["text"],
            "a prompt of more than seven bytes"
        );
        cli.say(json!({
            "type": "result",
            "subtype": "success",
            "is_error": false,
            "result": "heard",
            "session_id": "s",
        }))
        .await;
    };
    join(host, cli).await;
}

#[tokio::test(start_paused = true)]
async fn buffering_writer_is_flushed() {
    let (reader, writer, mut cli) = bare(64 * 1024);
    let host = async {
        let transport = duplex(reader, BufWriter::new(writer));
        let client = Client::connect_with(Options::new(), transport)
            .await
            .unwrap();
        client.control().interrupt().await.unwrap();
    };
    let cli = async move {
        cli.accept().await;
        let interrupt = cli.line().await;
        cli.succeed(&interrupt).await;
    };
    join(host, cli).await;
}

/// A writer that accepts no byte at its first write and never completes another.
#[derive(Default)]
struct FullWriter {
    was_written_to: bool,
}

impl AsyncWrite for FullWriter {
    fn poll_write(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        _: &[u8],
    ) -> Poll<io::Result<usize>> {
        match std::mem::replace(&mut self.was_written_to, true) {
            true => Poll::Pending,
            false => Poll::Ready(Ok(0)),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn writer_that_accepts_no_bytes_is_a_broken_pipe() {
    let (_stdout, reader) = tokio::io::duplex(64);
    let transport = duplex(reader, FullWriter::default());
    let error = failed(Client::connect_with(Options::new(), transport).await);
    assert_eq!(error.kind(), ErrorKind::Exited);
}

/// Runs every other task until it is idle.
async fn others_run() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn prompt_is_written_before_later_lines() {
    // More than fits into the pipe: it is not written before the CLI reads it.
    let options = Options::new()
        .control_timeout(seconds(15))
        .on_request("export", async |_: Value| {
            Ok::<_, Infallible>(Value::from(long_prompt()))
        });
    let (transport, mut cli) = FakeCli::new();
    let (queued, prompts_are_queued) = oneshot::channel();
    let (sent, prompts_are_sent) = oneshot::channel();
    let host = async {
        let client = connect_with(options, transport).await;
        let control = client.control();
        let short = async {
            // The first prompt is being written by then.
            others_run().await;
            tokio::join!(control.send("short"), async { queued.send(()).unwrap() }).0
        };
        let ((first, second), took) =
            timed(async { tokio::join!(control.send(long_prompt()), short) }).await;
        first.unwrap();
        second.unwrap();
        assert_eq!(took, seconds(0));
        sent.send(()).unwrap();
        control.interrupt().await.unwrap();
    };
    let cli = async move {
        cli.accept().await;
        prompts_are_queued.await.unwrap();
        let export = cli.ask(json!({"subtype": "export"})).await;
        // The handler answers while the first prompt is being written.
        others_run().await;
        assert_eq!(cli.expect_prompt().await.text(), long_prompt());
        assert_eq!(cli.expect_prompt().await.text(), "short");
        prompts_are_sent.await.unwrap();
        assert_eq!(cli.expect_answer(&export).await.payload(), long_prompt());
        cli.expect_request("interrupt").await.succeed_empty().await;
    };
    join(host, cli).await;
}
