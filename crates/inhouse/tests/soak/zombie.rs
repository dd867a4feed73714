//! A host that is stopped for longer than its lease, is taken over by another one, and wakes up.
//!
//! The CLI of the first host works without its host meanwhile: it runs commands, and asks the model after each. Or it waits for a
//! tool of the host, which ends when the host wakes up. Only PostgreSQL is tested. A process that is stopped while it writes to SQLite keeps the lock of the file, so no other host can take over.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use inhouse_store::{Bytes, JournaledCall};
use inhouse_testkit::{RealCli, Turn};
use serde_json::json;

use crate::scene::{Scene, StoreKind};
use crate::support::{
    DEADLINE, Failures, Rng, check_transcript, event, exit, pass, report, runs, wait_until_dead,
};

/// The lease of the hosts.
const LEASE: Duration = Duration::from_secs(3);

/// How long after the end of its lease the CLI of a stopped host may still ask the model.
const LATE: Duration = Duration::from_secs(1);

/// The prompt of the first host.
const FIRST: &str = "Go on forever.";

/// The prompt of the second host.
const SECOND: &str = "Stop.";

/// The time of a tool call: it ends as soon as a host that was stopped in it wakes up.
const CALL: Duration = Duration::from_millis(500);

/// What is stopped.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stopped {
    /// The host, while its CLI runs commands.
    Host,
    /// The host, in a call of its tool.
    HostInCall,
    /// The host and all processes below it.
    Tree,
}

/// The times of the requests of the first host's CLI.
#[derive(Clone, Default)]
struct Requests(Arc<Mutex<Vec<SystemTime>>>);

/// Repeats the scenario; each run stops the host alone, the host in a tool call, and the whole process tree.
pub(crate) async fn soak(name: &str, kind: &StoreKind) {
    let cli = RealCli::pinned().unwrap_or_else(|why| panic!("{why}"));
    let mut rng = Rng::seeded();
    let mut failures = Failures::default();
    let (mut alone, mut in_call, mut after_waking) = (0, 0, 0);
    for run in 0..runs() {
        let delay = rng.time_below(Duration::from_millis(500));
        for (stopped, requests) in [
            (Stopped::Host, &mut alone),
            (Stopped::HostInCall, &mut in_call),
            (Stopped::Tree, &mut after_waking),
        ] {
            let outcome = take_over(&cli, kind, stopped, delay).await;
            let outcome = outcome.map_err(|why| format!("{stopped:?} after {delay:?}: {why}"));
            *requests += failures.check(run, outcome).unwrap_or(0);
        }
    }
    let detail = format!(
        "{alone} model requests of a CLI whose host was stopped, {in_call} with a call of its host, \
         {after_waking} after waking of the whole tree"
    );
    report(name, runs(), failures.0.min(runs()), &detail);
}

