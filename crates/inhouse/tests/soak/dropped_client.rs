//! A session that is dropped while the CLI waits for one of its tools.

use std::future::pending;
use std::time::Duration;

use inhouse::tool::{Tool, ToolServer};
use inhouse::{Client, Options, Session};
use inhouse_testkit::{RealCli, ScriptedModel};
use tokio::runtime::Runtime;
use tokio::sync::mpsc;

use crate::support::{
    DEADLINE, Rng, Tally, further_requests, report, runs, script_one_call, wait_until_dead,
};

/// The value that is dropped in mid-call.
#[derive(Clone, Copy)]
enum Dropped {
    Client,
    Query,
    Runtime,
}

#[tokio::test]
async fn dropped_session_kills_the_cli_before_another_request() {
    let cli = RealCli::pinned().unwrap_or_else(|why| panic!("{why}"));
    let mut rng = Rng::seeded();
    let mut tally = Tally::default();
    let each = [Dropped::Client, Dropped::Query, Dropped::Runtime];
    for dropped in each.into_iter().cycle().take(runs() as usize) {
        let delay = Duration::from_millis(rng.below(300));
        tally.add(run(&cli, dropped, delay).await);
    }
    report("dropped_client", runs(), tally.failures, &tally.detail());
}

/// Drops a session this long after its tool was called; returns how many more requests the model
/// got.
async fn run(cli: &RealCli, dropped: Dropped, delay: Duration) -> usize {
    let model = ScriptedModel::start().await.expect("a loopback port");
    let isolation = cli.isolated(&model).expect("a temporary directory");
    script_one_call(&model);
    let (called, mut calls) = mpsc::unbounded_channel();
    let options = with_tool(isolation.options(), called);

    let host = Runtime::new().expect("a runtime");
    let session: Box<dyn Send> = match dropped {
        Dropped::Query => {
            let query = host.spawn(async { inhouse::query("Wait.").options(options).await });
            Box::new(
                query
                    .await
                    .expect("the task does not panic")
                    .expect("a session"),
            )
        }
        Dropped::Client | Dropped::Runtime => {
            let client = host.spawn(async {
                let mut client = Client::connect(options).await?;
                drop(client.send("Wait.").await?);
                Ok::<_, inhouse::Error>(client)
            });
            Box::new(
                client
                    .await
                    .expect("the task does not panic")
                    .expect("a session"),
            )
        }
    };
    let call = tokio::time::timeout(DEADLINE, calls.recv()).await;
    let pid = call.expect("the tool is called in time").expect("a call");
    model
        .next_request(DEADLINE)
        .await
        .expect("the first request");
    // The random moment: the model gets no request while the tool runs.
    assert!(model.next_request(delay).await.is_err());

    match dropped {
        Dropped::Client | Dropped::Query => {
            drop(session);
            wait_until_dead(pid).await;
            host.shutdown_background();
        }
        Dropped::Runtime => {
            host.shutdown_background();
            wait_until_dead(pid).await;
        }
    }
    further_requests(&model).await
}

/// Adds a tool that passes the pid of the CLI on and then never ends.
fn with_tool(options: Options, called: mpsc::UnboundedSender<u32>) -> Options {
    let tool = Tool::new("wait", "Waits", async move |session: Session| {
        let pid = session.control().and_then(|control| control.pid());
        let sent = called.send(pid.expect("a child process"));
        sent.expect("the test holds the receiver");
        pending::<String>().await
    });
    options
        .tool_server(ToolServer::new("s").tool(tool))
        .allow_tools(["mcp__s"])
}
