//! A host that is killed while the CLI waits for one of its tools.

use std::future::pending;
use std::time::Duration;

use inhouse::tool::{Tool, ToolServer};
use inhouse::{Client, Session};
use inhouse_testkit::host::{self, HostProcess};
use inhouse_testkit::{Isolation, RealCli, ScriptedModel};

use crate::support::{
    DEADLINE, Rng, Tally, further_requests, report, runs, script_one_call, wait_until_dead,
};

#[tokio::test]
async fn killed_host_ends_the_cli_before_another_request() {
    let cli = RealCli::pinned().unwrap_or_else(|why| panic!("{why}"));
    let mut rng = Rng::seeded();
    let mut tally = Tally::default();
    for _ in 0..runs() {
        tally.add(run(&cli, Duration::from_millis(rng.below(300))).await);
    }
    report("killed_host", runs(), tally.failures, &tally.detail());
}

/// Kills a host this long after its tool was called; returns how many more requests the model got.
async fn run(cli: &RealCli, delay: Duration) -> usize {
    let model = ScriptedModel::start().await.expect("a loopback port");
    let isolation = cli.isolated(&model).expect("a temporary directory");
    script_one_call(&model);
    let mut command = host::this_test("killed_host::host").expect("the path of this test");
    command.env_clear().envs(isolation.host_env());
    let mut host = HostProcess::start(command).expect("the test can start itself");
    let called = host.event("called", DEADLINE).await;
    let pid = called.unwrap_or_else(|why| panic!("{why}"));
    model
        .next_request(DEADLINE)
        .await
        .expect("the first request");
    // The random moment: the model gets no request while the tool runs.
    assert!(model.next_request(delay).await.is_err());

    host.kill();

    wait_until_dead(pid.parse().expect("a pid")).await;
    further_requests(&model).await
}

/// The host process. Does nothing when it runs as an ordinary test.
#[tokio::test]
async fn host() {
    let Some(isolation) = Isolation::from_env() else {
        return;
    };
    host::exit_with_test();
    let server = ToolServer::new("s").tool(Tool::new("wait", "Waits", async |session: Session| {
        let pid = session.control().and_then(|control| control.pid());
        host::report("called", pid.expect("a child process"));
        pending::<String>().await
    }));
    let options = isolation.options();
    let options = options.tool_server(server).allow_tools(["mcp__s"]);
    let mut client = Client::connect(options).await.expect("a session");
    let turn = client.send("Wait.").await.expect("the session is alive");
    let end = turn.finish().await;
    panic!("the turn has ended: {end:?}");
}