/// Stops a host, takes its session over, and continues it; returns the number of requests of its CLI while it was stopped, or with
/// the whole tree after it was continued.
async fn take_over(
    cli: &RealCli,
    kind: &StoreKind,
    stopped: Stopped,
    delay: Duration,
) -> Result<usize, String> {
    let scene = Scene::new(cli, kind).await;
    let requests = script(&scene, stopped == Stopped::HostInCall);
    let mut plan = scene.plan(&[FIRST]);
    (plan.lease, plan.closes, plan.call_time) = (LEASE, true, CALL);
    let mut first = scene.start(&plan);
    let pid = event(&mut first, "connected").await?;
    if stopped == Stopped::HostInCall {
        event(&mut first, "began").await?;
        pass(delay.min(CALL / 2)).await;
    } else {
        for _ in 0..3 {
            let request = scene.model.next_request(DEADLINE).await;
            request.map_err(|why| why.to_string())?;
        }
        pass(delay).await;
    }
    match stopped {
        Stopped::Host | Stopped::HostInCall => first.stop(),
        Stopped::Tree => first.stop_tree(),
    }
    let before = requests.count();
    // A renewal may be on its way to the server.
    pass(Duration::from_millis(100)).await;
    let lease_end = lease_end(&scene).await?;

    let mut plan = scene.plan(&[SECOND]);
    (plan.lease, plan.closes) = (LEASE, true);
    plan.root = scene.isolation.root().join("other-machine");
    let mut second = scene.start(&plan);
    let answer = event(&mut second, "finished").await?;
    if answer != "Stopped." {
        return Err(format!("the answer of the second host is {answer:?}"));
    }
    exit(second).await?;
    if stopped != Stopped::Tree {
        wait_until_dead(pid.parse().expect("a pid")).await;
    }
    let stored = Stored::read(&scene).await;
    check_transcript(&stored.entries)?;
    let while_stopped = requests.count();

    match stopped {
        Stopped::Host | Stopped::HostInCall => first.resume(),
        Stopped::Tree => first.resume_tree(),
    }
    // Nothing was delivered: `finished` would come before.
    let end = loop {
        let event = first.next_event(DEADLINE).await;
        let event = event.map_err(|why| why.to_string())?;
        if event.name != "ended" {
            break event;
        }
    };
    if end.name != "failed" || !end.value.starts_with("Fenced") {
        return Err(format!("the first host has reported {end:?}"));
    }
    exit(first).await?;
    wait_until_dead(pid.parse().expect("a pid")).await;
    if Stored::read(&scene).await != stored {
        return Err("the first host has stored something after waking".to_owned());
    }
    let after_waking = requests.count() - while_stopped;
    let allowed = match stopped {
        Stopped::Host | Stopped::HostInCall => 0,
        Stopped::Tree => 1,
    };
    if after_waking > allowed {
        return Err(format!("{after_waking} model requests after waking"));
    }
    if stopped == Stopped::Tree {
        return Ok(after_waking);
    }
    match requests.are_after(lease_end + LATE) {
        true => Err("a model request after the lease has ended".to_owned()),
        false => Ok(while_stopped - before),
    }
}

/// Has the model ask the first host's CLI for one command after the other, or first for the host's tool, until the second prompt.
fn script(scene: &Scene, begins_with_tool: bool) -> Requests {
    let requests = Requests::default();
    let log = requests.clone();
    scene.model.otherwise(move |request| {
        if request.last_user_text().as_deref() == Some(SECOND) {
            return Turn::new().text("Stopped.");
        }
        let number = log.add();
        let call = format!("toolu_{number}");
        match begins_with_tool && number == 1 {
            true => Turn::new().tool_use_with_id(call, "mcp__s__note", json!({})),
            false => Turn::new().tool_use_with_id(call, "Bash", json!({ "command": "true" })),
        }
    });
    requests
}

async fn lease_end(scene: &Scene) -> Result<SystemTime, String> {
    let leases = scene.store.leases().expect("the store has leases");
    let holder = leases.holder(&scene.session).await;
    let holder = holder.map_err(|why| why.to_string())?;
    let lease = holder.ok_or("the session has no lease")?;
    Ok(lease.until)
}

/// Everything that the store has of a session.
#[derive(PartialEq)]
struct Stored {
    entries: Vec<Bytes>,
    results: Vec<Bytes>,
    calls: Vec<JournaledCall>,
}

impl Stored {
    async fn read(scene: &Scene) -> Self {
        let results = scene.session.stream("results").expect("a safe key");
        let journal = scene.store.journal().expect("the store has a journal");
        let results = scene.store.read(&results).await;
        let calls = journal.calls(&scene.session).await;
        Self {
            entries: scene.entries().await,
            results: results.expect("the store is there"),
            calls: calls.expect("the store is there"),
        }
    }
}

impl Requests {
    /// Notes a request; returns its number.
    fn add(&self) -> usize {
        let mut times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        times.push(SystemTime::now());
        times.len()
    }

    fn count(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn are_after(&self, time: SystemTime) -> bool {
        let times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        times.iter().any(|&request| request > time)
    }
}
