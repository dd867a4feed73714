//! A store that fails, is slow, hangs, loses acknowledgements, or whose server is killed in the middle of turns.
//!
//! What the CLI reported is recorded on its way to the host. At the end the store must have exactly that, the files of the session, and no call
//! that has not ended.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use inhouse_store::{Bytes, StoreError};
use inhouse_testkit::RealCli;
use inhouse_testkit::host::HostProcess;
use inhouse_testkit::servers::PostgresServer;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::scene::{Scene, StoreKind};
use crate::stored_host::{Plan, PlannedCall, PlannedFault, PlannedFlush};
use crate::support::{Failures, Rng, check_transcript, event, exit, pass, report, runs};

/// The prompts of each host.
const PROMPTS: [&str; 3] = ["Note 1.", "Note 2.", "Note 3."];

/// More calls of a kind than a run has, with their repetitions.
const CALLS: usize = 100;

/// The lease without crashes of the server. It is renewed several times in a run with a call that hangs, and a slow machine does not lose it.
const LEASE: Duration = Duration::from_secs(15);

/// The server crashes at most this long after a tool was called.
const CRASH: Duration = Duration::from_millis(200);

#[derive(Default)]
struct Counts {
    entries: usize,
    faults: usize,
    crashes: usize,
    end_of_turn: usize,
}

/// The faults of a host, and when it writes.
struct PlannedFaults {
    flush: PlannedFlush,
    appends: Vec<PlannedFault>,
    others: Vec<(PlannedCall, PlannedFault)>,
}

/// What a host has stored, and in spite of how many faults.
struct Stored {
    flush: PlannedFlush,
    entries: usize,
    faults: usize,
}

