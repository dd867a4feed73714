//! A worker that is killed on the way from the queue to the release of a session; another one finishes.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::iter;
use inhouse_fleet::WorkId;
use inhouse_testkit::RealCli;
use inhouse_testkit::host::HostProcess;
use inhouse_testkit::servers::PostgresServer;
use inhouse_testkit::soak::{Failures, event, pass, report, runs, wait_until_dead};
use serde_json::Value;

use crate::engine::Variant;
use crate::notes::{self, Verb, answered, has_result, last_prompt, note, note_call};
use crate::scene::{Scene, Start, hand_over};
use crate::worker::{MAX_ATTEMPTS, NOTED, Point};

const SESSION: &str = "customer-42";

/// The time of a call that lasts until its worker is killed.
const ENDLESS: Duration = Duration::from_secs(3600);

/// How long a request of a dead CLI may be on its way to the model.
const LAST_REQUEST: Duration = Duration::from_millis(100);

/// When the worker is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Moment {
    At(Point),
    /// This many milliseconds after the beginning of the call.
    InCall(u64),
}

const MOMENTS: [Moment; 14] = [
    Moment::At(Point::Serving),
    Moment::At(Point::Claimed),
    Moment::At(Point::Leased),
    Moment::At(Point::Options),
    Moment::At(Point::OptionsMade),
    Moment::At(Point::Prepared),
    Moment::At(Point::CliStarted),
    Moment::InCall(0),
    Moment::InCall(50),
    Moment::InCall(150),
    Moment::At(Point::Unstored),
    Moment::At(Point::Result),
    Moment::At(Point::Release),
    Moment::At(Point::Untold),
];

/// How many workers are killed at the same time: most of the time is that of leases.
const CONCURRENT: usize = 2;

/// Repeats the scenario; each run kills a worker at every moment.
pub(crate) async fn soak(name: &str, server: &PostgresServer) {
    let cli = RealCli::pinned().unwrap_or_else(|why| panic!("{why}"));
    let mut failures = Failures::default();
    let mut counts = BTreeMap::<Moment, u32>::new();
    for run in 0..runs() {
        let cli = &cli;
        let kills = (0..).zip(MOMENTS).map(|(number, moment)| async move {
            // Alternates between moments, so that a single run has both.
            let stores_files = (run + number) % 2 == 0;
            let variant = Variant::of((run + number) / 2);
            let outcome = kill_and_take_over(cli, server, moment, stores_files, variant).await;
            (moment, outcome.map_err(|why| format!("{moment:?}: {why}")))
        });
        let mut kills = iter(kills).buffer_unordered(CONCURRENT);
        while let Some((moment, outcome)) = kills.next().await {
            let has_failed = failures.check(run, outcome).is_none();
            *counts.entry(moment).or_default() += u32::from(has_failed);
        }
    }
    let details = counts.iter();
    let details = details.map(|(moment, failed)| format!("{moment:?}: {failed} failed"));
    let detail = details.collect::<Vec<_>>().join("; ");
    report(name, runs(), failures.0.min(runs()), &detail);
}

async fn kill_and_take_over(
    cli: &RealCli,
    server: &PostgresServer,
    moment: Moment,
    stores_files: bool,
    variant: Variant,
) -> Result<(), String> {
    let scene = Scene::with(cli, server, variant, MAX_ATTEMPTS, |_, request| {
        notes::script(request)
    })
    .await;
    let ids = scene
        .enqueue(SESSION, &["Note 0.", "Note 1.", "Note 2."])
        .await?;
    let ids: Vec<_> = (0..).zip(ids).collect();
    let mut plan = scene.plan("a");
    plan.stores_files = stores_files;
    match moment {
        Moment::At(point) => plan.point = Some(point),
        Moment::InCall(_) => plan.call_time = ENDLESS,
    }
    let mut first = scene.start(&plan);
    reach(&scene, &mut first, moment).await?;

    let below = first.descendants();
    first.kill();
    let before = scene.requests_of("a").len();
    for pid in below {
        wait_until_dead(pid).await;
    }
    pass(LAST_REQUEST).await;
    check_requests(&scene, before, "when it died")?;
    if stores_files {
        // The second worker is on another machine, which has no such directory.
        let _ = std::fs::remove_dir_all(scene.workspace(SESSION));
    }

    let mut plan = scene.plan("b");
    plan.stores_files = stores_files;
    let second = scene.start(&plan);
    answered(&scene, &ids).await?;
    check_requests(&scene, before, "when another had taken over")?;
    hand_over(second).await?;
    notes::check(&scene, SESSION, &ids).await?;
    check(&scene, moment, &ids).await
}

/// Checks that the CLI of the first worker has made no further requests.
fn check_requests(scene: &Scene, before: usize, when: &str) -> Result<(), String> {
    match &scene.requests_of("a")[before..] {
        [] => Ok(()),
        further => {
            let seen = further.iter();
            let seen = seen.map(|request| (request.last_user_text(), request.tool_results()));
            let seen: Vec<_> = seen.collect();
            Err(format!("requests of a dead worker {when}: {seen:?}"))
        }
    }
}

async fn reach(scene: &Scene, worker: &mut HostProcess, moment: Moment) -> Result<(), String> {
    match moment {
        Moment::InCall(time) => {
            event(worker, "began").await?;
            pass(Duration::from_millis(time)).await;
        }
        Moment::At(Point::Unstored) => {
            scene.request(|request| has_result(request, 0)).await?;
        }
        Moment::At(_) => {
            event(worker, "reached").await?;
        }
    }
    Ok(())
}

async fn check(scene: &Scene, moment: Moment, ids: &[(u32, WorkId)]) -> Result<(), String> {
    let is_claimed = moment != Moment::At(Point::Serving);
    let mut starts = match is_claimed {
        true => vec![
            Start::new(&note(0), "started", "a"),
            Start::new(&note(0), "resumed", "b"),
        ],
        false => vec![Start::new(&note(0), "started", "b")],
    };
    starts.extend([1, 2].map(|number| Start::new(&note(number), "started", "b")));
    let found = scene.starts().await?;
    if found != starts {
        return Err(format!("the attempts are {found:?}"));
    }
    for &(number, id) in ids {
        let expected = u32::from(number == 0 && is_claimed);
        let attempts = scene.attempts(id).await?;
        if attempts != expected {
            return Err(format!("note {number} was charged {attempts} attempts"));
        }
        let effects = scene.effects(&note(number));
        if effects != 1 {
            return Err(format!("note {number} took effect {effects} times"));
        }
    }
    check_seen(scene, moment)
}

/// Checks what the model saw of the first note when the second worker had taken over.
fn check_seen(scene: &Scene, moment: Moment) -> Result<(), String> {
    let requests = scene.requests_of("b");
    let first = requests.first().ok_or("the second worker asked nothing")?;
    let results = first.tool_results();
    let result = results.iter().find(|result| result.id == note_call(0));
    let is_again = last_prompt(first) == (Verb::Note, 0);
    let is_expected = match moment {
        Moment::At(Point::Result | Point::Release | Point::Untold) => !is_again,
        Moment::At(Point::Unstored) => {
            is_again && result.is_some_and(|result| !result.is_error && result.text == NOTED)
        }
        Moment::InCall(_) => {
            let is_unknown = |text: &str| text.contains("outcome is unknown");
            is_again && result.is_some_and(|result| result.is_error && is_unknown(&result.text))
        }
        Moment::At(_) => is_again && results.is_empty(),
    };
    match is_expected {
        true => Ok(()),
        false => {
            let seen = Value::from(first.messages());
            Err(format!("the second worker began with {seen}"))
        }
    }
}
