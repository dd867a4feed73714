//! A database that is killed and restarted, and one that a worker cannot reach for longer than its leases.

use std::time::Duration;

use inhouse_fleet::WorkId;
use inhouse_testkit::RealCli;
use inhouse_testkit::servers::PostgresServer;
use inhouse_testkit::soak::{Failures, Rng, event, pass, report, runs};

use crate::notes::{self, Verb, answered, last_prompt, note};
use crate::proxy::Proxy;
use crate::scene::{LEASE, Scene, hand_over, text};

/// Two sessions, each with its notes.
const SESSIONS: [(&str, [u32; 3]); 2] = [("customer-1", [0, 2, 4]), ("customer-2", [1, 3, 5])];

/// The server crashes at most this long after the model was asked about a note.
const CRASH: Duration = Duration::from_millis(500);

/// The server is down for less than this time, which is longer than a lease.
const DOWN: Duration = Duration::from_millis(4500);

/// How long a connection is cut.
const CUT: Duration = Duration::from_secs(30);

/// How long after the end of its lease the CLI of a worker may still ask the model.
const LATE: Duration = Duration::from_secs(1);

/// The time of a tool call, so that some crashes are in it.
const CALL: Duration = Duration::from_millis(200);

/// Repeats runs with two workers, two sessions, and a database that crashes several times.
pub(crate) async fn soak_crashes(name: &str, server: &mut PostgresServer) {
    soak_crashes_of(name, server, crash_database).await;
}

/// Crashes the database for a time.
async fn crash_database(
    _: &Scene,
    server: &mut PostgresServer,
    down: Duration,
) -> Result<(), String> {
    server.crash();
    pass(down).await;
    let restarted = tokio::task::block_in_place(|| server.restart());
    restarted.map_err(text)
}

/// Repeats runs with two workers, two sessions, and a server that crashes several times: it is killed and restarted by `crash`.
pub(crate) async fn soak_crashes_of(
    name: &str,
    server: &mut PostgresServer,
    crash: impl AsyncFn(&Scene, &mut PostgresServer, Duration) -> Result<(), String>,
) {
    let cli = RealCli::pinned().unwrap_or_else(|why| panic!("{why}"));
    let mut rng = Rng::seeded();
    let mut failures = Failures::default();
    let mut crashes = 0;
    for run in 0..runs() {
        let outcome = with_crashes(&cli, server, &crash, &mut rng).await;
        crashes += failures.check(run, outcome).unwrap_or(0);
    }
    report(name, runs(), failures.0, &format!("{crashes} crashes"));
}

async fn with_crashes(
    cli: &RealCli,
    server: &mut PostgresServer,
    crash: &impl AsyncFn(&Scene, &mut PostgresServer, Duration) -> Result<(), String>,
    rng: &mut Rng,
) -> Result<u32, String> {
    let scene = Scene::new(cli, server, |_, request| notes::script(request)).await;
    let sessions = enqueue(&scene).await?;
    let workers = ["a", "b"].map(|name| {
        let mut plan = scene.plan(name);
        (plan.call_time, plan.stores_files) = (CALL, true);
        scene.start(&plan)
    });
    let mut crashes = 0;
    for number in [0, 3, 4] {
        scene
            .request(|request| {
                let (verb, asked) = last_prompt(request);
                verb == Verb::Note && asked >= number
            })
            .await?;
        pass(rng.time_below(CRASH)).await;
        // Half of the crashes are short, the others may be longer than a lease.
        let down = match crashes % 2 {
            0 => Duration::ZERO,
            _ => rng.time_below(DOWN),
        };
        crash(&scene, server, down).await?;
        crashes += 1;
    }
    for (session, notes) in &sessions {
        answered(&scene, notes).await?;
        notes::check(&scene, session, notes).await?;
    }
    check_order(&scene).await?;
    for worker in workers {
        hand_over(worker).await?;
    }
    Ok(crashes)
}

