//! Prompts that no worker survives, or whose options cannot be made, beside prompts of other sessions.

use std::time::Duration;

use inhouse_fleet::WorkId;
use inhouse_testkit::host::HostProcess;
use inhouse_testkit::servers::PostgresServer;
use inhouse_testkit::soak::{Failures, report, runs};
use inhouse_testkit::{ModelRequest, RealCli, Turn};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::engine::{LOST, Variant};
use crate::notes::{self, answered};
use crate::scene::{Scene, hand_over, text};
use crate::worker::{FAIL, Plan};

/// The session with the bad prompt, and the prompt behind it.
const BAD: (&str, &str) = ("bad", "Say 9.");

/// The prompt whose turn ends its worker.
const DIE: &str = "Die 0.";

/// The prompt whose options cannot be made.
const NO_OPTIONS: &str = "Fail 0.";

/// Other sessions, each with its notes.
const NEIGHBOURS: [(&str, [u32; 2]); 2] = [("one", [1, 2]), ("two", [3, 4])];

const LEASE: Duration = Duration::from_secs(2);

/// The time of a note, so that workers die while they make some.
const CALL: Duration = Duration::from_millis(300);

/// After how many attempts the bad prompt is parked.
const ATTEMPTS: u32 = 3;

/// More workers than the bad prompt ends: until it is known, and then once for each attempt.
const WORKERS: u32 = 12;

/// Repeats both scenarios.
pub(crate) async fn soak(name: &str, server: &PostgresServer) {
    let cli = RealCli::pinned().unwrap_or_else(|why| panic!("{why}"));
    let mut failures = Failures::default();
    let mut deaths = 0;
    for run in 0..runs() {
        for prompt in [DIE, NO_OPTIONS] {
            let outcome = park(&cli, server, prompt).await;
            let outcome = outcome.map_err(|why| format!("{prompt:?}: {why}"));
            deaths += failures.check(run, outcome).unwrap_or(0);
        }
    }
    let detail = format!("{deaths} workers died");
    report(name, runs(), failures.0.min(runs()), &detail);
}

/// Runs a bad prompt until it is parked; returns how many workers have died of it.
async fn park(cli: &RealCli, server: &PostgresServer, prompt: &str) -> Result<u32, String> {
    let scene = Scene::with(cli, server, Variant::USUAL, ATTEMPTS, |_, request| {
        script(request)
    })
    .await;
    let bad = scene.enqueue(BAD.0, &[prompt, BAD.1]).await?;
    let mut neighbours = Vec::new();
    for (session, numbers) in NEIGHBOURS {
        let prompts = numbers.map(notes::note);
        let prompts = prompts.each_ref().map(String::as_str);
        let ids = scene.enqueue(session, &prompts).await?;
        let notes: Vec<_> = numbers.into_iter().zip(ids).collect();
        neighbours.push((session, notes));
    }
    let mut workers = Supervised::start(&scene);
    let parked = tokio::select! {
        parked = scene.parked(bad[0]) => parked?,
        failed = workers.run() => return Err(failed),
    };
    let finished = async {
        for (_, notes) in &neighbours {
            answered(&scene, notes).await?;
        }
        scene.answer(bad[1]).await
    };
    let answer = tokio::select! {
        answer = finished => answer?,
        failed = workers.run() => return Err(failed),
    };
    let deaths = workers.deaths;
    hand_over(workers.worker).await?;

    if answer != "Said 9." {
        return Err(format!("the prompt behind has the answer {answer:?}"));
    }
    check_parked(&scene, bad[0], prompt, &parked).await?;
    for (session, notes) in &neighbours {
        notes::check(&scene, session, notes).await?;
        for (number, id) in notes {
            let attempts = scene.attempts(*id).await?;
            if attempts != 0 {
                return Err(format!("note {number} was charged {attempts} attempts"));
            }
        }
    }
    if scene.attempts(bad[1]).await? != 0 {
        return Err("the prompt behind was charged an attempt".to_owned());
    }
    Ok(deaths)
}

async fn check_parked(scene: &Scene, id: WorkId, prompt: &str, parked: &str) -> Result<(), String> {
    let reason = if prompt == DIE { LOST } else { FAIL.1 };
    if !parked.contains(reason) {
        return Err(format!("parked for another reason: {parked}"));
    }
    match scene.attempts(id).await? {
        ATTEMPTS => Ok(()),
        attempts => Err(format!("parked after {attempts} attempts")),
    }
}

/// A worker with several slots, and another one when it has died.
struct Supervised<'a> {
    scene: &'a Scene,
    worker: HostProcess,
    deaths: u32,
}

impl<'a> Supervised<'a> {
    fn start(scene: &'a Scene) -> Self {
        Self {
            scene,
            worker: scene.start(&plan(scene, 0)),
            deaths: 0,
        }
    }

    /// Replaces dead workers; returns only if there are too many.
    async fn run(&mut self) -> String {
        while self.deaths < WORKERS {
            // Longer than the scenario.
            if let Err(error) = self.worker.exited(Duration::from_secs(3600)).await {
                return text(error);
            }
            self.deaths += 1;
            self.worker = self.scene.start(&plan(self.scene, self.deaths));
        }
        format!("{WORKERS} workers have died")
    }
}

fn plan(scene: &Scene, number: u32) -> Plan {
    let mut plan = scene.plan(&format!("worker-{number}"));
    (plan.lease, plan.call_time, plan.slots) = (LEASE, CALL, 3);
    plan
}

/// Has the model end the worker in every turn of the poison, with another call each time.
fn script(request: &ModelRequest) -> Turn {
    let messages = Value::from(request.messages()).to_string();
    if messages.contains(DIE) && !messages.contains(BAD.1) {
        let call = format!("toolu_{}", Uuid::new_v4().simple());
        return Turn::new().tool_use_with_id(call, "mcp__s__die", json!({}));
    }
    notes::script(request)
}
