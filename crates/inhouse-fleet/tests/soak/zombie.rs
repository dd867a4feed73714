//! A worker that is stopped for longer than its leases, is taken over by another one, and wakes up.
//!
//! Its CLI works on without it: it runs commands, and asks the model after each. Or it waits for a tool of the worker, which ends when the
//! worker wakes up.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use inhouse_fleet::Work;
use inhouse_store::{Bytes, JournaledCall, SessionKey, SessionStore as _};
use inhouse_testkit::servers::PostgresServer;
use inhouse_testkit::soak::{
    DEADLINE, Failures, Rng, check_transcript, event, pass, report, runs, wait_until_dead,
};
use inhouse_testkit::{ModelRequest, RealCli, Turn};
use serde_json::json;

use crate::engine::OUTCOMES_OF_ZOMBIES;
use crate::scene::{LEASE, Scene, Start, hand_over, text};

const SESSION: &str = "customer-42";

/// The prompt of which the first worker's CLI finds no end.
const FIRST: &str = "Go on.";

/// The prompt after it.
const SECOND: &str = "Stop.";

/// How long after the end of its lease the CLI of a stopped worker may still ask the model.
const LATE: Duration = Duration::from_secs(1);

/// After what time without a change the end of a lease is final, and how often it is read.
const SETTLED: Duration = Duration::from_millis(500);
const POLL: Duration = Duration::from_millis(50);

/// The time of a tool call: it ends as soon as a worker that was stopped in it wakes up.
const CALL: Duration = Duration::from_millis(500);

/// What is stopped.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stopped {
    /// The worker, while its CLI runs commands.
    Worker,
    /// The worker, in a call of its tool.
    InCall,
    /// The worker and all processes below it.
    Tree,
}

/// The times of the requests of the first worker's CLI.
#[derive(Clone, Default)]
struct Requests(Arc<Mutex<Vec<SystemTime>>>);

/// Repeats the scenario; each run stops the worker alone, the worker in a tool call, and the whole process tree.
pub(crate) async fn soak(name: &str, server: &PostgresServer) {
    let cli = RealCli::pinned().unwrap_or_else(|why| panic!("{why}"));
    let mut rng = Rng::seeded();
    let mut failures = Failures::default();
    let (mut alone, mut in_call, mut after_waking) = (0, 0, 0);
    for run in 0..runs() {
        let delay = rng.time_below(Duration::from_millis(500));
        for (stopped, requests) in [
            (Stopped::Worker, &mut alone),
            (Stopped::InCall, &mut in_call),
            (Stopped::Tree, &mut after_waking),
        ] {
            let outcome = take_over(&cli, server, stopped, delay).await;
            let outcome = outcome.map_err(|why| format!("{stopped:?} after {delay:?}: {why}"));
            *requests += failures.check(run, outcome).unwrap_or(0);
        }
    }
    let detail = format!(
        "{alone} model requests of a CLI whose worker was stopped, {in_call} with a call of its worker, \
         {after_waking} after waking of the whole tree"
    );
    report(name, runs(), failures.0.min(runs()), &detail);
}

