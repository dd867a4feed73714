//! A host with a script instead of a CLI.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use inhouse_fleet::{
    Answer, Fence, HostError, HostErrorKind, Outcome, Question, Reply, RunTurn, TurnEvents, Work,
    WorkId, async_trait,
};
use inhouse_store::{Append, Lease, SessionKey, SessionStore, StoreError, StoreErrorKind};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// The project of all sessions.
const PROJECT: &str = "engine-battery";
/// The duration of leases. A host that takes over waits for the end of the lease before.
const TTL: Duration = Duration::from_secs(2);
/// How often a lease is tried that another host has.
const HELD: Duration = Duration::from_millis(50);

type Turns = Pin<Box<dyn Future<Output = Result<Outcome, HostError>> + Send>>;
type Asked = (Question, oneshot::Sender<Result<Option<Answer>, String>>);

/// A [`RunTurn`] that behaves as a host does towards its engine and its store, with a script instead of a CLI.
///
/// A turn holds the lease of its session and renews it. Answers are stored under its epoch, and a work item that is delivered again after its answer
/// was stored is answered from the store, without the script. A lost lease ends the turn with [`Outcome::Fenced`]. Dropping the future of a turn leaves
/// the lease behind, as the death of a host does.
pub struct ScriptedHost {
    store: Arc<dyn SessionStore>,
    slots: usize,
    script: Box<dyn Fn(Arc<ScriptedTurn>) -> Turns + Send + Sync>,
}

/// A turn of a [`ScriptedHost`].
pub struct ScriptedTurn {
    /// The work to answer.
    pub work: Work,
    /// The ownership of the session.
    pub fence: Fence,
    /// Cancelled when the engine stops the turn. A script returns [`Outcome::Cancelled`] then.
    pub stop: CancellationToken,
    store: Arc<dyn SessionStore>,
    key: SessionKey,
    questions: mpsc::UnboundedSender<Asked>,
}

impl ScriptedHost {
    /// Creates a host. The script is called for each turn that is not answered from the store.
    pub fn new<F>(store: Arc<dyn SessionStore>, slots: usize, script: F) -> Self
    where
        F: Fn(Arc<ScriptedTurn>) -> Turns + Send + Sync + 'static,
    {
        Self {
            store,
            slots,
            script: Box::new(script),
        }
    }

    /// Acquires the lease of a session; `None` if the turn was stopped before.
    async fn lease(
        &self,
        key: &SessionKey,
        stop: &CancellationToken,
    ) -> Result<Option<Lease>, HostError> {
        let leases = self.store.leases().expect("the store has leases");
        let owner = format!("battery-{}", uuid::Uuid::new_v4());
        loop {
            match leases.acquire(key, &owner, TTL).await {
                Ok(lease) => return Ok(Some(lease)),
                Err(error) if error.kind() == StoreErrorKind::Held => {}
                Err(error) => return Err(store_failed(error)),
            }
            tokio::select! {
                () = stop.cancelled() => return Ok(None),
                () = sleep(HELD) => {}
            }
        }
    }
}

#[async_trait]
impl RunTurn for ScriptedHost {
    async fn run_turn_with(
        &self,
        work: &Work,
        stop: CancellationToken,
        events: &dyn TurnEvents,
    ) -> Result<Outcome, HostError> {
        let id = work.session_id();
        let key = SessionKey::new(PROJECT, id.to_string()).map_err(store_failed)?;
        let Some(lease) = self.lease(&key, &stop).await? else {
            return Ok(Outcome::Cancelled);
        };
        let fence = Fence::new(PROJECT, id, lease.epoch.get());
        events.started(&fence).await;
        let (questions, asked) = mpsc::unbounded_channel();
        let turn = Arc::new(ScriptedTurn {
            work: work.clone(),
            fence,
            stop,
            store: Arc::clone(&self.store),
            key,
            questions,
        });
        let run = async {
            match turn.stored_answer().await? {
                Some(text) => Ok(Outcome::Done(turn.reply(&text))),
                None => (self.script)(Arc::clone(&turn)).await,
            }
        };
        let outcome = tokio::select! {
            outcome = run => outcome,
            () = answer_questions(events, asked) => unreachable!("the turn has a sender"),
            lost = renew(&*self.store, &lease) => lost,
        };
        let leases = self.store.leases().expect("the store has leases");
        leases.release(&lease).await.map_err(store_failed)?;
        outcome
    }

