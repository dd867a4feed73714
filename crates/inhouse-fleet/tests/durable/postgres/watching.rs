//! The events of a work item.

use std::sync::Arc;
use std::time::Duration;

use inhouse::message::Message;
use inhouse_fleet::postgres::{Event, FleetHealth, StoredMessages};
use inhouse_fleet::{
    Answer, FleetErrorKind, HostError, HostErrorKind, Outcome, RunTurn, TurnEvents, Work, WorkId,
    async_trait,
};
use inhouse_testkit::engine_battery::{ScriptedHost, ScriptedTurn};
use tokio_util::sync::CancellationToken;

use super::health::until_health;
use super::support::{Database, Host, answer, quick, within};

/// Reports some messages before each turn of another host.
struct Talkative(Arc<dyn RunTurn>);

#[async_trait]
impl RunTurn for Talkative {
    async fn run_turn_with(
        &self,
        work: &Work,
        stop: CancellationToken,
        events: &dyn TurnEvents,
    ) -> Result<Outcome, HostError> {
        for line in [
            r#"{"type":"stream_event","event":{"type":"message_stop"},"session_id":"s","uuid":"u"}"#,
            // The last one cannot be stored as jsonb.
            r#"{"type":"assistant","message":{"content":[{"type":"text","text":"one"}]}}"#,
            r#"{"type":"assistant","message":{"content":[{"type":"text","text":"a NUL \u0000 and half an emoji \ud83d"}]}}"#,
        ] {
            events
                .message(&Message::decode(line.as_bytes()).unwrap())
                .await;
        }
        self.0.run_turn_with(work, stop, events).await
    }

    fn slots(&self) -> usize {
        self.0.slots()
    }
}

/// Returns the events of a work item in short.
async fn events_of(database: &Database, work: WorkId) -> Vec<String> {
    let mut events = database.fleet.watch(&work).await.unwrap();
    let mut seen = Vec::new();
    while let Some(event) = within(events.next()).await {
        seen.push(match event.unwrap() {
            Event::Queued => "queued".to_owned(),
            Event::Started { host } => format!("started by {host}"),
            Event::Resumed { host } => format!("resumed by {host}"),
            Event::Message(message) => message.tag(),
            Event::Question(question) => {
                // The answer of a person who watches.
                database
                    .fleet
                    .answer(&question, Answer::Allow)
                    .await
                    .unwrap();
                format!("question about {}", question.call)
            }
            Event::Failed { reason } => format!("failed: {reason}"),
            Event::Done(reply) => format!("done: {}", reply.text.unwrap()),
            Event::Parked(reason) => format!("parked: {reason}"),
            Event::Cancelled => "cancelled".to_owned(),
            event => format!("{event:?}"),
        });
    }
    seen
}

#[tokio::test]
async fn watcher_sees_everything_from_the_queue_to_the_answer() {
    let database = Database::create().await;
    let fleet = quick(&database.store).host_name("one");
    let work = fleet.enqueue(Work::new("a", "prompt")).await.unwrap();
    let _host = database.host_of(&fleet, 1, async |turn: Arc<ScriptedTurn>| {
        let question = turn.question("toolu_1");
        match turn.ask(&question).await? {
            Some(_) if turn.work.attempt == 1 => {
                Err(HostError::new(HostErrorKind::Agent, "the CLI choked"))
            }
            Some(answer) => turn.done(&format!("{answer:?}")).await,
            None => Ok(Outcome::Deferred(vec![question])),
        }
    });
    let expected = [
        "queued",
        "started by one",
        "question about toolu_1",
        "resumed by one",
        "failed: the CLI choked",
        "resumed by one",
        "done: Allow",
    ];
    assert_eq!(events_of(&database, work).await, expected);
    // The same again, from the database.
    let again = events_of_answered(&database, work).await;
    assert_eq!(again, expected.len());
}

