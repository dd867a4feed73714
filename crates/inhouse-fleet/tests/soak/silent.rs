//! Turns in which nothing happens for many times the length of a lease.

use std::time::{Duration, Instant};

use inhouse_testkit::RealCli;
use inhouse_testkit::servers::PostgresServer;
use inhouse_testkit::soak::{Failures, event, report, runs};

use crate::notes::{self, answered, note};
use crate::scene::{Scene, Start, hand_over};

const SESSION: &str = "customer-42";

const LEASE: Duration = Duration::from_secs(2);

/// The time of the silent call.
const SILENCE: Duration = Duration::from_secs(60);

/// The time of a renewal for which the lease is too short.
const SLOW_RENEWAL: Duration = Duration::from_secs(3);

/// Repeats the scenario, each time with a control run whose leases are shorter than their renewals take.
pub(crate) async fn soak(name: &str, server: &PostgresServer) {
    let cli = RealCli::pinned().unwrap_or_else(|why| panic!("{why}"));
    let mut failures = Failures::default();
    for run in 0..runs() {
        failures.check(run, survives(&cli, server).await);
        let control = fails_with_a_short_lease(&cli, server).await;
        failures.check(run, control.map_err(|why| format!("control run: {why}")));
    }
    let detail = format!(
        "turns of {} s with leases of {} s",
        SILENCE.as_secs(),
        LEASE.as_secs()
    );
    report(name, runs(), failures.0.min(runs()), &detail);
}

async fn survives(cli: &RealCli, server: &PostgresServer) -> Result<(), String> {
    let scene = Scene::new(cli, server, |_, request| notes::script(request)).await;
    let notes = [(0, scene.enqueue(SESSION, &["Note 0."]).await?[0])];
    let mut plan = scene.plan("a");
    (plan.lease, plan.call_time) = (LEASE, SILENCE);
    let first = scene.start(&plan);
    plan = scene.plan("b");
    plan.lease = LEASE;
    // The first worker is not the only one that could run the turn, and not always the one that does.
    plan.call_time = SILENCE;
    let second = scene.start(&plan);
    let begin = Instant::now();
    answered(&scene, &notes).await?;
    if begin.elapsed() < SILENCE {
        return Err("the turn was not silent".to_owned());
    }
    notes::check(&scene, SESSION, &notes).await?;
    let starts = scene.starts().await?;
    if starts.len() != 1 || scene.attempts(notes[0].1).await? != 0 {
        return Err(format!("the attempts are {starts:?}"));
    }
    let requests = scene.model.conversation().len();
    if requests != 3 {
        return Err(format!("the model got {requests} requests"));
    }
    hand_over(first).await?;
    hand_over(second).await
}

/// Runs the same turn on a worker whose lease ends before a renewal arrives: it is cut off, and another worker continues it.
///
/// The length of the lease is the timeout that can be wrong here. Renewals follow it, so a short one is too short only for a slow store.
async fn fails_with_a_short_lease(cli: &RealCli, server: &PostgresServer) -> Result<(), String> {
    let scene = Scene::new(cli, server, |_, request| notes::script(request)).await;
    let notes = [(0, scene.enqueue(SESSION, &["Note 0."]).await?[0])];
    let mut plan = scene.plan("a");
    (plan.lease, plan.call_time, plan.renewal_delay) = (LEASE, SILENCE, SLOW_RENEWAL);
    let mut first = scene.start(&plan);
    let outcome = event(&mut first, "outcome").await?;
    if outcome != "Note 0. fenced" {
        return Err(format!(
            "the worker with a short lease has reported {outcome:?}"
        ));
    }
    first.kill();
    let mut plan = scene.plan("b");
    plan.lease = LEASE;
    let second = scene.start(&plan);
    answered(&scene, &notes).await?;
    let starts = scene.starts().await?;
    match starts.contains(&Start::new(&note(0), "resumed", "b")) {
        true => hand_over(second).await,
        false => Err(format!("the attempts are {starts:?}")),
    }
}