    fn slots(&self) -> usize {
        self.slots
    }
}

impl ScriptedTurn {
    /// Stores an answer under the epoch of this turn, and returns the outcome: [`Outcome::Fenced`] if the session has another owner.
    ///
    /// # Errors
    /// Fails if the store does.
    pub async fn done(&self, text: &str) -> Result<Outcome, HostError> {
        let entry = StoredAnswer {
            work: self.work.id,
            text: text.to_owned(),
        };
        let entry = serde_json::to_string(&entry).expect("a string serializes");
        let main = self.key.main();
        let end = self.store.end(&main).await.map_err(store_failed)?;
        let append = Append::new(self.fence.epoch(), end, [entry]);
        match self.store.append(&main, &append).await {
            Ok(_) => Ok(Outcome::Done(self.reply(text))),
            Err(error) if error.is_fenced() => Ok(Outcome::Fenced),
            Err(error) => Err(store_failed(error)),
        }
    }

    /// Returns a reply with the fence of this turn, without storing it.
    #[must_use]
    pub fn reply(&self, text: &str) -> Reply {
        let result = serde_json::json!({"type": "result", "is_error": false, "result": text});
        Reply::new(result.to_string(), self.fence.clone()).expect("the result is JSON")
    }

    /// Returns the question about a call of this turn.
    #[must_use]
    pub fn question(&self, call: &str) -> Question {
        let input = RawValue::from_string(r#"{"amount":5}"#.to_owned()).expect("the input is JSON");
        Question::new(
            &self.work,
            call,
            "mcp__bank__charge",
            input,
            self.fence.clone(),
        )
    }

    /// Asks the engine a question, as the hook of a host does: stores it, and returns its answer if there is one.
    ///
    /// # Errors
    /// Fails if the engine does not store the question.
    pub async fn ask(&self, question: &Question) -> Result<Option<Answer>, HostError> {
        let (reply, answer) = oneshot::channel();
        let failed = |text: String| HostError::new(HostErrorKind::Events, text);
        self.questions
            .send((question.clone(), reply))
            .map_err(|_| failed("the turn has ended".to_owned()))?;
        let answer = answer
            .await
            .map_err(|_| failed("the turn has ended".to_owned()))?;
        answer.map_err(failed)
    }

    /// Gives the session to another owner, as a host does that takes over while this one is stopped.
    ///
    /// # Errors
    /// Fails if the store does.
    pub async fn lose_session(&self) -> Result<(), HostError> {
        let fenced = self.store.fence(&self.key, None).await;
        fenced.map(drop).map_err(store_failed)
    }

    async fn stored_answer(&self) -> Result<Option<String>, HostError> {
        let entries = self
            .store
            .read(&self.key.main())
            .await
            .map_err(store_failed)?;
        let answers = entries
            .iter()
            .filter_map(|entry| serde_json::from_slice::<StoredAnswer>(entry).ok());
        let own = answers.filter(|answer| answer.work == self.work.id);
        Ok(own.last().map(|answer| answer.text))
    }
}

impl fmt::Debug for ScriptedTurn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptedTurn")
            .field("work", &self.work)
            .field("fence", &self.fence)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for ScriptedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptedHost")
            .field("slots", &self.slots)
            .finish_non_exhaustive()
    }
}

#[derive(Serialize, Deserialize)]
struct StoredAnswer {
    work: WorkId,
    text: String,
}

/// Passes questions of the script to the engine. Does not end before the turn.
async fn answer_questions(events: &dyn TurnEvents, mut asked: mpsc::UnboundedReceiver<Asked>) {
    while let Some((question, reply)) = asked.recv().await {
        let answer = events.question(&question).await;
        // Fails if the script does not wait any more.
        let _ = reply.send(answer.map_err(|error| error.to_string()));
    }
}

/// Renews a lease; returns when it is lost.
async fn renew(store: &dyn SessionStore, lease: &Lease) -> Result<Outcome, HostError> {
    let leases = store.leases().expect("the store has leases");
    loop {
        sleep(TTL / 4).await;
        match leases.renew(lease, TTL).await {
            Err(error) if error.is_fenced() => return Ok(Outcome::Fenced),
            // A store that is unavailable: the next renewal may come in time.
            Ok(_) | Err(_) => {}
        }
    }
}

fn store_failed(error: StoreError) -> HostError {
    HostError::new(HostErrorKind::Store, "the store failed").with_source(error)
}
