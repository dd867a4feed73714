//! A prompt that is cancelled while its CLI calls a tool, runs a command, or waits for the model.

use std::time::{Duration, Instant};

use inhouse_testkit::servers::PostgresServer;
use inhouse_testkit::soak::{Failures, Rng, event, pass, report, runs, wait_until_dead};
use inhouse_testkit::{ModelRequest, RealCli, Turn};
use serde_json::json;

use crate::notes;
use crate::scene::{Scene, Start, hand_over, text};

const SESSION: &str = "customer-42";

/// How long the CLI of a cancelled prompt may live.
const LIMIT: Duration = Duration::from_secs(2);

/// Longer than the scenario.
const CALL: Duration = Duration::from_secs(600);

/// The prompt that is cancelled.
const CANCELLED: &str = "Go on.";

/// What the CLI is doing.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Busy {
    InCall,
    InCommand,
    WithModel,
}

/// Repeats the scenario; each run cancels a prompt in every state.
pub(crate) async fn soak(name: &str, server: &PostgresServer) {
    let cli = RealCli::pinned().unwrap_or_else(|why| panic!("{why}"));
    let mut rng = Rng::seeded();
    let mut failures = Failures::default();
    let mut longest = Duration::ZERO;
    for run in 0..runs() {
        for busy in [Busy::InCall, Busy::InCommand, Busy::WithModel] {
            let delay = rng.time_below(Duration::from_millis(300));
            let outcome = cancel(&cli, server, busy, delay).await;
            let outcome = outcome.map_err(|why| format!("{busy:?} after {delay:?}: {why}"));
            longest = longest.max(failures.check(run, outcome).unwrap_or_default());
        }
    }
    let detail = format!("CLI dead within {} ms", longest.as_millis());
    report(name, runs(), failures.0.min(runs()), &detail);
}

/// Cancels a prompt; returns how long its CLI has lived after that.
async fn cancel(
    cli: &RealCli,
    server: &PostgresServer,
    busy: Busy,
    delay: Duration,
) -> Result<Duration, String> {
    let scene = Scene::new(cli, server, move |_, request| script(busy, request)).await;
    let ids = scene.enqueue(SESSION, &[CANCELLED, "Say 1."]).await?;
    let mut plan = scene.plan("a");
    plan.call_time = CALL;
    let mut worker = scene.start(&plan);
    let pid = event(&mut worker, "cli").await?.parse().map_err(text)?;
    match busy {
        Busy::InCall => drop(event(&mut worker, "began").await?),
        Busy::InCommand | Busy::WithModel => drop(scene.request(|_| true).await?),
    }
    pass(delay).await;
    let requests = scene.model.conversation().len();

    let begin = Instant::now();
    scene.engine.cancel(ids[0]).await?;
    wait_until_dead(pid).await;
    let time = begin.elapsed();
    if time > LIMIT {
        return Err(format!("the CLI has lived for {time:?}"));
    }
    scene.cancelled(ids[0]).await?;

    let answer = scene.answer(ids[1]).await?;
    if answer != "Said 1." {
        return Err(format!("the next answer is {answer:?}"));
    }
    let later = scene.model.conversation().split_off(requests);
    if later.len() != 1 {
        let later: Vec<_> = later
            .iter()
            .map(|request| (request.last_user_text(), request.tool_results()))
            .collect();
        let starts = scene.starts().await?;
        return Err(format!(
            "the requests after the cancel are {later:?}, the attempts {starts:?}"
        ));
    }
    let starts = [
        Start::new(CANCELLED, "started", "a"),
        Start::new("Say 1.", "started", "a"),
    ];
    let found = scene.starts().await?;
    if found != starts {
        return Err(format!("the attempts are {found:?}"));
    }
    // Checks that the next CLI was started when the one before was dead.
    hand_over(worker).await?;
    Ok(time)
}

fn script(busy: Busy, request: &ModelRequest) -> Turn {
    if request.last_user_text().as_deref() != Some(CANCELLED) {
        return notes::script(request);
    }
    match busy {
        Busy::InCall => Turn::new().tool_use("mcp__s__note", json!({})),
        // The CLI refuses a command that only sleeps (2.1.325).
        Busy::InCommand => Turn::new().tool_use("Bash", json!({ "command": "tail -f /dev/null" })),
        Busy::WithModel => Turn::new().text("I am thinking about it.").stall(),
    }
}
