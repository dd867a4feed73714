use std::time::Duration;

use inhouse_fleet::{Answer, QuestionId, WorkId};
use inhouse_restate::{AnswerRequest, Prompt, WorkState};

use super::support::World;

#[tokio::test(flavor = "multi_thread")]
async fn deferred_turn_continues_when_all_questions_are_answered() {
    let world = World::start("").await;
    let _worker = world.worker(1, |endpoint| endpoint).await;
    let id = WorkId::new();
    let prompt = Prompt::new("ask x y").id(id);
    let person = async {
        let status = world.until(id, WorkState::Deferred).await;
        let [x, y] = &status.questions[..] else {
            panic!("{status:?}")
        };
        assert_eq!((&*x.call, &*y.call, x.work), ("x", "y", id));
        // The only slot is free meanwhile.
        let other = world.call("b", &Prompt::new("say b")).await;
        assert_eq!(other.as_deref(), Ok("b"));
        let yes = AnswerRequest::new(y.id, Answer::Allow);
        assert_eq!(world.answer(id, &yes).await, Ok(()));
        assert_eq!(world.status(id).await.questions.len(), 1);
        let no = AnswerRequest::new(x.id, Answer::Deny("too much".to_owned()));
        assert_eq!(world.answer(id, &no).await, Ok(()));
    };
    let (reply, ()) = tokio::join!(world.call("a", &prompt), person);
    assert_eq!(reply.as_deref(), Ok("no: too much, yes"));
    let log = world.shared.log();
    assert_eq!(log.iter().filter(|e| *e == "begin ask x y #1").count(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn first_answer_counts() {
    let (world, _worker) = World::with_worker().await;
    let id = WorkId::new();
    let prompt = Prompt::new("ask x").id(id);
    let question = QuestionId::of(id, "x");
    let person = async {
        world.until(id, WorkState::Deferred).await;
        let unknown = AnswerRequest::new(QuestionId::of(id, "z"), Answer::Allow);
        assert_eq!(world.answer(id, &unknown).await.unwrap_err().0, 404);
        let yes = AnswerRequest::new(question, Answer::Allow);
        let no = AnswerRequest::new(question, Answer::Deny("no".to_owned()));
        assert_eq!(world.answer(id, &yes).await, Ok(()));
        let (status, message) = world.answer(id, &no).await.unwrap_err();
        assert_eq!(status, 409);
        assert!(message.contains("the first answer counts"), "{message}");
    };
    let (reply, ()) = tokio::join!(world.call("a", &prompt), person);
    assert_eq!(reply.as_deref(), Ok("yes"));
}

#[tokio::test(flavor = "multi_thread")]
async fn question_without_an_answer_expires() {
    let world = World::start("").await;
    let ttl = Duration::from_millis(500);
    let _worker = world.worker(1, |endpoint| endpoint.question_ttl(ttl)).await;
    let id = WorkId::new();
    let reply = world.call("a", &Prompt::new("ask x").id(id)).await.unwrap();
    assert!(reply.contains("not answered in time"), "{reply}");
    let late = AnswerRequest::new(QuestionId::of(id, "x"), Answer::Allow);
    assert_eq!(world.answer(id, &late).await.unwrap_err().0, 409);
}

#[tokio::test(flavor = "multi_thread")]
async fn deferred_work_outlives_its_worker_and_the_engine() {
    let (mut world, worker) = World::with_worker().await;
    let id = WorkId::new();
    world.send("a", &Prompt::new("ask x").id(id)).await;
    world.until(id, WorkState::Deferred).await;
    worker.kill().await;
    world.server.crash();
    world.server.restart().await.unwrap();
    let _worker = world.worker(1, |endpoint| endpoint).await;
    let yes = AnswerRequest::new(QuestionId::of(id, "x"), Answer::Allow);
    assert_eq!(world.answer(id, &yes).await, Ok(()));
    let status = world.until(id, WorkState::Done).await;
    assert_eq!(status.reply.unwrap().text.as_deref(), Some("yes"));
}

/// A call that was deferred stays in the transcript, so the turn continues without it.
#[tokio::test(flavor = "multi_thread")]
async fn deferred_work_is_cancelled_after_its_call_was_denied() {
    let (world, _worker) = World::with_worker().await;
    let id = WorkId::new();
    let prompt = Prompt::new("ask x").id(id);
    let cancel = async {
        world.until(id, WorkState::Deferred).await;
        world.cancel(id).await;
        world.cancel(id).await;
        let yes = AnswerRequest::new(QuestionId::of(id, "x"), Answer::Allow);
        assert_eq!(world.answer(id, &yes).await.unwrap_err().0, 409);
    };
    let (reply, ()) = tokio::join!(world.call("a", &prompt), cancel);
    assert_eq!(reply.unwrap_err().0, 409);
    assert_eq!(world.status(id).await.state, WorkState::Cancelled);
    assert!(world.shared.stored(id).unwrap().contains("cancelled"));
    let next = world.call("a", &Prompt::new("say b")).await;
    assert_eq!(next.as_deref(), Ok("b"));
}
