//! Turns that continue a prompt whose last turn was on another host.

use std::sync::Arc;

use inhouse_fleet::{HostError, HostErrorKind, Outcome, Work};
use inhouse_testkit::engine_battery::ScriptedTurn;
use tokio::sync::mpsc::unbounded_channel;

use super::support::{Database, Log, answer, quick, within};

#[tokio::test]
async fn prompt_is_taken_over_only_from_another_host() {
    let database = Database::create().await;
    let log = Log::default();
    let (begun, mut has_begun) = unbounded_channel();
    let first = database.host_of(&quick(&database.store).host_name("one"), 1, {
        let log = log.clone();
        move |turn: Arc<ScriptedTurn>| {
            let (attempt, begun) = (turn.work.attempt, begun.clone());
            log.push(format!("one {attempt} {}", turn.work.taken_over));
            async move {
                if attempt == 1 {
                    return Err(HostError::new(HostErrorKind::Agent, "the CLI choked"));
                }
                let _ = begun.send(());
                turn.stop.cancelled().await;
                Ok(Outcome::Cancelled)
            }
        }
    });
    let work = database.fleet.enqueue(Work::new("a", "prompt"));
    let work = work.await.unwrap();
    within(has_begun.recv()).await;
    first.shut_down().await;
    let _second = database.host_of(&quick(&database.store).host_name("two"), 1, {
        let log = log.clone();
        move |turn: Arc<ScriptedTurn>| {
            log.push(format!(
                "two {} {}",
                turn.work.attempt, turn.work.taken_over
            ));
            answer(turn)
        }
    });
    assert_eq!(database.answer_to(work).await, "answer to prompt");
    assert_eq!(log.entries(), ["one 1 false", "one 2 false", "two 2 true"]);
}
