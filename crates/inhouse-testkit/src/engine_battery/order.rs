//! Contracts of order and of the number of hosts that run a session.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use futures_util::future::try_join_all;
use inhouse_fleet::{Outcome, Work};
use tokio::sync::Barrier;
use tokio::task::yield_now;

use super::{Battery, Engine, EngineError, Scene, ScriptedTurn, answer};

pub(super) async fn check(battery: &mut Battery, engine: &Arc<dyn Engine>) {
    contracts!(battery, engine:
        prompts_are_answered,
        prompts_of_a_session_run_in_order_and_alone,
        sessions_run_at_the_same_time,
        host_runs_no_more_than_its_slots,
        work_does_not_begin_before_its_time,
    );
}

async fn prompts_are_answered(scene: &Scene) -> Result<(), EngineError> {
    let before = scene.enqueue("a", "before").await?;
    let _host = scene.host(1, answer);
    let after = scene.enqueue("b", "after").await?;
    assert_eq!(scene.answer_to(before).await?, "answer to before");
    assert_eq!(scene.answer_to(after).await?, "answer to after");
    assert_eq!(scene.answer_to(before).await?, "answer to before");
    Ok(())
}

async fn prompts_of_a_session_run_in_order_and_alone(scene: &Scene) -> Result<(), EngineError> {
    let running = Arc::new(Mutex::new(HashSet::new()));
    let script = move |turn: Arc<ScriptedTurn>| {
        let running = Arc::clone(&running);
        async move {
            let session = turn.work.session.clone();
            let is_alone = running.lock().unwrap().insert(session.clone());
            assert!(is_alone, "two hosts run session {session}");
            // Gives a second delivery the opportunity to begin.
            for _ in 0..10 {
                yield_now().await;
            }
            let outcome = answer(turn).await;
            running.lock().unwrap().remove(&session);
            outcome
        }
    };
    let _hosts = [scene.host(3, script.clone()), scene.host(3, script)];
    let mut works = Vec::new();
    for number in 0..6 {
        for session in ["a", "b", "c", "d"] {
            let prompt = format!("{session} {number}");
            works.push(scene.enqueue(session, &prompt).await?);
        }
    }
    try_join_all(works.into_iter().map(|work| scene.answer_to(work))).await?;
    let log = scene.log();
    for session in ["a", "b", "c", "d"] {
        let ran: Vec<_> = log
            .iter()
            .filter(|prompt| prompt.starts_with(session))
            .collect();
        let expected: Vec<_> = (0..6).map(|number| format!("{session} {number}")).collect();
        assert!(ran.into_iter().eq(&expected), "order of session {session}");
    }
    Ok(())
}

async fn sessions_run_at_the_same_time(scene: &Scene) -> Result<(), EngineError> {
    let both = Arc::new(Barrier::new(2));
    let _host = scene.host(2, move |turn| {
        let both = Arc::clone(&both);
        async move {
            both.wait().await;
            answer(turn).await
        }
    });
    let works = [
        scene.enqueue("a", "a").await?,
        scene.enqueue("b", "b").await?,
    ];
    try_join_all(works.map(|work| scene.answer_to(work))).await?;
    Ok(())
}

async fn host_runs_no_more_than_its_slots(scene: &Scene) -> Result<(), EngineError> {
    let running = Arc::new(Mutex::new(0_usize));
    let _host = scene.host(2, move |turn| {
        let running = Arc::clone(&running);
        async move {
            *running.lock().unwrap() += 1;
            assert!(*running.lock().unwrap() <= 2, "more turns than slots");
            for _ in 0..10 {
                yield_now().await;
            }
            let outcome: Result<Outcome, _> = answer(turn).await;
            *running.lock().unwrap() -= 1;
            outcome
        }
    });
    let mut works = Vec::new();
    for number in 0..8 {
        works.push(scene.enqueue(&format!("s{number}"), "prompt").await?);
    }
    try_join_all(works.into_iter().map(|work| scene.answer_to(work))).await?;
    Ok(())
}

async fn work_does_not_begin_before_its_time(scene: &Scene) -> Result<(), EngineError> {
    let _host = scene.host(1, async |turn: Arc<ScriptedTurn>| {
        let now = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .expect("after 1970");
        turn.done(&now.as_millis().to_string()).await
    });
    let due = SystemTime::now() + Duration::from_millis(1500);
    let work = Work::new(scene.session("a"), "later").not_before(due);
    let work = scene.engine.enqueue(work).await?;
    let begun = Duration::from_millis(scene.answer_to(work).await?.parse()?);
    // The clock of the engine's server may differ a little.
    let tolerance = Duration::from_millis(100);
    assert!(
        SystemTime::UNIX_EPOCH + begun + tolerance >= due,
        "begun too early"
    );
    Ok(())
}
