//! The steps of a shutdown: end of input, grace period, SIGTERM, SIGKILL.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use inhouse::launch::Launch;
use inhouse::process::ShutdownTiming;
use inhouse::transport::{Connection, Peer, Transport};
use inhouse::{Client, ExitStatus, Options, Result, query};
use inhouse_testkit::fake::join;
use inhouse_testkit::{FakeCli, FakeTransport};
use serde_json::json;
use tokio::io::AsyncWrite;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use crate::support::{connect_with, idle, read_to_end, seconds, timed};

const GRACE: u64 = 3;
const TERM: u64 = 4;

fn options() -> Options {
    Options::new().shutdown(
        ShutdownTiming::default()
            .grace(seconds(GRACE))
            .term(seconds(TERM)),
    )
}

/// Reports what the driver does to its CLI.
struct Observed {
    transport: FakeTransport,
    report: UnboundedSender<&'static str>,
}

struct ObservedStdin {
    stdin: Box<dyn AsyncWrite + Send + Unpin>,
    report: UnboundedSender<&'static str>,
}

struct ObservedPeer {
    peer: Box<dyn Peer>,
    report: UnboundedSender<&'static str>,
}

impl Transport for Observed {
    async fn open(self, launch: &Launch) -> Result<Connection> {
        let Connection {
            reader,
            writer: stdin,
            peer,
        } = self.transport.open(launch).await?;
        let report = self.report;
        Ok(Connection {
            reader,
            writer: Box::new(ObservedStdin {
                stdin,
                report: report.clone(),
            }),
            peer: Box::new(ObservedPeer { peer, report }),
        })
    }
}

impl AsyncWrite for ObservedStdin {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stdin).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stdin).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stdin).poll_shutdown(cx)
    }
}

impl Drop for ObservedStdin {
    fn drop(&mut self) {
        let _ = self.report.send("stdin closed");
    }
}

impl Peer for ObservedPeer {
    fn exited(&mut self) -> Pin<Box<dyn Future<Output = Option<ExitStatus>> + Send>> {
        self.peer.exited()
    }

    fn terminate(&mut self) {
        let _ = self.report.send("terminated");
        self.peer.terminate();
    }

    fn kill(&mut self) {
        let _ = self.report.send("killed");
        self.peer.kill();
    }
}

#[tokio::test(start_paused = true)]
async fn stdin_of_a_cli_that_reads_nothing_is_closed_at_sigterm() {
    let (transport, mut cli) = FakeCli::new();
    let (report, mut reports) = unbounded_channel();
    let host = async {
        let observed = Observed { transport, report };
        let client = Client::connect_with(options(), observed).await.unwrap();
        let control = client.control().clone();
        // More than the pipe holds, so that the input cannot end by itself.
        let (sent, closed) = tokio::join!(control.send("x".repeat(300_000)), client.close());
        sent.unwrap_err();
        closed.unwrap();
    };
    let cli = async {
        cli.ignore_terminate();
        cli.accept().await;
        cli.expect_kill().await;
    };
    join(host, cli).await;
    let mut steps = [(); 3].map(|()| reports.try_recv().unwrap());
    steps[..2].sort_unstable();
    assert_eq!(steps, ["stdin closed", "terminated", "killed"]);
}

#[tokio::test(start_paused = true)]
async fn second_close_does_not_extend_the_grace_period() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let client = connect_with(options(), transport).await;
        let control = client.control().clone();
        let again = async {
            idle().await;
            tokio::time::advance(seconds(GRACE - 1)).await;
            control.close().await
        };
        tokio::join!(client.close(), again)
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_end_of_input().await;
        timed(cli.expect_terminate()).await.1
    };
    let ((first, second), took) = join(host, cli).await;
    assert_eq!(took, seconds(GRACE));
    assert_eq!(first.unwrap(), Some(ExitStatus::with_signal(15)));
    assert_eq!(second.unwrap(), Some(ExitStatus::with_signal(15)));
}

#[tokio::test(start_paused = true)]
async fn query_waits_up_to_the_ceiling_for_background_tasks() {
    const CEILING: u64 = 30;
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let options = options().background_ceiling(seconds(CEILING));
        let asked = query("hello").options(options).transport(transport);
        asked.await?.text().await
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.state("running").await;
        // A shell does not keep the input open, but the CLI waits for it before it exits.
        cli.send(json!({
            "type": "system",
            "subtype": "task_started",
            "task_id": "b1",
            "task_type": "local_bash",
        }))
        .await;
        cli.result("started").await;
        cli.state("idle").await;
        cli.expect_end_of_input().await;
        timed(cli.expect_terminate()).await.1
    };
    let (answer, took) = join(host, cli).await;
    assert_eq!(answer.unwrap(), "started");
    assert_eq!(took, seconds(CEILING));
}

#[tokio::test(start_paused = true)]
async fn terminating_the_cli_after_its_only_run_is_ok() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let asked = query("hello").options(options()).transport(transport);
        read_to_end(&mut asked.await.unwrap()).await
    };
    let cli = async {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.turn("done").await;
        cli.expect_end_of_input().await;
        cli.expect_terminate().await;
    };
    let (read, ()) = join(host, cli).await;
    assert_eq!(read.last().unwrap(), "result done");
}
