//! Contracts of questions to a person.

use std::sync::Arc;

use inhouse_fleet::{Answer, HostError, Outcome, Question};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::{Battery, Engine, EngineError, RunningHost, Scene, ScriptedTurn, WorkEnd, answer};

pub(super) async fn check(battery: &mut Battery, engine: &Arc<dyn Engine>) {
    contracts!(battery, engine:
        deferred_work_continues_with_its_answer,
        deferred_work_occupies_no_slot_and_blocks_its_session,
        two_questions_need_two_answers,
        first_answer_counts,
        answer_may_come_before_the_turn_ends,
        deferred_work_survives_its_host_and_the_engine,
        deferred_work_is_cancelled,
    );
}

async fn deferred_work_continues_with_its_answer(scene: &Scene) -> Result<(), EngineError> {
    let (_host, mut questions) = asking_host(scene, &["toolu_1"]);
    for (prompt, given, expected) in [
        ("ask 1", Answer::Allow, "[Allow]"),
        (
            "ask 2",
            Answer::Deny("too much".to_owned()),
            r#"[Deny("too much")]"#,
        ),
        (
            "ask 3",
            Answer::AllowWith(serde_json::json!({"amount": 4})),
            r#"[AllowWith(Object {"amount": Number(4)})]"#,
        ),
    ] {
        let work = scene.enqueue("a", prompt).await?;
        let question = next(&mut questions).await?;
        assert_eq!((question.work, &*question.call), (work, "toolu_1"));
        scene.engine.answer(&question, given).await?;
        assert_eq!(scene.answer_to(work).await?, expected);
    }
    Ok(())
}

async fn deferred_work_occupies_no_slot_and_blocks_its_session(
    scene: &Scene,
) -> Result<(), EngineError> {
    let (_host, mut questions) = asking_host(scene, &["toolu_1"]);
    let work = scene.enqueue("a", "ask").await?;
    let behind = scene.enqueue("a", "behind").await?;
    let question = next(&mut questions).await?;
    let other = scene.enqueue("b", "other").await?;
    assert_eq!(scene.answer_to(other).await?, "answer to other");
    assert_eq!(scene.log(), ["ask", "other"]);
    scene.engine.answer(&question, Answer::Allow).await?;
    assert_eq!(scene.answer_to(work).await?, "[Allow]");
    assert_eq!(scene.answer_to(behind).await?, "answer to behind");
    assert_eq!(scene.log(), ["ask", "other", "ask", "behind"]);
    Ok(())
}

