//! A rolling deploy: an old worker with the oldest supported CLI gets SIGTERM beside a new one.

use std::collections::BTreeSet;
use std::time::Duration;

use inhouse_fleet::WorkId;
use inhouse_testkit::host::HostProcess;
use inhouse_testkit::servers::PostgresServer;
use inhouse_testkit::soak::{DEADLINE, Failures, Rng, event, pass, report, runs};
use inhouse_testkit::{ModelRequest, RealCli};
use serde_json::Value;

use crate::notes::{self, answered, has_result, note};
use crate::scene::{Scene, Start, hand_over, text};

/// The session whose turn runs in the old worker, and those that wait.
const SESSIONS: [(&str, [u32; 2]); 2] = [("running", [0, 1]), ("waiting", [2, 3])];

/// The old worker gets SIGTERM at most this long after the beginning of a call.
const DELAY: Duration = Duration::from_millis(1500);

/// How long the old worker may finish its turns.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Grace {
    /// Longer than a call.
    Enough,
    /// Shorter than a call.
    TooShort,
}

impl Grace {
    fn time(self) -> Duration {
        match self {
            Self::Enough => DEADLINE,
            Self::TooShort => Duration::from_millis(300),
        }
    }

    /// Returns the time of a call, which must not end before SIGTERM, or before it is cut off.
    fn call_time(self) -> Duration {
        match self {
            Self::Enough => DELAY + Duration::from_secs(9),
            Self::TooShort => Duration::from_secs(60),
        }
    }
}

/// Repeats the scenario, with enough time to finish and without.
pub(crate) async fn soak(name: &str, server: &PostgresServer) {
    let [oldest, pinned] = [RealCli::oldest(), RealCli::pinned()];
    let clis = [oldest, pinned].map(|cli| cli.unwrap_or_else(|why| panic!("{why}")));
    let mut rng = Rng::seeded();
    let mut failures = Failures::default();
    for run in 0..runs() {
        for grace in [Grace::Enough, Grace::TooShort] {
            let delay = rng.time_below(DELAY);
            let outcome = deploy(&clis, server, grace, delay).await;
            let outcome = outcome.map_err(|why| format!("{grace:?} after {delay:?}: {why}"));
            failures.check(run, outcome);
        }
    }
    report(name, runs(), failures.0.min(runs()), "");
}

async fn deploy(
    [oldest, pinned]: &[RealCli; 2],
    server: &PostgresServer,
    grace: Grace,
    delay: Duration,
) -> Result<(), String> {
    let scene = Scene::new(pinned, server, |_, request| notes::script(request)).await;
    let mut sessions = Vec::new();
    for (session, numbers) in SESSIONS {
        let prompts = numbers.map(note);
        let prompts = prompts.each_ref().map(String::as_str);
        let ids = scene.enqueue(session, &prompts).await?;
        let notes: Vec<_> = numbers.into_iter().zip(ids).collect();
        sessions.push((session, notes));
    }
    let mut plan = scene.plan("old");
    (plan.grace, plan.call_time) = (grace.time(), grace.call_time());
    plan.stores_files = true;
    plan.cli = Some(oldest.program().to_owned());
    let mut old = scene.start(&plan);
    let running = event(&mut old, "began").await?;
    pass(delay).await;
    old.terminate();
    // Beside the old one, which is still busy.
    let mut plan = scene.plan("new");
    plan.stores_files = true;
    let new = scene.start(&plan);
    check_end(&mut old, &running, grace).await?;

    for (session, notes) in &sessions {
        answered(&scene, notes).await?;
        notes::check(&scene, session, notes).await?;
        for (number, id) in notes {
            let attempts = scene.attempts(*id).await?;
            if attempts != 0 {
                return Err(format!("note {number} was charged {attempts} attempts"));
            }
            let effects = scene.effects(&note(*number));
            if effects != 1 {
                return Err(format!("note {number} took effect {effects} times"));
            }
        }
    }
    hand_over(new).await?;
    check_versions(&scene, &sessions, &running).await?;
    check_starts(&scene, &running, grace).await
}

/// Checks that both CLIs have worked on the session of a note.
async fn check_versions(
    scene: &Scene,
    sessions: &[(&str, Vec<(u32, WorkId)>)],
    running: &str,
) -> Result<(), String> {
    let is_running = |notes: &[(u32, WorkId)]| notes.iter().any(|(n, _)| note(*n) == running);
    let session = sessions.iter().find(|(_, notes)| is_running(notes));
    let (session, _) = session.ok_or_else(|| format!("no session has {running:?}"))?;
    let mut versions = BTreeSet::new();
    for entry in scene.entries(session).await? {
        let entry: Value = serde_json::from_slice(&entry).map_err(text)?;
        versions.extend(entry["version"].as_str().map(str::to_owned));
    }
    match versions.len() {
        2 => Ok(()),
        _ => Err(format!("the session has entries of {versions:?}")),
    }
}

/// Checks that the old worker finishes or stops its turn, takes no other one, and exits.
async fn check_end(old: &mut HostProcess, running: &str, grace: Grace) -> Result<(), String> {
    let outcome = match grace {
        Grace::Enough => format!("{running} done"),
        Grace::TooShort => format!("{running} cancelled"),
    };
    let mut outcomes = Vec::new();
    loop {
        let event = old.next_event(DEADLINE).await.map_err(text)?;
        match &*event.name {
            "outcome" => outcomes.push(event.value),
            "served" if outcomes == [&*outcome] && event.value.is_empty() => break,
            "served" => return Err(format!("the old worker ended with {outcomes:?} {event:?}")),
            _ => {}
        }
    }
    let status = old.exited(DEADLINE).await.map_err(text)?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("the old worker has exited with {status}")),
    }
}

async fn check_starts(scene: &Scene, running: &str, grace: Grace) -> Result<(), String> {
    let mut starts = scene.starts().await?;
    let is_of_old = |start: &Start| start.worker == "old";
    let old: Vec<_> = starts.extract_if(.., |start| is_of_old(start)).collect();
    let is_resumed = starts.contains(&Start::new(running, "resumed", "new"));
    let is_expected =
        old == [Start::new(running, "started", "old")] && is_resumed == (grace == Grace::TooShort);
    if !is_expected {
        return Err(format!("the attempts are {old:?} and {starts:?}"));
    }
    // The call that was cut off is visible to the model, and not repeated.
    let number = running.trim_matches(|char: char| !char.is_ascii_digit());
    let number = number.parse().map_err(text)?;
    let requests = scene.requests_of("new");
    let seen = requests.iter().find(|request| has_result(request, number));
    let results = seen.map(ModelRequest::tool_results).unwrap_or_default();
    let call = notes::note_call(number);
    let result = results.iter().find(|result| result.id == call);
    let is_cut_off = result.is_some_and(|result| result.text.contains("outcome is unknown"));
    match is_cut_off == (grace == Grace::TooShort) {
        true => Ok(()),
        false => Err(format!("the model has seen {result:?}")),
    }
}