/// Stops a worker, lets another one take its work over, and continues it; returns the number of requests of its CLI while it was stopped,
/// or with the whole tree after it was continued.
async fn take_over(
    cli: &RealCli,
    server: &PostgresServer,
    stopped: Stopped,
    delay: Duration,
) -> Result<usize, String> {
    let requests = Requests::default();
    let scene = Scene::new(cli, server, script(&requests, stopped == Stopped::InCall)).await;
    let first_work = scene.enqueue(SESSION, &[FIRST]).await?[0];
    // A CLI whose files are stored asks its worker to do so after each command, so it would not go on without it.
    let stores_files = stopped != Stopped::Worker;
    let mut plan = scene.plan("a");
    (plan.stores_files, plan.call_time) = (stores_files, CALL);
    plan.workspaces = scene.isolation.root().join("disk-a");
    let mut first = scene.start(&plan);
    let pid = event(&mut first, "cli").await?.parse().map_err(text)?;
    if stopped == Stopped::InCall {
        event(&mut first, "began").await?;
        pass(delay.min(CALL / 2)).await;
    } else {
        for _ in 0..3 {
            let request = scene.model.next_request(DEADLINE).await;
            request.map_err(text)?;
        }
        pass(delay).await;
    }
    match stopped {
        Stopped::Worker | Stopped::InCall => first.stop(),
        Stopped::Tree => first.stop_tree(),
    }
    let before = requests.count();
    let lease_end = lease_end(&scene).await?;

    let mut plan = scene.plan("b");
    plan.stores_files = stores_files;
    plan.workspaces = scene.isolation.root().join("disk-b");
    // The CLI of a tree that is stopped is alive, on the other machine.
    plan.clis = scene.isolation.root().join("clis-b");
    let second = scene.start(&plan);
    check_answer(&scene.answer(first_work).await?)?;
    if stopped != Stopped::Tree {
        wait_until_dead(pid).await;
    }
    let stored = Stored::read(&scene).await?;
    check_transcript(&stored.entries)?;
    let while_stopped = requests.count();

    match stopped {
        Stopped::Worker | Stopped::InCall => first.resume(),
        Stopped::Tree => first.resume_tree(),
    }
    let outcome = event(&mut first, "outcome").await?;
    if !OUTCOMES_OF_ZOMBIES.iter().any(|end| outcome.ends_with(end)) {
        return Err(format!("the first worker has reported {outcome:?}"));
    }
    wait_until_dead(pid).await;
    if Stored::read(&scene).await? != stored {
        return Err("the first worker has stored something after waking".to_owned());
    }
    let after_waking = requests.count() - while_stopped;
    let allowed = match stopped {
        Stopped::Worker | Stopped::InCall => 0,
        Stopped::Tree => 1,
    };
    if after_waking > allowed {
        return Err(format!("{after_waking} model requests after waking"));
    }
    if stopped != Stopped::Tree && requests.are_after(lease_end + LATE) {
        return Err("a model request after the lease has ended".to_owned());
    }

    // The first worker has joined again.
    hand_over(second).await?;
    let second_work = scene.enqueue(SESSION, &[SECOND]).await?[0];
    check_answer(&scene.answer(second_work).await?)?;
    hand_over(first).await?;
    let starts = [
        Start::new(FIRST, "started", "a"),
        Start::new(FIRST, "resumed", "b"),
        Start::new(SECOND, "started", "a"),
    ];
    let found = scene.starts().await?;
    if found != starts {
        return Err(format!("the attempts are {found:?}"));
    }
    match stopped {
        Stopped::Worker | Stopped::InCall => Ok(while_stopped - before),
        Stopped::Tree => Ok(after_waking),
    }
}

/// Has the model ask the first worker's CLI for one command after the other, or first for its tool, until it is taken over.
fn script(
    requests: &Requests,
    begins_with_tool: bool,
) -> impl Fn(&str, &ModelRequest) -> Turn + Send + Sync + 'static {
    let log = requests.clone();
    move |worker, request| {
        if worker == "b" || request.last_user_text().as_deref() == Some(SECOND) {
            return Turn::new().text("Stopped.");
        }
        let number = log.add();
        let call = format!("toolu_{number}");
        let command = json!({ "command": format!("echo {number} > {number}.txt") });
        match begins_with_tool && number == 1 {
            true => Turn::new().tool_use_with_id(call, "mcp__s__note", json!({})),
            false => Turn::new().tool_use_with_id(call, "Bash", command),
        }
    }
}

fn check_answer(answer: &str) -> Result<(), String> {
    match answer {
        "Stopped." => Ok(()),
        answer => Err(format!("the answer is {answer:?}")),
    }
}

/// Returns the end of the lease of a stopped worker, when the renewals that were on their way to the server have arrived.
async fn lease_end(scene: &Scene) -> Result<SystemTime, String> {
    let leases = scene.store.leases().expect("the store has leases");
    let mut last = (SystemTime::UNIX_EPOCH, Instant::now());
    while last.1.elapsed() < SETTLED {
        let holder = leases.holder(&scene.key(SESSION)).await.map_err(text)?;
        let lease = holder.ok_or("the session has no lease")?;
        if lease.until > SystemTime::now() + LEASE {
            return Err(format!("the lease ends at {:?}", lease.until));
        }
        if lease.until != last.0 {
            last = (lease.until, Instant::now());
        }
        pass(POLL).await;
    }
    Ok(last.0)
}

/// Everything that is stored of a session, and of the work.
#[derive(PartialEq)]
struct Stored {
    entries: Vec<Bytes>,
    results: Vec<Bytes>,
    calls: Vec<JournaledCall>,
    files: Vec<String>,
    /// What the engine has of the work.
    engine: Vec<String>,
}

impl Stored {
    async fn read(scene: &Scene) -> Result<Self, String> {
        let journal = scene.store.journal().expect("the store has a journal");
        let id = Work::new(SESSION, "").session_id().to_string();
        let workspace = SessionKey::new("inhouse-workspace", id).expect("a safe key");
        let files = scene.store.files(&workspace).await.map_err(text)?;
        let mut contents = Vec::new();
        for file in files {
            let content = scene.store.file(&workspace, &file.path).await;
            contents.push(format!("{:?} {:?}", file.path, content.map_err(text)?));
        }
        Ok(Self {
            entries: scene.entries(SESSION).await?,
            results: scene.results(SESSION).await?,
            calls: journal.calls(&scene.key(SESSION)).await.map_err(text)?,
            files: contents,
            engine: scene.engine.stored().await?,
        })
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
