//! The control of silent turns: with the timeouts of the server instead of ours, a silent turn is cut off and its session blocked.

use std::time::Duration;

use inhouse_testkit::RealCli;
use inhouse_testkit::servers::PostgresServer;
use inhouse_testkit::soak::{Failures, event, report, runs, wait_until_dead};
use tokio::time::timeout;

use crate::notes;
use crate::scene::{Scene, text};

const SESSION: &str = "customer-42";

/// The time of the silent call, which is cut off.
const CALL: Duration = Duration::from_secs(60);

/// How long the end of the work is waited for, which does not come.
const NO_END: Duration = Duration::from_secs(8);

/// Repeats the scenario.
pub(crate) async fn soak(name: &str, server: &PostgresServer) {
    let cli = RealCli::pinned().unwrap_or_else(|why| panic!("{why}"));
    let mut failures = Failures::default();
    for run in 0..runs() {
        failures.check(run, is_suspended(&cli, server).await);
    }
    report(name, runs(), failures.0, "");
}

async fn is_suspended(cli: &RealCli, server: &PostgresServer) -> Result<(), String> {
    let scene = Scene::new(cli, server, |_, request| notes::script(request)).await;
    scene.engine.use_timeouts_of_server().await?;
    let id = scene.enqueue(SESSION, &["Note 0."]).await?[0];
    let mut plan = scene.plan("a");
    plan.call_time = CALL;
    let mut worker = scene.start(&plan);
    let pid = event(&mut worker, "cli").await?.parse().map_err(text)?;
    let outcome = event(&mut worker, "outcome").await?;
    if outcome != "Note 0. dropped" {
        return Err(format!("the turn has ended with {outcome:?}"));
    }
    wait_until_dead(pid).await;
    // Restate waits for the limit of the turn, a day.
    if let Ok(end) = timeout(NO_END, scene.engine.end(id)).await {
        return Err(format!("the work has ended: {end:?}"));
    }
    let starts = scene.starts().await?;
    match starts.len() {
        1 => Ok(()),
        _ => Err(format!("the attempts are {starts:?}")),
    }
}
