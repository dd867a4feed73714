//! A store that fails, is slow, hangs, loses acknowledgements, or whose server is killed in the middle of turns.
//!
//! What the CLI reported is recorded on its way to the host. At the end the store must have exactly that.

use std::fs;
use std::path::Path;
use std::time::Duration;

use inhouse_store::Bytes;
use inhouse_testkit::RealCli;
use inhouse_testkit::host::HostProcess;
use inhouse_testkit::servers::PostgresServer;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::scene::{Scene, StoreKind};
use crate::stored_host::{Plan, PlannedFault};
use crate::support::{Failures, Rng, check_transcript, event, exit, pass, report, runs};

/// The prompts of each host.
const PROMPTS: [&str; 3] = ["Note 1.", "Note 2.", "Note 3."];

/// More appends than a run has, with their repetitions.
const APPENDS: usize = 100;

/// The server crashes at most this long after a tool was called.
const CRASH: Duration = Duration::from_millis(200);

#[derive(Default)]
struct Counts {
    entries: usize,
    faults: usize,
    crashes: usize,
}

/// What a host has stored, and in spite of how many faults.
struct Stored {
    entries: usize,
    faults: usize,
}

/// Repeats runs with faults inside of the host: one host whose appends fail, and one with an append that hangs.
pub(crate) async fn soak(name: &str) {
    let cli = RealCli::pinned().unwrap_or_else(|why| panic!("{why}"));
    let mut rng = Rng::seeded();
    let (mut counts, mut failures) = (Counts::default(), Failures::default());
    for run in 0..runs() {
        let (failing, hanging) = (failing(&mut rng), hanging(&mut rng));
        // At the same time, because a hanging append is given up only after 20 s.
        let (one, other) = tokio::join!(with_faults(&cli, failing), with_faults(&cli, hanging));
        for outcome in [one, other] {
            counts.add(failures.check(run, outcome));
        }
    }
    report(name, runs(), failures.0.min(runs()), &counts.detail());
}

/// Repeats runs with a server that crashes in every turn, and with appends that fail.
pub(crate) async fn soak_crashes(name: &str, server: &mut PostgresServer) {
    let cli = RealCli::pinned().unwrap_or_else(|why| panic!("{why}"));
    let mut rng = Rng::seeded();
    let (mut counts, mut failures) = (Counts::default(), Failures::default());
    for run in 0..runs() {
        let faults = failing(&mut rng);
        counts.crashes += PROMPTS.len();
        let outcome = with_crashes(&cli, server, faults, &mut rng).await;
        counts.add(failures.check(run, outcome));
    }
    report(name, runs(), failures.0, &counts.detail());
}

async fn with_faults(cli: &RealCli, faults: Vec<PlannedFault>) -> Result<Stored, String> {
    let scene = Scene::new(cli, &StoreKind::Sqlite).await;
    scene.script_notes();
    let plan = recorded(&scene, faults);
    let mut host = scene.start(&plan);
    for _ in PROMPTS {
        event(&mut host, "finished").await?;
    }
    compare(&scene, &plan, host).await
}

async fn with_crashes(
    cli: &RealCli,
    server: &mut PostgresServer,
    faults: Vec<PlannedFault>,
    rng: &mut Rng,
) -> Result<Stored, String> {
    let scene = Scene::new(cli, &StoreKind::Postgres(server.url())).await;
    scene.script_notes();
    let plan = recorded(&scene, faults);
    let mut host = scene.start(&plan);
    for _ in PROMPTS {
        event(&mut host, "began").await?;
        pass(rng.time_below(CRASH)).await;
        tokio::task::block_in_place(|| {
            server.crash();
            server.restart().map_err(|why| why.to_string())
        })?;
        event(&mut host, "finished").await?;
    }
    compare(&scene, &plan, host).await
}

fn recorded(scene: &Scene, faults: Vec<PlannedFault>) -> Plan {
    let mut plan = scene.plan(&PROMPTS);
    plan.closes = true;
    plan.append_faults = faults;
    plan.recording = Some(scene.isolation.root().join("recording"));
    // Faults and crashes are shorter, and must not look like the loss of the session.
    plan.lease = Duration::from_secs(30);
    plan
}

/// Waits for the end of the host, and compares the store with the recording and with what the model saw.
async fn compare(scene: &Scene, plan: &Plan, mut host: HostProcess) -> Result<Stored, String> {
    let appends = event(&mut host, "appends").await?;
    let appends: usize = appends.parse().expect("a number");
    exit(host).await?;
    let recording = plan.recording.as_deref().expect("the host records");
    let reported = reported_entries(recording, &plan.session);
    let stored = scene.entries().await;
    check_transcript(&stored)?;
    if stored != reported {
        let equal = stored.iter().zip(&reported).take_while(|(a, b)| a == b);
        return Err(format!(
            "the CLI reported {} entries and {} are stored, of which the first {} are equal",
            reported.len(),
            stored.len(),
            equal.count()
        ));
    }
    let requests = scene.model.conversation();
    let results = requests.last().map(|request| request.tool_results().len());
    if requests.len() != 2 * PROMPTS.len() || results != Some(PROMPTS.len()) {
        return Err(format!("{} requests, {results:?} results", requests.len()));
    }
    let faults = plan.append_faults.iter().take(appends);
    Ok(Stored {
        entries: stored.len(),
        faults: faults.filter(|&&fault| fault != PlannedFault::None).count(),
    })
}

/// Returns the entries of the main transcript that the CLI has reported, byte for byte.
fn reported_entries(recording: &Path, session: &str) -> Vec<Bytes> {
    #[derive(Deserialize)]
    struct Line<'a> {
        r#type: String,
        #[serde(rename = "filePath")]
        file_path: Option<String>,
        #[serde(borrow, default)]
        entries: Vec<&'a RawValue>,
    }
    let recording = fs::read_to_string(recording).expect("the host has written it");
    let lines = recording.lines();
    let frames = lines
        .filter(|line| line.contains("transcript_mirror"))
        .map(|line| serde_json::from_str::<Line<'_>>(line).expect("the CLI writes JSON"))
        .filter(|line| line.r#type == "transcript_mirror");
    let of_session = frames.filter(|frame| {
        let path = frame.file_path.as_deref().unwrap_or_default();
        path.ends_with(&format!("/{session}.jsonl"))
    });
    of_session
        .flat_map(|frame| frame.entries)
        .map(|entry| Bytes::copy_from_slice(entry.get().as_bytes()))
        .collect()
}

/// Returns faults of which one in two is none.
fn failing(rng: &mut Rng) -> Vec<PlannedFault> {
    let fault = |_| match rng.below(6) {
        0 => PlannedFault::Fail,
        1 => PlannedFault::LoseAcknowledgement,
        2 => PlannedFault::Slow,
        _ => PlannedFault::None,
    };
    (0..APPENDS).map(fault).collect()
}

/// Returns faults of which one hangs, before or after its effect.
fn hanging(rng: &mut Rng) -> Vec<PlannedFault> {
    // Every run has more appends than this.
    let position = rng.below(6);
    let fault = match rng.below(2) {
        0 => PlannedFault::Hang,
        _ => PlannedFault::HangAfterwards,
    };
    let before = (0..position).map(|_| PlannedFault::None);
    before.chain([fault]).collect()
}

impl Counts {
    fn add(&mut self, stored: Option<Stored>) {
        if let Some(stored) = stored {
            self.entries += stored.entries;
            self.faults += stored.faults;
        }
    }

    fn detail(&self) -> String {
        format!(
            "{} entries equal, {} faults, {} crashes of the server",
            self.entries, self.faults, self.crashes
        )
    }
}
