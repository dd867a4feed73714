//! A fleet in a separate PostgreSQL server, and hosts with a script instead of a CLI.

use std::sync::Arc;
use std::time::Duration;

use inhouse_fleet::postgres::{Event, Fleet, FleetError};
use inhouse_fleet::{HostError, HostErrorKind, Outcome, Question, Work, WorkId};
use inhouse_store::postgres::PostgresStore;
use inhouse_testkit::engine_battery::{ScriptedHost, ScriptedTurn};
use inhouse_testkit::servers::PostgresServer;
use serde_json::value::RawValue;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;

/// Longer than anything takes on a loaded machine.
pub(crate) const LIMIT: Duration = Duration::from_secs(120);

pub(crate) struct TestFleet {
    pub(crate) server: PostgresServer,
    pub(crate) fleet: Fleet,
    store: PostgresStore,
}

impl TestFleet {
    pub(crate) async fn start() -> Self {
        let server = spawn_blocking(PostgresServer::start).await.unwrap();
        let server = server.unwrap_or_else(|error| panic!("{error}"));
        let store = PostgresStore::connect(&server.url()).await.unwrap();
        Self {
            fleet: Fleet::postgres(&store),
            server,
            store,
        }
    }

    /// Starts a host. A prompt decides what its turn does:
    ///
    /// | first word | turn |
    /// |---|---|
    /// | `Hold` | runs until it is stopped |
    /// | `Ask` | asks about a call, and answers with the decision |
    /// | `Choose` | asks about a call of `AskUserQuestion`, and answers with the decision |
    /// | `Fail` | fails, and is parked |
    /// | other | is answered |
    pub(crate) fn serve(&self, name: &str, slots: usize) -> JoinHandle<Result<(), FleetError>> {
        let store = Arc::new(self.store.clone());
        let host = ScriptedHost::new(store, slots, |turn| Box::pin(play(turn)));
        let fleet = Fleet::postgres(&self.store).host_name(name);
        let fleet = fleet.max_attempts(1).grace(Duration::ZERO);
        tokio::spawn(async move { fleet.serve(host, std::future::pending()).await })
    }

    pub(crate) async fn enqueue(&self, session: &str, prompt: &str) -> WorkId {
        let work = Work::new(session, prompt);
        self.fleet.enqueue(work).await.unwrap()
    }

    /// Waits for an event of a work item.
    pub(crate) async fn until(&self, work: WorkId, is_wanted: impl Fn(&Event) -> bool) -> Event {
        let mut events = self.fleet.watch(&work).await.unwrap();
        let wait = async {
            while let Some(event) = events.next().await {
                let event = event.unwrap();
                if is_wanted(&event) {
                    return event;
                }
            }
            panic!("work {work} ended before");
        };
        timeout(LIMIT, wait).await.expect("the event comes")
    }

    /// Enqueues a prompt and waits until its turn runs.
    pub(crate) async fn running(&self, session: &str, prompt: &str) -> WorkId {
        let work = self.enqueue(session, prompt).await;
        self.until(work, |event| matches!(event, Event::Started { .. }))
            .await;
        work
    }

    /// Enqueues a prompt that fails, and waits until it is parked.
    pub(crate) async fn parked(&self, session: &str, prompt: &str) -> WorkId {
        let work = self.enqueue(session, prompt).await;
        self.until(work, |event| matches!(event, Event::Parked(_)))
            .await;
        work
    }

    /// Enqueues a prompt that asks, and returns its question.
    pub(crate) async fn asked(&self, session: &str, prompt: &str) -> Question {
        let work = self.enqueue(session, prompt).await;
        let event = self
            .until(work, |event| matches!(event, Event::Question(_)))
            .await;
        match event {
            Event::Question(question) => *question,
            event => panic!("{event:?}"),
        }
    }

    /// Returns the text of the answer to a work item.
    pub(crate) async fn answer(&self, work: WorkId) -> String {
        let reply = timeout(LIMIT, self.fleet.result(&work)).await;
        let reply = reply.expect("the answer comes").unwrap();
        reply.text.unwrap_or_default()
    }
}

async fn play(turn: Arc<ScriptedTurn>) -> Result<Outcome, HostError> {
    let prompt = turn.work.prompt.as_str();
    match prompt.split(' ').next() {
        Some("Hold") => {
            turn.stop.cancelled().await;
            Ok(Outcome::Cancelled)
        }
        Some("Ask") => {
            let input = serde_json::json!({"dollars": 5, "reason": prompt}).to_string();
            ask(&turn, "mcp__bank__refund", input).await
        }
        Some("Choose") => {
            let input = r#"{"questions":[{"question":"Which colour?","header":"Colour","multiSelect":false,
                "options":[{"label":"Red","description":"As the sunset"},{"label":"Blue","description":"As the sea"}]}]}"#;
            ask(&turn, "AskUserQuestion", input.to_owned()).await
        }
        Some("Fail") => Err(HostError::new(
            HostErrorKind::Agent,
            format!("the CLI exited with code 1: {prompt}"),
        )),
        _ => turn.done("done").await,
    }
}

async fn ask(turn: &ScriptedTurn, tool: &str, input: String) -> Result<Outcome, HostError> {
    let input = RawValue::from_string(input).expect("the input is JSON");
    let question = Question::new(&turn.work, "toolu_1", tool, input, turn.fence.clone());
    match turn.ask(&question).await? {
        None => Ok(Outcome::Deferred(vec![question])),
        Some(answer) => turn.done(&format!("{answer:?}")).await,
    }
}