/// Returns how many events a work item has whose questions are answered.
async fn events_of_answered(database: &Database, work: WorkId) -> usize {
    let mut events = database.fleet.watch(&work).await.unwrap();
    let mut count = 0;
    while let Some(event) = within(events.next()).await {
        event.unwrap();
        count += 1;
    }
    count
}

#[tokio::test]
async fn stored_messages_are_those_of_the_setting() {
    for (messages, expected) in [
        (StoredMessages::None, &[][..]),
        (StoredMessages::Whole, &["assistant", "assistant"]),
        (
            StoredMessages::Partial,
            &["stream_event", "assistant", "assistant"],
        ),
    ] {
        let database = Database::create().await;
        let fleet = quick(&database.store).stored_messages(messages);
        let runner = ScriptedHost::new(Arc::new(database.store.clone()), 1, |turn| {
            Box::pin(answer(turn))
        });
        let _host = Host::start(&fleet, Arc::new(Talkative(Arc::new(runner))));
        let work = fleet.enqueue(Work::new("a", "prompt")).await.unwrap();
        let mut seen = events_of(&database, work).await;
        seen.retain(|event| expected.contains(&&**event) || event == "stream_event");
        assert_eq!(seen, expected, "{messages:?}");
    }
}

#[tokio::test]
async fn watch_ends_with_parked_and_cancelled_work() {
    let database = Database::create().await;
    let parked = database
        .fleet
        .enqueue(Work::new("a", "parked"))
        .await
        .unwrap();
    let cancelled = database
        .fleet
        .enqueue(Work::new("a", "cancelled"))
        .await
        .unwrap();
    database.fleet.park(&parked, "for later").await.unwrap();
    database.fleet.cancel(&cancelled).await.unwrap();
    assert_eq!(
        events_of(&database, parked).await,
        ["queued", "parked: for later"]
    );
    assert_eq!(
        events_of(&database, cancelled).await,
        ["queued", "cancelled"]
    );
    let error = database.fleet.result(&parked).await.unwrap_err();
    assert_eq!(error.kind(), FleetErrorKind::Parked);
    assert!(error.to_string().contains("for later"), "{error}");
}

#[tokio::test]
async fn unknown_work_is_not_found() {
    let database = Database::create().await;
    let id = WorkId::new();
    let kinds = [
        database.fleet.watch(&id).await.unwrap_err().kind(),
        database.fleet.result(&id).await.unwrap_err().kind(),
        database.fleet.cancel(&id).await.unwrap_err().kind(),
        database.fleet.park(&id, "").await.unwrap_err().kind(),
        database.fleet.retry(&id).await.unwrap_err().kind(),
        database.fleet.work(&id).await.unwrap_err().kind(),
    ];
    assert_eq!(kinds, [FleetErrorKind::NotFound; 6]);
}

/// The outcome is reported after the messages, and must not wait for them forever.
#[tokio::test]
async fn messages_that_the_database_refuses_are_given_up() {
    let database = Database::create().await;
    let fleet = quick(&database.store).host_ttl(Duration::from_secs(1));
    fleet.migrate().await.unwrap();
    database
        .execute("alter function inhouse.record rename to absent")
        .await;
    let runner = ScriptedHost::new(Arc::new(database.store.clone()), 1, |turn| {
        Box::pin(answer(turn))
    });
    let _host = Host::start(&fleet, Arc::new(Talkative(Arc::new(runner))));
    let work = fleet.enqueue(Work::new("a", "prompt")).await.unwrap();
    let refused = |health: &FleetHealth| {
        let error = health.error.as_deref().unwrap_or_default();
        error.contains("inhouse.record")
    };
    until_health(&fleet, refused).await;
    assert_eq!(database.answer_to(work).await, "answer to prompt");
    until_health(&fleet, FleetHealth::is_ready).await;
    let seen = events_of(&database, work).await;
    assert!(!seen.contains(&"assistant".to_owned()), "{seen:?}");
}
