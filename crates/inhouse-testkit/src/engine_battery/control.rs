//! Contracts of cancellation and of work that is enqueued twice.

use std::sync::Arc;

use inhouse_fleet::{Outcome, Work};
use tokio::sync::mpsc::unbounded_channel;

use super::{Battery, Engine, EngineError, Scene, ScriptedTurn, WorkEnd, answer};

pub(super) async fn check(battery: &mut Battery, engine: &Arc<dyn Engine>) {
    contracts!(battery, engine:
        queued_work_is_cancelled,
        running_work_is_stopped_before_the_next_begins,
        cancel_after_the_answer_changes_nothing,
        same_key_and_text_is_the_same_work,
        same_key_and_another_text_is_refused,
        same_id_is_the_same_work,
    );
}

async fn queued_work_is_cancelled(scene: &Scene) -> Result<(), EngineError> {
    let (begun, mut has_begun) = unbounded_channel();
    let (go, _) = tokio::sync::watch::channel(false);
    let gate = go.clone();
    let _host = scene.host(1, move |turn: Arc<ScriptedTurn>| {
        let (begun, mut gate) = (begun.clone(), gate.subscribe());
        async move {
            let _ = begun.send(());
            let _ = gate.wait_for(|open| *open).await;
            answer(turn).await
        }
    });
    let first = scene.enqueue("a", "first").await?;
    has_begun.recv().await;
    let second = scene.enqueue("a", "second").await?;
    let third = scene.enqueue("a", "third").await?;
    scene.engine.cancel(second).await?;
    go.send_replace(true);
    assert_eq!(scene.answer_to(first).await?, "answer to first");
    assert!(matches!(
        scene.engine.end(second).await?,
        WorkEnd::Cancelled
    ));
    assert_eq!(scene.answer_to(third).await?, "answer to third");
    assert_eq!(scene.log(), ["first", "third"]);
    Ok(())
}

async fn running_work_is_stopped_before_the_next_begins(scene: &Scene) -> Result<(), EngineError> {
    let (report, mut reported) = unbounded_channel();
    let (go, _) = tokio::sync::watch::channel(false);
    let gate = go.clone();
    let _host = scene.host(2, move |turn: Arc<ScriptedTurn>| {
        let (report, mut gate) = (report.clone(), gate.subscribe());
        async move {
            if turn.work.prompt != "cancelled" {
                return answer(turn).await;
            }
            let _ = report.send("begun");
            turn.stop.cancelled().await;
            let _ = report.send("stopped");
            // The process takes some time to die.
            let _ = gate.wait_for(|open| *open).await;
            Ok(Outcome::Cancelled)
        }
    });
    let work = scene.enqueue("a", "cancelled").await?;
    let next = scene.enqueue("a", "next").await?;
    assert_eq!(reported.recv().await, Some("begun"));
    scene.engine.cancel(work).await?;
    assert_eq!(reported.recv().await, Some("stopped"));
    // The engine delivers meanwhile, but not for this session.
    let other = scene.enqueue("b", "other").await?;
    assert_eq!(scene.answer_to(other).await?, "answer to other");
    assert_eq!(scene.log(), ["cancelled", "other"]);
    go.send_replace(true);
    assert!(matches!(scene.engine.end(work).await?, WorkEnd::Cancelled));
    assert_eq!(scene.answer_to(next).await?, "answer to next");
    assert_eq!(scene.log(), ["cancelled", "other", "next"]);
    Ok(())
}

async fn cancel_after_the_answer_changes_nothing(scene: &Scene) -> Result<(), EngineError> {
    let _host = scene.host(1, answer);
    let work = scene.enqueue("a", "prompt").await?;
    assert_eq!(scene.answer_to(work).await?, "answer to prompt");
    // Whether that is an error is the engine's choice.
    let _ = scene.engine.cancel(work).await;
    assert_eq!(scene.answer_to(work).await?, "answer to prompt");
    let next = scene.enqueue("a", "next").await?;
    assert_eq!(scene.answer_to(next).await?, "answer to next");
    Ok(())
}

async fn same_key_and_text_is_the_same_work(scene: &Scene) -> Result<(), EngineError> {
    let work = || Work::new(scene.session("a"), "prompt").dedupe("key");
    let first = scene.engine.enqueue(work()).await?;
    assert_eq!(scene.engine.enqueue(work()).await?, first);
    let _host = scene.host(1, answer);
    scene.answer_to(first).await?;
    assert_eq!(scene.engine.enqueue(work()).await?, first);
    let next = scene.enqueue("a", "next").await?;
    scene.answer_to(next).await?;
    assert_eq!(scene.log(), ["prompt", "next"]);
    Ok(())
}

async fn same_key_and_another_text_is_refused(scene: &Scene) -> Result<(), EngineError> {
    let work = |prompt: &str| Work::new(scene.session("a"), prompt).dedupe("key");
    let first = scene.engine.enqueue(work("Charge 5 dollars")).await?;
    let refused = scene.engine.enqueue(work("Charge 6 dollars")).await;
    let error = refused
        .expect_err("another text with the same key")
        .to_string();
    assert!(
        error.contains(&first.to_string()),
        "the error names the first work: {error}"
    );
    let _host = scene.host(1, answer);
    assert_eq!(scene.answer_to(first).await?, "answer to Charge 5 dollars");
    assert_eq!(scene.log(), ["Charge 5 dollars"]);
    Ok(())
}

/// A client that does not know whether its call succeeded repeats it.
async fn same_id_is_the_same_work(scene: &Scene) -> Result<(), EngineError> {
    let work = Work::new(scene.session("a"), "prompt");
    let first = scene.engine.enqueue(work.clone()).await?;
    assert_eq!(
        (first, scene.engine.enqueue(work.clone()).await?),
        (work.id, work.id)
    );
    let _host = scene.host(1, answer);
    let next = scene.enqueue("a", "next").await?;
    scene.answer_to(next).await?;
    assert_eq!(scene.log(), ["prompt", "next"]);
    Ok(())
}