/// Repeats runs in which a worker is cut off from the database, alternately with another worker that takes over, and alone.
pub(crate) async fn soak_cuts(name: &str, server: &PostgresServer) {
    let cli = RealCli::pinned().unwrap_or_else(|why| panic!("{why}"));
    let mut rng = Rng::seeded();
    let mut failures = Failures::default();
    let mut taken_over = 0;
    for run in 0..runs() {
        for has_other in [true, false] {
            let delay = rng.time_below(Duration::from_secs(1));
            let outcome = with_cut(&cli, server, has_other, delay).await;
            let outcome = outcome.map_err(|why| format!("other worker {has_other}: {why}"));
            taken_over += u32::from(failures.check(run, outcome).unwrap_or(false));
        }
    }
    let detail = format!("cut for {} s, {taken_over} taken over", CUT.as_secs());
    report(name, runs(), failures.0.min(runs()), &detail);
}

/// Cuts a worker off this long after its first call; returns whether another one took over.
async fn with_cut(
    cli: &RealCli,
    server: &PostgresServer,
    has_other: bool,
    delay: Duration,
) -> Result<bool, String> {
    let scene = Scene::new(cli, server, |_, request| notes::script(request)).await;
    let (session, notes) = SESSIONS[0];
    let prompts = notes.map(note);
    let prompts = prompts.each_ref().map(String::as_str);
    let ids = scene.enqueue(session, &prompts).await?;
    let notes: Vec<_> = notes.into_iter().zip(ids).collect();
    let (address, path) = scene.database.rsplit_once('/').expect("a path");
    let (address, port) = address.rsplit_once(':').expect("a port");
    let port = port.parse().map_err(text)?;
    let proxy = Proxy::start(move || Some(port)).await;
    let proxy = proxy.map_err(text)?;
    let mut plan = scene.plan("a");
    plan.database = format!("{address}:{}/{path}", proxy.port());
    (plan.call_time, plan.stores_files) = (CALL, true);
    plan.workspaces = scene.isolation.root().join("disk-a");
    let mut first = scene.start(&plan);
    event(&mut first, "began").await?;
    let other = has_other.then(|| {
        let mut plan = scene.plan("b");
        plan.stores_files = true;
        scene.start(&plan)
    });
    pass(delay).await;
    proxy.cut();
    pass(LEASE + LATE).await;
    let asked = scene.requests_of("a").len();
    pass(CUT - LEASE - LATE).await;
    if has_other {
        // The other worker needs no connection to this one.
        answered(&scene, &notes).await?;
    }
    if scene.requests_of("a").len() != asked {
        return Err("the model was asked by a worker without its lease".to_owned());
    }
    proxy.mend();
    answered(&scene, &notes).await?;
    for worker in other.into_iter().chain([first]) {
        hand_over(worker).await?;
    }
    notes::check(&scene, session, &notes).await?;
    check_order(&scene).await?;
    let starts = scene.starts().await?;
    Ok(starts.iter().any(|start| start.worker == "b"))
}

type Notes = Vec<(u32, WorkId)>;

async fn enqueue(scene: &Scene) -> Result<Vec<(&'static str, Notes)>, String> {
    let mut sessions = Vec::new();
    for (session, numbers) in SESSIONS {
        let prompts = numbers.map(note);
        let prompts = prompts.each_ref().map(String::as_str);
        let ids = scene.enqueue(session, &prompts).await?;
        sessions.push((session, numbers.into_iter().zip(ids).collect()));
    }
    Ok(sessions)
}

/// Checks that no attempt at a note came after one at a later note of its session.
async fn check_order(scene: &Scene) -> Result<(), String> {
    let starts = scene.starts().await?;
    for (_, numbers) in SESSIONS {
        let place = |prompt: &str| numbers.iter().position(|&number| note(number) == prompt);
        let places = starts.iter().filter_map(|start| place(&start.prompt));
        if !places.is_sorted() {
            return Err(format!("the attempts are {starts:?}"));
        }
    }
    Ok(())
}