/// Repeats runs with faults inside of the host: one host whose calls to the store fail, and one with a call that hangs.
pub(crate) async fn soak(name: &str) {
    let cli = RealCli::pinned().unwrap_or_else(|why| panic!("{why}"));
    let mut rng = Rng::seeded();
    let (mut counts, mut failures) = (Counts::default(), Failures::default());
    for run in 0..runs() {
        let (failing, hanging) = (failing(&mut rng), hanging(&mut rng));
        // At the same time, because a hanging call is given up only after 20 s.
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

async fn with_faults(cli: &RealCli, faults: PlannedFaults) -> Result<Stored, String> {
    let scene = Scene::new(cli, &StoreKind::Sqlite).await;
    scene.script_notes();
    let mut plan = recorded(&scene, faults);
    plan.lease = LEASE;
    let mut host = scene.start(&plan);
    for _ in PROMPTS {
        event(&mut host, "finished").await?;
    }
    compare(&scene, &plan, host).await
}

async fn with_crashes(
    cli: &RealCli,
    server: &mut PostgresServer,
    faults: PlannedFaults,
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

fn recorded(scene: &Scene, faults: PlannedFaults) -> Plan {
    let mut plan = scene.plan(&PROMPTS);
    plan.closes = true;
    plan.flush = faults.flush;
    plan.append_faults = faults.appends;
    plan.other_faults = faults.others;
    plan.files = Some(scene.tool_results());
    plan.recording = Some(scene.isolation.root().join("recording"));
    // Faults and crashes are shorter, and must not look like the loss of the session.
    plan.lease = Duration::from_secs(30);
    plan
}

/// Waits for the end of the host, and compares the store with the recording and with what the model saw.
async fn compare(scene: &Scene, plan: &Plan, mut host: HostProcess) -> Result<Stored, String> {
    let appends = event(&mut host, "appends").await?;
    let appends: usize = appends.parse().expect("a number");
    let others = event(&mut host, "others").await?;
    let others: [usize; PlannedCall::ALL.len()] = serde_json::from_str(&others).expect("numbers");
    exit(host).await?;
    let recording = plan.recording.as_deref().expect("the host records");
    let reported = reported_entries(recording, &plan.session);
    let mut stored = stored_entries(scene).await?;
    check_transcript(&stored[&None])?;
    let results = stored.remove(&Some("results".to_owned()));
    let results = results.unwrap_or_default();
    if results.len() != PROMPTS.len() {
        return Err(format!("{} results are stored", results.len()));
    }
    if !stored.keys().eq(reported.keys()) {
        return Err(format!(
            "the CLI reported the transcripts {:?} and {:?} are stored",
            reported.keys(),
            stored.keys()
        ));
    }
    for ((subpath, stored), reported) in stored.iter().zip(reported.values()) {
        if stored != reported {
            let equal = stored.iter().zip(reported).take_while(|(a, b)| a == b);
            return Err(format!(
                "the CLI reported {} entries of {subpath:?} and {} are stored, of which the first {} are equal",
                reported.len(),
                stored.len(),
                equal.count()
            ));
        }
    }
    let requests = scene.model.conversation();
    let results = requests.last().map(|request| request.tool_results().len());
    if requests.len() != 2 * PROMPTS.len() || results != Some(PROMPTS.len()) {
        return Err(format!("{} requests, {results:?} results", requests.len()));
    }
    check_files_and_journal(scene).await?;
    let mut faults = used(&plan.append_faults, appends);
    for (call, calls) in PlannedCall::ALL.into_iter().zip(others) {
        if calls < PROMPTS.len() && call != PlannedCall::Renew {
            return Err(format!("{calls} calls of {call:?}"));
        }
        let planned = plan.other_faults.iter();
        let planned = planned.filter(|(other, _)| *other == call);
        faults += used(planned.map(|(_, fault)| fault), calls);
    }
    Ok(Stored {
        flush: plan.flush,
        entries: stored.values().map(Vec::len).sum(),
        faults,
    })
}

/// Returns how many of the first calls had a fault.
fn used<'a>(faults: impl IntoIterator<Item = &'a PlannedFault>, calls: usize) -> usize {
    let faults = faults.into_iter().take(calls);
    faults.filter(|&&fault| fault != PlannedFault::None).count()
}

/// Checks that each call of the tool took effect once, has left its file, and is finished.
async fn check_files_and_journal(scene: &Scene) -> Result<(), String> {
    let (store, session) = (&scene.store, &scene.session);
    let text = |error: StoreError| error.to_string();
    let files = store.files(session).await.map_err(text)?;
    if files.len() != PROMPTS.len() || scene.effects() != PROMPTS.len() {
        let effects = scene.effects();
        return Err(format!("{effects} effects, {} files", files.len()));
    }
    for file in files {
        let content = store.file(session, &file.path).await.map_err(text)?;
        let content = content.unwrap_or_default();
        if !file
            .path
            .as_str()
            .ends_with(&*String::from_utf8_lossy(&content))
            || content.is_empty()
        {
            return Err(format!("{} contains {content:?}", file.path.as_str()));
        }
    }
    let journal = store.journal().expect("SQLite and PostgreSQL have one");
    let calls = journal.calls(session).await.map_err(text)?;
    match calls.iter().find(|call| call.is_open()) {
        Some(call) => Err(format!("{} is open", call.intent.call)),
        None => Ok(()),
    }
}

/// The entries of each transcript of a session, byte for byte; `None` is the main one.
type Transcripts = BTreeMap<Option<String>, Vec<Bytes>>;

/// Returns the entries of each stream of the session.
async fn stored_entries(scene: &Scene) -> Result<Transcripts, String> {
    let text = |error: StoreError| error.to_string();
    let mut streams = scene.store.subpaths(&scene.session).await.map_err(text)?;
    streams.push(scene.session.main());
    let mut stored = Transcripts::new();
    for stream in streams {
        let entries = scene.store.read(&stream).await.map_err(text)?;
        stored.insert(stream.subpath().map(str::to_owned), entries);
    }
    Ok(stored)
}

/// Returns the entries of each transcript that the CLI has reported.
fn reported_entries(recording: &Path, session: &str) -> Transcripts {
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
    let mut reported = Transcripts::new();
    for frame in frames {
        let path = frame.file_path.as_deref().unwrap_or_default();
        let Some(subpath) = subpath_of(path, session) else {
            continue;
        };
        let entries = frame.entries.iter();
        let entries = entries.map(|entry| Bytes::copy_from_slice(entry.get().as_bytes()));
        reported.entry(subpath).or_default().extend(entries);
    }
    reported
}

/// Returns the path of a transcript below its session, `Some(None)` for the main one; `None` if it is not one of this session.
fn subpath_of(path: &str, session: &str) -> Option<Option<String>> {
    let (_, path) = path.rsplit_once("/projects/")?;
    let (_, path) = path.strip_suffix(".jsonl")?.split_once('/')?;
    match path.strip_prefix(session)? {
        "" => Some(None),
        subpath => Some(Some(subpath.strip_prefix('/')?.to_owned())),
    }
}

/// Returns faults of which one in two is none.
fn failing(rng: &mut Rng) -> PlannedFaults {
    let flush = PlannedFlush::random(rng);
    let mut fault = || match rng.below(6) {
        0 => PlannedFault::Fail,
        1 => PlannedFault::LoseAcknowledgement,
        2 => PlannedFault::Slow,
        _ => PlannedFault::None,
    };
    let appends = (0..CALLS).map(|_| fault()).collect();
    let others = PlannedCall::ALL.map(|call| [call; CALLS]);
    let others = others.into_iter().flatten();
    PlannedFaults {
        flush,
        appends,
        others: others.map(|call| (call, fault())).collect(),
    }
}

/// Returns faults of which one hangs, before or after its effect.
fn hanging(rng: &mut Rng) -> PlannedFaults {
    let fault = match rng.below(2) {
        0 => PlannedFault::Hang,
        _ => PlannedFault::HangAfterwards,
    };
    let mut faults = PlannedFaults {
        flush: PlannedFlush::random(rng),
        appends: Vec::new(),
        others: Vec::new(),
    };
    let call = match rng.below(4) {
        0 => PlannedCall::PutFile,
        1 => PlannedCall::Intend,
        2 => PlannedCall::Finish,
        _ => {
            // Every run has at least six appends: one of the transcript and one of the results in each turn.
            let before = (0..rng.below(6)).map(|_| PlannedFault::None);
            faults.appends = before.chain([fault]).collect();
            return faults;
        }
    };
    let before = (0..rng.below(PROMPTS.len() as u64)).map(|_| PlannedFault::None);
    faults.others = before.chain([fault]).map(|fault| (call, fault)).collect();
    faults
}

impl Counts {
    fn add(&mut self, stored: Option<Stored>) {
        if let Some(stored) = stored {
            self.entries += stored.entries;
            self.faults += stored.faults;
            self.end_of_turn += usize::from(stored.flush == PlannedFlush::EndOfTurn);
        }
    }

    fn detail(&self) -> String {
        format!(
            "{} entries equal, {} faults, {} crashes of the server, {} hosts with `EndOfTurn`",
            self.entries, self.faults, self.crashes, self.end_of_turn
        )
    }
}
