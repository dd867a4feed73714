//! Contracts of hosts that die, turns that fail, and an engine that is killed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use futures_util::future::try_join_all;
use inhouse_fleet::{HostError, HostErrorKind, Outcome};
use tokio::sync::mpsc::unbounded_channel;

use super::{Battery, Engine, EngineError, Scene, ScriptedTurn, WorkEnd, answer};

pub(super) async fn check(battery: &mut Battery, engine: &Arc<dyn Engine>) {
    contracts!(battery, engine:
        work_of_a_killed_host_is_delivered_again_in_order,
        stored_answer_is_not_asked_for_again,
        answer_of_a_former_owner_does_not_count,
        failing_work_is_parked_with_its_reason,
        neighbours_of_failing_work_are_not_charged,
        panic_of_a_host_is_a_failed_attempt,
        unavailable_store_is_no_failed_attempt,
        hand_over_is_no_failed_attempt,
        enqueued_work_survives_the_death_of_the_engine,
        running_work_survives_the_death_of_the_engine,
    );
}

async fn work_of_a_killed_host_is_delivered_again_in_order(
    scene: &Scene,
) -> Result<(), EngineError> {
    let (begun, mut has_begun) = unbounded_channel();
    let first = scene.host(2, move |_| {
        let begun = begun.clone();
        async move {
            begun.send(()).expect("the contract waits");
            std::future::pending().await
        }
    });
    let mut works = Vec::new();
    for prompt in ["0", "1", "2"] {
        works.push(scene.enqueue("a", prompt).await?);
    }
    has_begun.recv().await;
    first.kill().await;
    let _second = scene.host(2, answer);
    let answers = try_join_all(works.into_iter().map(|work| scene.answer_to(work))).await?;
    assert_eq!(answers, ["answer to 0", "answer to 1", "answer to 2"]);
    assert_eq!(scene.log(), ["0", "0", "1", "2"]);
    Ok(())
}

/// The host dies after the answer was stored, and before the engine has it.
async fn stored_answer_is_not_asked_for_again(scene: &Scene) -> Result<(), EngineError> {
    let (stored, mut is_stored) = unbounded_channel();
    let first = scene.host(1, move |turn: Arc<ScriptedTurn>| {
        let stored = stored.clone();
        async move {
            turn.done("the only answer").await?;
            stored.send(()).expect("the contract waits");
            std::future::pending().await
        }
    });
    let work = scene.enqueue("a", "prompt").await?;
    is_stored.recv().await;
    first.kill().await;
    let _second = scene.host(1, answer);
    assert_eq!(scene.answer_to(work).await?, "the only answer");
    assert_eq!(scene.log(), ["prompt"]);
    Ok(())
}

/// The host notices that it has lost its session, so it returns `Fenced` and not the answer: the engine has to deliver the work again, in its place.
///
/// That the engine itself refuses the `Done` of a host that does not notice is not checked, because engines know different things. PostgreSQL compares
/// the epoch of the answer with that in the store, which is in the same database (`answer_under_a_former_epoch_does_not_count`). Restate has no access
/// to the store, and accepts only the end of the current delivery (`late_answer_of_a_worker_that_was_cut_off_does_not_count`).
async fn answer_of_a_former_owner_does_not_count(scene: &Scene) -> Result<(), EngineError> {
    let is_zombie = Arc::new(AtomicBool::new(true));
    let _host = scene.host(1, move |turn: Arc<ScriptedTurn>| {
        let is_zombie = is_zombie.swap(false, Ordering::SeqCst);
        async move {
            if is_zombie {
                turn.lose_session().await?;
                return turn.done("the answer of a zombie").await;
            }
            answer(turn).await
        }
    });
    let work = scene.enqueue("a", "zombie").await?;
    let next = scene.enqueue("a", "next").await?;
    assert_eq!(scene.answer_to(work).await?, "answer to zombie");
    assert_eq!(scene.answer_to(next).await?, "answer to next");
    assert_eq!(scene.log(), ["zombie", "zombie", "next"]);
    Ok(())
}

async fn failing_work_is_parked_with_its_reason(scene: &Scene) -> Result<(), EngineError> {
    let _host = scene.host(1, fail_on_poison);
    let poison = scene.enqueue("a", "poison").await?;
    let next = scene.enqueue("a", "next").await?;
    match scene.engine.end(poison).await? {
        WorkEnd::Parked(reason) => assert!(reason.contains("the CLI choked"), "{reason}"),
        end => panic!("expected parked work, not {end:?}"),
    }
    assert_eq!(scene.answer_to(next).await?, "answer to next");
    assert_eq!(scene.log(), ["poison", "poison", "poison", "next"]);
    Ok(())
}

