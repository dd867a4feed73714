//! Handlers of a session that is dropped or closed.

use std::convert::Infallible;
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use inhouse::Options;
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::support::{connect_with, idle, seconds, timed};

struct ReportOnDrop(UnboundedSender<&'static str>);

impl Drop for ReportOnDrop {
    fn drop(&mut self) {
        let _ = self.0.send("dropped");
    }
}

/// A handler of `wait` that never answers, and a receiver that gets its start and its drop.
fn endless() -> (Options, UnboundedReceiver<&'static str>) {
    let (sender, events) = unbounded_channel();
    let options = Options::new().on_request("wait", move |_: Value| {
        let sender = sender.clone();
        async move {
            let _ = sender.send("started");
            let _guard = ReportOnDrop(sender);
            pending::<Result<Value, Infallible>>().await
        }
    });
    (options, events)
}

#[tokio::test(start_paused = true)]
async fn handlers_stop_at_once_when_the_client_is_dropped() {
    let (transport, mut cli) = FakeCli::new();
    let (options, mut events) = endless();
    let host = async {
        let client = connect_with(options, transport).await;
        assert_eq!(events.recv().await, Some("started"));
        drop(client);
        timed(events.recv()).await
    };
    let cli = async {
        // An exit of the CLI would also drop the handlers; here the CLI does not exit.
        cli.ignore_terminate();
        cli.ignore_kill();
        cli.accept().await;
        cli.ask(json!({"subtype": "wait"})).await;
    };
    let ((events, took), ()) = join(host, cli).await;
    assert_eq!(events, Some("dropped"));
    assert_eq!(took, seconds(0));
}

#[tokio::test(start_paused = true)]
async fn request_that_arrives_during_close_reaches_no_handler() {
    let (transport, mut cli) = FakeCli::new();
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let options = Options::new().on_request("count", move |_: Value| {
        counted.fetch_add(1, Ordering::Relaxed);
        async { Ok::<_, Infallible>(Value::Null) }
    });
    let host = async { connect_with(options, transport).await.close().await };
    let cli = async move {
        cli.accept().await;
        cli.expect_end_of_input().await;
        cli.ask(json!({"subtype": "count"})).await;
        idle().await;
    };
    let (exit, ()) = join(host, cli).await;
    exit.unwrap();
    assert_eq!(calls.load(Ordering::Relaxed), 0);
}
