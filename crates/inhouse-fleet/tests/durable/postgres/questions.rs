//! Questions that expire, or whose call is not made any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use inhouse_fleet::postgres::WorkState;
use inhouse_fleet::{Answer, FleetErrorKind, HostError, Outcome, Question, QuestionId, Work};
use inhouse_testkit::engine_battery::ScriptedTurn;
use tokio::sync::mpsc::unbounded_channel;

use super::support::{Database, quick, within};

async fn ask(turn: &ScriptedTurn, call: &str) -> Result<Outcome, HostError> {
    let question = turn.question(call);
    match turn.ask(&question).await? {
        Some(answer) => turn.done(&format!("{answer:?}")).await,
        None => Ok(Outcome::Deferred(vec![question])),
    }
}

#[tokio::test]
async fn question_that_expires_is_denied() {
    let database = Database::create().await;
    let fleet = quick(&database.store).question_ttl(Duration::from_millis(100));
    let _host = database.host_of(&fleet, 1, async |turn: Arc<ScriptedTurn>| {
        ask(&turn, "toolu_1").await
    });
    let work = fleet.enqueue(Work::new("a", "prompt")).await.unwrap();
    let answer = database.answer_to(work).await;
    assert!(
        answer.starts_with("Deny(") && answer.contains("expired"),
        "{answer}"
    );
}

/// The second run asks about another call, as a turn does whose host died before it was deferred.
#[tokio::test]
async fn question_of_a_call_that_is_not_made_any_more_is_closed() {
    let database = Database::create().await;
    let (asked, mut questions) = unbounded_channel::<Question>();
    let run = Arc::new(AtomicU32::new(1));
    let _host = database.host(1, move |turn: Arc<ScriptedTurn>| {
        let (asked, run) = (asked.clone(), Arc::clone(&run));
        async move {
            let call = format!("toolu_{}", run.load(Ordering::SeqCst));
            let question = turn.question(&call);
            if let Some(answer) = turn.ask(&question).await? {
                return turn.done(&format!("{call}: {answer:?}")).await;
            }
            let _ = asked.send(question.clone());
            if run.fetch_max(2, Ordering::SeqCst) == 1 {
                turn.lose_session().await?;
                return Ok(Outcome::Fenced);
            }
            Ok(Outcome::Deferred(vec![question]))
        }
    });
    let work = database
        .fleet
        .enqueue(Work::new("a", "prompt"))
        .await
        .unwrap();
    let first = within(questions.recv()).await.unwrap();
    let second = within(questions.recv()).await.unwrap();
    database
        .until("select exists (select from inhouse.session where state = 'deferred')")
        .await;
    let error = database
        .fleet
        .answer(&first, Answer::Allow)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), FleetErrorKind::Closed, "{error}");
    let status = database.fleet.status().await.unwrap();
    assert_eq!(status.questions.len(), 1);
    assert_eq!(status.questions[0].question.id, second.id);
    database
        .fleet
        .answer_id(second.id, Answer::Allow)
        .await
        .unwrap();
    assert_eq!(database.answer_to(work).await, "toolu_2: Allow");
}

#[tokio::test]
async fn answers_that_do_not_count_say_why() {
    let database = Database::create().await;
    let (asked, mut questions) = unbounded_channel::<Question>();
    let _host = database.host(1, move |turn: Arc<ScriptedTurn>| {
        let _ = asked.send(turn.question("toolu_1"));
        async move { ask(&turn, "toolu_1").await }
    });
    let work = database
        .fleet
        .enqueue(Work::new("a", "prompt"))
        .await
        .unwrap();
    let question = within(questions.recv()).await.unwrap();
    database
        .until("select exists (select from inhouse.question)")
        .await;
    database
        .fleet
        .answer(&question, Answer::Allow)
        .await
        .unwrap();
    let again = database
        .fleet
        .answer(&question, Answer::Deny("no".to_owned()))
        .await;
    assert_eq!(again.unwrap_err().kind(), FleetErrorKind::AlreadyAnswered);
    assert_eq!(database.answer_to(work).await, "Allow");
    let unknown = QuestionId::of(work, "toolu_9");
    let unknown = database.fleet.answer_id(unknown, Answer::Allow).await;
    assert_eq!(unknown.unwrap_err().kind(), FleetErrorKind::NotFound);
}

/// A host that has lost the session cannot ask.
#[tokio::test]
async fn former_owner_cannot_store_a_question() {
    let database = Database::create().await;
    let (report, mut reported) = unbounded_channel();
    let _host = database.host(1, move |turn: Arc<ScriptedTurn>| {
        let report = report.clone();
        async move {
            turn.lose_session().await?;
            let asked = turn.ask(&turn.question("toolu_1")).await;
            let _ = report.send(asked.is_err());
            Ok(Outcome::Fenced)
        }
    });
    database
        .fleet
        .enqueue(Work::new("a", "prompt"))
        .await
        .unwrap();
    assert_eq!(within(reported.recv()).await, Some(true));
    assert!(database.fleet.status().await.unwrap().questions.is_empty());
}

