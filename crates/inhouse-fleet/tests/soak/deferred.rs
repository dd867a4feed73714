//! A question that is asked on one worker, which is killed, and answered for another one.

use inhouse_fleet::Answer;
use inhouse_testkit::RealCli;
use inhouse_testkit::servers::PostgresServer;
use inhouse_testkit::soak::{DEADLINE, Failures, event, report, runs, wait_until_dead};
use tokio::time::timeout;

use crate::engine::STORES_QUESTIONS_AT_ONCE;
use crate::notes::{self, note, note_call};
use crate::scene::{Scene, hand_over, text};
use crate::worker::{NOTED, Point};

const SESSION: &str = "customer-42";

const REASON: &str = "The person said no.";

/// When the first worker is killed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Killed {
    /// When the engine does not know that the turn has ended with a question.
    Untold,
    /// When the work waits for the answer.
    Deferred,
}

/// Repeats the scenario: each run kills a worker at both moments, with both answers.
pub(crate) async fn soak(name: &str, server: &PostgresServer) {
    let cli = RealCli::pinned().unwrap_or_else(|why| panic!("{why}"));
    let mut failures = Failures::default();
    for run in 0..runs() {
        for (killed, is_allowed) in [
            (Killed::Deferred, true),
            (Killed::Untold, true),
            (Killed::Deferred, false),
            (Killed::Untold, false),
        ] {
            let outcome = answer_elsewhere(&cli, server, killed, is_allowed).await;
            let case = format!("{killed:?}, allowed {is_allowed}");
            failures.check(run, outcome.map_err(|why| format!("{case}: {why}")));
        }
    }
    report(name, runs(), failures.0.min(runs()), "");
}

async fn answer_elsewhere(
    cli: &RealCli,
    server: &PostgresServer,
    killed: Killed,
    is_allowed: bool,
) -> Result<(), String> {
    let scene = Scene::new(cli, server, |_, request| notes::script(request)).await;
    let ids = scene.enqueue(SESSION, &["Note 0.", "Say 1."]).await?;
    let mut plan = scene.plan("a");
    (plan.asks, plan.stores_files) = (true, true);
    if killed == Killed::Untold {
        plan = plan.until(Point::Untold);
    }
    let mut first = scene.start(&plan);
    let pid = event(&mut first, "cli").await?.parse().map_err(text)?;
    let mut question = None;
    if killed == Killed::Deferred || STORES_QUESTIONS_AT_ONCE {
        question = Some(scene.question(ids[0]).await?);
    }
    match killed {
        Killed::Untold => drop(event(&mut first, "reached").await?),
        Killed::Deferred => {
            let deferred = timeout(DEADLINE, scene.engine.deferred(ids[0])).await;
            deferred.map_err(text)??;
        }
    }
    // Nothing runs while the person thinks.
    wait_until_dead(pid).await;
    first.kill();
    plan = scene.plan("b");
    (plan.asks, plan.stores_files) = (true, true);
    let mut second = None;
    let question = match question {
        Some(question) => question,
        None => {
            // The engine has not got the question, so the second worker asks it again.
            second = Some(scene.start(&plan));
            scene.question(ids[0]).await?
        }
    };
    if question.call != note_call(0) || scene.effects(&note(0)) != 0 {
        return Err(format!("the call of {question:?} was made before"));
    }

    let answer = match is_allowed {
        true => Answer::Allow,
        false => Answer::Deny(REASON.to_owned()),
    };
    scene.engine.answer(&question, answer).await?;
    let second = second.unwrap_or_else(|| scene.start(&plan));
    for (id, expected) in ids.into_iter().zip(["Noted 0.", "Said 1."]) {
        let answer = scene.answer(id).await?;
        if answer != expected {
            return Err(format!("the answer is {answer:?}"));
        }
    }
    hand_over(second).await?;

    let questions = scene.engine.questions().await?;
    if questions != 1 {
        return Err(format!("{questions} questions were asked"));
    }
    let effects = scene.effects(&note(0));
    if effects != usize::from(is_allowed) {
        return Err(format!("the call took effect {effects} times"));
    }
    let requests = scene.requests_of("b");
    let last = requests.last().ok_or("the second worker asked nothing")?;
    let results = last.tool_results();
    let results: Vec<_> = results
        .iter()
        .filter(|result| result.id == note_call(0))
        .collect();
    match (is_allowed, &results[..]) {
        (true, [result]) if !result.is_error && result.text == NOTED => Ok(()),
        (false, [result]) if result.is_error && result.text.contains(REASON) => Ok(()),
        _ => Err(format!("the model has seen {results:?}")),
    }
}