async fn two_questions_need_two_answers(scene: &Scene) -> Result<(), EngineError> {
    let (_host, mut questions) = asking_host(scene, &["toolu_1", "toolu_2"]);
    let work = scene.enqueue("a", "ask").await?;
    let first = next(&mut questions).await?;
    let second = next(&mut questions).await?;
    scene
        .engine
        .answer(&second, Answer::Deny("no".to_owned()))
        .await?;
    let other = scene.enqueue("b", "other").await?;
    scene.answer_to(other).await?;
    assert_eq!(scene.log(), ["ask", "other"]);
    scene.engine.answer(&first, Answer::Allow).await?;
    assert_eq!(scene.answer_to(work).await?, r#"[Allow, Deny("no")]"#);
    Ok(())
}

async fn first_answer_counts(scene: &Scene) -> Result<(), EngineError> {
    let (_host, mut questions) = asking_host(scene, &["toolu_1", "toolu_2"]);
    let work = scene.enqueue("a", "ask").await?;
    let first = next(&mut questions).await?;
    let second = next(&mut questions).await?;
    scene.engine.answer(&first, Answer::Allow).await?;
    let again = scene
        .engine
        .answer(&first, Answer::Deny("changed".to_owned()))
        .await;
    assert!(again.is_err(), "a second answer is an error");
    scene.engine.answer(&second, Answer::Allow).await?;
    assert_eq!(scene.answer_to(work).await?, "[Allow, Allow]");
    Ok(())
}

async fn answer_may_come_before_the_turn_ends(scene: &Scene) -> Result<(), EngineError> {
    let (ask, mut asked) = unbounded_channel();
    let (go, _) = tokio::sync::watch::channel(false);
    let gate = go.clone();
    let _host = scene.host(1, move |turn: Arc<ScriptedTurn>| {
        let (ask, mut gate) = (ask.clone(), gate.subscribe());
        async move {
            let question = turn.question("toolu_1");
            if let Some(answer) = turn.ask(&question).await? {
                return turn.done(&format!("{answer:?}")).await;
            }
            let _ = ask.send(question.clone());
            let _ = gate.wait_for(|open| *open).await;
            Ok(Outcome::Deferred(vec![question]))
        }
    });
    let work = scene.enqueue("a", "ask").await?;
    let question = next(&mut asked).await?;
    scene.engine.answer(&question, Answer::Allow).await?;
    go.send_replace(true);
    assert_eq!(scene.answer_to(work).await?, "Allow");
    assert_eq!(scene.log(), ["ask", "ask"]);
    Ok(())
}

async fn deferred_work_survives_its_host_and_the_engine(scene: &Scene) -> Result<(), EngineError> {
    let (host, mut questions) = asking_host(scene, &["toolu_1"]);
    let work = scene.enqueue("a", "ask").await?;
    let question = next(&mut questions).await?;
    // The answer to another prompt: then the outcome of the first turn is in the engine, too.
    let other = scene.enqueue("b", "other").await?;
    scene.answer_to(other).await?;
    host.kill().await;
    scene.engine.restart().await?;
    scene.engine.answer(&question, Answer::Allow).await?;
    let (_host, _questions) = asking_host(scene, &["toolu_1"]);
    assert_eq!(scene.answer_to(work).await?, "[Allow]");
    Ok(())
}

async fn deferred_work_is_cancelled(scene: &Scene) -> Result<(), EngineError> {
    let (_host, mut questions) = asking_host(scene, &["toolu_1"]);
    let work = scene.enqueue("a", "ask").await?;
    let behind = scene.enqueue("a", "behind").await?;
    let question = next(&mut questions).await?;
    scene.engine.cancel(work).await?;
    assert!(matches!(scene.engine.end(work).await?, WorkEnd::Cancelled));
    assert_eq!(scene.answer_to(behind).await?, "answer to behind");
    let late = scene.engine.answer(&question, Answer::Allow).await;
    assert!(late.is_err(), "an answer to cancelled work is an error");
    Ok(())
}

/// Starts a host with one slot, whose prompts that begin with "ask" make these calls, each after a question. Questions without an answer are received.
fn asking_host(
    scene: &Scene,
    calls: &'static [&'static str],
) -> (RunningHost, UnboundedReceiver<Question>) {
    let (ask, asked) = unbounded_channel();
    let host = scene.host(1, move |turn: Arc<ScriptedTurn>| {
        let ask = ask.clone();
        async move {
            if turn.work.prompt.starts_with("ask") {
                ask_about(&turn, calls, &ask).await
            } else {
                answer(turn).await
            }
        }
    });
    (host, asked)
}

async fn ask_about(
    turn: &ScriptedTurn,
    calls: &[&str],
    ask: &UnboundedSender<Question>,
) -> Result<Outcome, HostError> {
    let (mut open, mut answers) = (Vec::new(), Vec::new());
    for call in calls {
        let question = turn.question(call);
        match turn.ask(&question).await? {
            Some(answer) => answers.push(answer),
            None => open.push(question),
        }
    }
    if open.is_empty() {
        return turn.done(&format!("{answers:?}")).await;
    }
    for question in &open {
        // Fails if the contract does not want to know.
        let _ = ask.send(question.clone());
    }
    Ok(Outcome::Deferred(open))
}

async fn next(questions: &mut UnboundedReceiver<Question>) -> Result<Question, EngineError> {
    let question = questions.recv().await;
    question.ok_or_else(|| "the host has ended".into())
}