/// The transcript still has the call, so the CLI asks about it again in the next turn.
#[tokio::test]
async fn call_of_cancelled_work_is_denied_in_the_next_turn() {
    let database = Database::create().await;
    let _host = database.host(1, async |turn: Arc<ScriptedTurn>| {
        ask(&turn, "toolu_1").await
    });
    let work = database.fleet.enqueue(Work::new("a", "prompt"));
    let work = work.await.unwrap();
    database
        .until("select exists (select from inhouse.session where state = 'deferred')")
        .await;
    let cancelled = database.fleet.cancel(&work).await.unwrap();
    assert_eq!(cancelled, WorkState::Cancelled);
    let next = database.fleet.enqueue(Work::new("a", "next"));
    let answer = database.answer_to(next.await.unwrap()).await;
    assert!(answer.starts_with("Deny("), "{answer}");
    // Another session may have a call of the same name.
    let other = database.fleet.enqueue(Work::new("b", "other"));
    let other = other.await.unwrap();
    database
        .until("select exists (select from inhouse.session where state = 'deferred')")
        .await;
    let question = QuestionId::of(other, "toolu_1");
    database
        .fleet
        .answer_id(question, Answer::Allow)
        .await
        .unwrap();
    assert_eq!(database.answer_to(other).await, "Allow");
}

/// Defers a work of session `a`, answers its question, and holds back its session, so that no host continues it.
async fn answered_but_not_continued(database: &Database) -> inhouse_fleet::WorkId {
    let work = database.fleet.enqueue(Work::new("a", "prompt"));
    let work = work.await.unwrap();
    database
        .until("select exists (select from inhouse.session where state = 'deferred')")
        .await;
    database.fleet.set_tenant_limit("a", Some(0)).await.unwrap();
    let question = QuestionId::of(work, "toolu_1");
    let answered = database.fleet.answer_id(question, Answer::Allow).await;
    answered.unwrap();
    work
}

/// A person has allowed the call for a prompt, and then given up that prompt.
#[tokio::test]
async fn allowed_call_of_work_that_was_given_up_is_denied_in_the_next_turn() {
    for how in ["cancel", "park"] {
        let database = Database::create().await;
        let _host = database.host(1, async |turn: Arc<ScriptedTurn>| {
            ask(&turn, "toolu_1").await
        });
        let work = answered_but_not_continued(&database).await;
        match how {
            "cancel" => database.fleet.cancel(&work).await.unwrap(),
            _ => database.fleet.park(&work, "by hand").await.unwrap(),
        };
        let next = database.fleet.enqueue(Work::new("a", "next"));
        let next = next.await.unwrap();
        database.fleet.set_tenant_limit("a", None).await.unwrap();
        let answer = database.answer_to(next).await;
        assert!(answer.starts_with("Deny("), "{how}: {answer}");
    }
}

#[tokio::test]
async fn parked_work_keeps_its_answers_when_it_is_retried() {
    let database = Database::create().await;
    let _host = database.host(1, async |turn: Arc<ScriptedTurn>| {
        ask(&turn, "toolu_1").await
    });
    let work = answered_but_not_continued(&database).await;
    database.fleet.park(&work, "by hand").await.unwrap();
    database.fleet.retry(&work).await.unwrap();
    database.fleet.set_tenant_limit("a", None).await.unwrap();
    assert_eq!(database.answer_to(work).await, "Allow");
}

#[tokio::test]
async fn input_that_is_not_an_object_is_refused() {
    let database = Database::create().await;
    let _host = database.host(1, async |turn: Arc<ScriptedTurn>| {
        ask(&turn, "toolu_1").await
    });
    let work = database.fleet.enqueue(Work::new("a", "prompt"));
    let work = work.await.unwrap();
    database
        .until("select exists (select from inhouse.session where state = 'deferred')")
        .await;
    let question = QuestionId::of(work, "toolu_1");
    let number = Answer::AllowWith(serde_json::json!(5));
    let error = database.fleet.answer_id(question, number).await;
    assert_eq!(error.unwrap_err().kind(), FleetErrorKind::Invalid);
    let object = Answer::AllowWith(serde_json::json!({}));
    database.fleet.answer_id(question, object).await.unwrap();
    let answer = database.answer_to(work).await;
    assert!(answer.starts_with("AllowWith("), "{answer}");
}

/// No host can ever store it, so the turn must not be repeated forever.
#[tokio::test]
async fn question_that_cannot_be_stored_is_a_failed_attempt() {
    let database = Database::create().await;
    let _host = database.host(1, async |turn: Arc<ScriptedTurn>| {
        // PostgreSQL has no NUL in texts.
        ask(&turn, "toolu_\0").await
    });
    let work = database.fleet.enqueue(Work::new("a", "prompt"));
    let work = work.await.unwrap();
    let error = within(database.fleet.result(&work)).await.unwrap_err();
    assert_eq!(error.kind(), FleetErrorKind::Parked, "{error}");
}

/// Without a charge, the CLI would make the same call again and again.
#[tokio::test]
async fn question_that_the_database_refuses_is_a_failed_attempt() {
    let database = Database::create().await;
    let fleet = quick(&database.store).host_ttl(Duration::from_millis(300));
    fleet.migrate().await.unwrap();
    database
        .execute("alter function inhouse.ask rename to absent")
        .await;
    let _host = database.host_of(&fleet, 1, async |turn: Arc<ScriptedTurn>| {
        ask(&turn, "toolu_1").await
    });
    let work = fleet.enqueue(Work::new("a", "prompt")).await.unwrap();
    let error = within(fleet.result(&work)).await.unwrap_err();
    assert_eq!(error.kind(), FleetErrorKind::Parked);
    assert!(error.to_string().contains("inhouse.ask"), "{error}");
}
