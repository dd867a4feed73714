//! A host that is killed while the CLI waits for one of its tools.

use std::env;
use std::future::pending;
use std::process::Stdio;
use std::time::Duration;

use inhouse::tool::{Tool, ToolServer};
use inhouse::{Client, Options, Session};
use inhouse_testkit::{RealCli, ScriptedModel};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

use crate::support::{DEADLINE, Rng, Tally, report, runs, wait_until_dead};

/// Set in the host process: the path of the CLI.
const CLI: &str = "INHOUSE_SOAK_CLI";

/// Set in the host process: the working directory of the CLI.
const CWD: &str = "INHOUSE_SOAK_CWD";

/// Precedes the pid of the CLI in the output of the host process.
const CALLED: &str = "soak-host called by ";

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
    crate::support::script_one_call(&model);
    let mut host = Command::new(env::current_exe().expect("the path of this test"))
        .args(["--exact", "killed_host::host", "--nocapture"])
        .env_clear()
        .envs(isolation.env())
        .env(CLI, isolation.program())
        .env(CWD, isolation.cwd())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("the test can start itself");
    let pid = called_by(&mut host).await;
    model
        .next_request(DEADLINE)
        .await
        .expect("the first request");
    // The random moment: the model gets no request while the tool runs.
    assert!(model.next_request(delay).await.is_err());

    host.kill().await.expect("the host starts");

    wait_until_dead(pid).await;
    crate::support::further_requests(&model).await
}

/// Waits for the tool call and returns the pid of the CLI.
async fn called_by(host: &mut Child) -> u32 {
    let mut lines = BufReader::new(host.stdout.take().expect("stdout is piped")).lines();
    let call = async {
        while let Some(line) = lines.next_line().await.expect("text") {
            if let Some(pid) = line.strip_prefix(CALLED) {
                return pid.parse().expect("a pid");
            }
        }
        panic!("the host has ended before its tool was called");
    };
    tokio::time::timeout(DEADLINE, call)
        .await
        .expect("the tool is called in time")
}

/// The host process. Does nothing when it runs as an ordinary test.
#[tokio::test]
#[expect(
    clippy::print_stdout,
    reason = "the test that started it reads the line"
)]
async fn host() {
    let (Some(cli), Some(cwd)) = (env::var_os(CLI), env::var_os(CWD)) else {
        return;
    };
    let server = ToolServer::new("s").tool(Tool::new("wait", "Waits", async |session: Session| {
        let pid = session.control().and_then(|control| control.pid());
        println!("\n{CALLED}{}", pid.expect("a child process"));
        pending::<String>().await
    }));
    let options = Options::new()
        .cli_path(cli)
        .cwd(cwd)
        .tool_server(server)
        .allow_tools(["mcp__s"]);
    let mut client = Client::connect(options).await.expect("a session");
    let turn = client.send("Wait.").await.expect("the session is alive");
    let end = turn.finish().await;
    panic!("the turn has ended: {end:?}");
}
