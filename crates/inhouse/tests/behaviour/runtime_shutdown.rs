//! The runtime that owns a session is shut down while futures on another runtime wait for the session.

use std::fmt::Debug;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;
use std::thread;
use std::time::Duration;

use inhouse::{Client, Error, ErrorKind, Result};
use inhouse_testkit::FakeCli;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use crate::support::{connect, failed};

/// Bounds a wait that would otherwise hang the test run.
const DEADLINE: Duration = Duration::from_secs(60);

type Waiting<'a> = Pin<Box<dyn Future<Output = Error> + 'a>>;

/// Starts the session on a new runtime and returns that runtime.
fn started() -> (Runtime, Client, FakeCli) {
    let owner = Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let (transport, mut cli) = FakeCli::new();
    let (client, ()) = owner.block_on(async {
        tokio::join!(connect(transport), async {
            cli.accept().await;
        })
    });
    (owner, client, cli)
}

/// Polls each future once, so that it waits for the session.
async fn poll_once(waiting: &mut [(&str, Waiting<'_>)]) {
    for (name, future) in waiting {
        let polled = poll_fn(|cx| Poll::Ready(future.as_mut().poll(cx))).await;
        assert!(polled.is_pending(), "{name} resolved early: {polled:?}");
    }
}

/// Shuts the runtime down on another thread, and expects that every future fails with `Closed`.
async fn expect_closed(owner: Runtime, waiting: Vec<(&str, Waiting<'_>)>) {
    let shutdown = thread::spawn(move || owner.shutdown_timeout(DEADLINE));
    for (name, future) in waiting {
        let error = timeout(DEADLINE, future)
            .await
            .unwrap_or_else(|_| panic!("{name} still waits after the shutdown"));
        assert_eq!(error.kind(), ErrorKind::Closed, "{name}: {error}");
        assert!(error.to_string().contains("runtime"), "{name}: {error}");
    }
    shutdown.join().unwrap();
}

fn waiting<'a, T: Debug>(future: impl Future<Output = Result<T>> + 'a) -> Waiting<'a> {
    Box::pin(async { failed(future.await) })
}

/// Runs a test on a second runtime.
fn on_second_runtime(test: impl Future<Output = ()>) {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(test);
}

#[test]
fn reader_fails_when_the_session_runtime_is_shut_down() {
    let (owner, mut client, _cli) = started();
    on_second_runtime(async {
        let control = client.control().clone();
        let next = async {
            let last = client.messages().next().await;
            assert!(client.messages().next().await.is_none(), "an error is last");
            last.expect("the stream ends with an error")
        };
        let mut waiting = vec![("next", waiting(next))];
        poll_once(&mut waiting).await;
        expect_closed(owner, waiting).await;
        assert_eq!(failed(control.close().await).kind(), ErrorKind::Closed);
    });
}

#[test]
fn turn_fails_when_the_session_runtime_is_shut_down() {
    let (owner, mut client, mut cli) = started();
    on_second_runtime(async {
        let (turn, _) = tokio::join!(client.send("hello"), cli.expect_prompt());
        let mut waiting = vec![("turn", waiting(turn.unwrap().text()))];
        poll_once(&mut waiting).await;
        expect_closed(owner, waiting).await;
        let again = client.send("hello again").await;
        assert_eq!(failed(again).kind(), ErrorKind::Closed);
    });
}

#[test]
fn control_calls_fail_when_the_session_runtime_is_shut_down() {
    let (owner, client, mut cli) = started();
    on_second_runtime(async {
        let control = client.control().with_timeout(None);
        // Larger than the pipe: the fake reads no more than the two requests before it.
        let prompt = "x".repeat(1_000_000);
        let mut waiting = vec![
            ("request", waiting(control.interrupt())),
            ("wait_mcp_ready", waiting(control.wait_mcp_ready())),
            ("send", waiting(control.send(prompt))),
            ("close", waiting(control.close())),
        ];
        poll_once(&mut waiting).await;
        // The driver has taken the commands before the shutdown begins.
        let _unanswered = (
            cli.expect_request("interrupt").await,
            cli.expect_request("mcp_status").await,
        );
        expect_closed(owner, waiting).await;
    });
}