async fn neighbours_of_failing_work_are_not_charged(scene: &Scene) -> Result<(), EngineError> {
    let _host = scene.host(2, async |turn: Arc<ScriptedTurn>| {
        let attempt = turn.work.attempt;
        match fail_on_poison(Arc::clone(&turn)).await {
            Ok(Outcome::Done(_)) => turn.done(&format!("attempt {attempt}")).await,
            outcome => outcome,
        }
    });
    let poison = scene.enqueue("a", "poison").await?;
    let works = [
        scene.enqueue("b", "b").await?,
        scene.enqueue("a", "behind").await?,
    ];
    for work in works {
        assert_eq!(scene.answer_to(work).await?, "attempt 1");
    }
    assert!(matches!(
        scene.engine.end(poison).await?,
        WorkEnd::Parked(_)
    ));
    Ok(())
}

async fn panic_of_a_host_is_a_failed_attempt(scene: &Scene) -> Result<(), EngineError> {
    let _host = scene.host(1, async |turn: Arc<ScriptedTurn>| {
        assert!(turn.work.attempt > 1, "an intended panic");
        let attempt = turn.work.attempt;
        turn.done(&format!("attempt {attempt}")).await
    });
    let work = scene.enqueue("a", "prompt").await?;
    assert_eq!(scene.answer_to(work).await?, "attempt 2");
    Ok(())
}

async fn unavailable_store_is_no_failed_attempt(scene: &Scene) -> Result<(), EngineError> {
    let tried = Arc::new(AtomicU32::new(0));
    let _host = scene.host(1, move |turn: Arc<ScriptedTurn>| {
        let number = tried.fetch_add(1, Ordering::SeqCst);
        async move {
            if number < 4 {
                return Err(HostError::new(HostErrorKind::Store, "no connection"));
            }
            let attempt = turn.work.attempt;
            turn.done(&format!("attempt {attempt}")).await
        }
    });
    let work = scene.enqueue("a", "prompt").await?;
    assert_eq!(scene.answer_to(work).await?, "attempt 1");
    Ok(())
}

async fn hand_over_is_no_failed_attempt(scene: &Scene) -> Result<(), EngineError> {
    let (begun, mut has_begun) = unbounded_channel();
    let first = scene.host(1, move |turn: Arc<ScriptedTurn>| {
        let begun = begun.clone();
        async move {
            begun.send(()).expect("the contract waits");
            turn.stop.cancelled().await;
            Ok(Outcome::Cancelled)
        }
    });
    let work = scene.enqueue("a", "prompt").await?;
    has_begun.recv().await;
    first.shut_down().await?;
    let _second = scene.host(1, async |turn: Arc<ScriptedTurn>| {
        let attempt = turn.work.attempt;
        turn.done(&format!("attempt {attempt}")).await
    });
    assert_eq!(scene.answer_to(work).await?, "attempt 1");
    Ok(())
}

async fn enqueued_work_survives_the_death_of_the_engine(scene: &Scene) -> Result<(), EngineError> {
    let mut works = Vec::new();
    for number in 0..6 {
        let session = format!("s{}", number % 2);
        works.push(scene.enqueue(&session, &number.to_string()).await?);
    }
    scene.engine.restart().await?;
    let _host = scene.host(2, answer);
    let answers = try_join_all(works.into_iter().map(|work| scene.answer_to(work))).await?;
    let expected: Vec<_> = (0..6).map(|number| format!("answer to {number}")).collect();
    assert_eq!(answers, expected);
    let mut log = scene.log();
    log.sort_unstable();
    assert_eq!(log, ["0", "1", "2", "3", "4", "5"]);
    Ok(())
}

async fn running_work_survives_the_death_of_the_engine(scene: &Scene) -> Result<(), EngineError> {
    let (begun, mut has_begun) = unbounded_channel();
    let (go, _) = tokio::sync::watch::channel(false);
    let gate = go.clone();
    let _host = scene.host(1, move |turn: Arc<ScriptedTurn>| {
        let (begun, mut gate) = (begun.clone(), gate.subscribe());
        async move {
            // Fails for a second delivery after the contract has ended.
            let _ = begun.send(());
            tokio::select! {
                open = gate.wait_for(|open| *open) => drop(open),
                () = turn.stop.cancelled() => return Ok(Outcome::Cancelled),
            }
            answer(turn).await
        }
    });
    let works = [
        scene.enqueue("a", "0").await?,
        scene.enqueue("a", "1").await?,
    ];
    has_begun.recv().await;
    scene.engine.restart().await?;
    go.send_replace(true);
    let answers = try_join_all(works.map(|work| scene.answer_to(work))).await?;
    assert_eq!(answers, ["answer to 0", "answer to 1"]);
    // The first may have been delivered again, but never after the second has begun.
    let log = scene.log();
    assert_eq!(log.last().map(String::as_str), Some("1"), "{log:?}");
    assert_eq!(
        log.iter().filter(|prompt| *prompt == "1").count(),
        1,
        "{log:?}"
    );
    Ok(())
}

async fn fail_on_poison(turn: Arc<ScriptedTurn>) -> Result<Outcome, HostError> {
    if turn.work.prompt == "poison" {
        return Err(HostError::new(HostErrorKind::Agent, "the CLI choked"));
    }
    answer(turn).await
}
