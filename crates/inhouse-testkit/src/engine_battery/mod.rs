//! A conformance battery for engines: what delivers the prompts of a fleet to its hosts.
//!
//! An engine implements [`Engine`], and [`run`] checks what every engine promises: order, one host at a time for a session, delivery after the
//! death of a host and after [`Outcome::Fenced`], cancellation, dedupe keys, parking, questions, and that nothing is
//! lost when the engine itself is killed. An engine needs a separate test for the answer of a host that has not noticed the loss of its session.
//!
//! Turns are run by a [`ScriptedHost`], which takes leases from the engine's store as a real host does, and has a script instead of a CLI.
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use inhouse_testkit::engine_battery::{self, Engine};
//!
//! # async fn example(engine: impl Engine + 'static) {
//! engine_battery::run(Arc::new(engine)).await;
//! # }
//! ```

/// Checks the contracts with these names, which are functions of the calling module.
macro_rules! contracts {
    ($battery:ident, $engine:ident: $($contract:ident),+ $(,)?) => {
        $($battery.contract(stringify!($contract), $engine, $contract).await;)+
    };
}

mod control;
mod failures;
mod host;
mod order;
mod questions;

use std::error::Error;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use inhouse_fleet::{
    Answer, HostError, Outcome, Question, Reply, RunTurn, Work, WorkId, async_trait,
};
use inhouse_store::SessionStore;
use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

pub use self::host::{ScriptedHost, ScriptedTurn};

/// How long a contract may take.
const LIMIT: Duration = Duration::from_secs(120);
/// How long the hosts of a contract may take to shut down before they are killed.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(10);

/// An error of an engine.
pub type EngineError = Box<dyn Error + Send + Sync>;

/// An engine under test.
///
/// The battery expects these settings: a work item is parked after three failed attempts, pauses between attempts are short, a host that dies
/// is noticed within some seconds, and running turns are stopped soon after the shutdown signal.
#[async_trait]
pub trait Engine: Send + Sync {
    /// Adds work to the queue of its session, and returns the id of the work that is in the queue.
    async fn enqueue(&self, work: Work) -> Result<WorkId, EngineError>;

    /// Waits until a work item has ended.
    async fn end(&self, id: WorkId) -> Result<WorkEnd, EngineError>;

    /// Answers a question; the first answer counts, and a later one is an error.
    async fn answer(&self, question: &Question, answer: Answer) -> Result<(), EngineError>;

    /// Cancels a work item; a running one is stopped.
    async fn cancel(&self, id: WorkId) -> Result<(), EngineError>;

    /// Runs work on a host until `shutdown` is cancelled, and hands over what is running then.
    ///
    /// The battery drops this future to kill a host. Several hosts serve at the same time.
    async fn serve(
        &self,
        host: Arc<dyn RunTurn>,
        shutdown: CancellationToken,
    ) -> Result<(), EngineError>;

    /// Kills the engine without notice, and starts it again with what it has stored.
    async fn restart(&self) -> Result<(), EngineError>;

    /// Returns a store with leases, the same for all hosts.
    fn store(&self) -> Arc<dyn SessionStore>;
}

/// The end of a work item.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum WorkEnd {
    /// The work was answered.
    Done(Reply),
    /// The work was put aside, with the reason.
    Parked(String),
    /// The work was cancelled.
    Cancelled,
}

impl WorkEnd {
    /// Returns the text of the answer; `None` if the work was not answered.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Done(reply) => reply.text.as_deref(),
            _ => None,
        }
    }
}

/// Checks every contract of engines.
///
/// # Panics
/// Panics if the engine breaks a contract, after all of them were checked, with the name of each broken one.
pub async fn run(engine: Arc<dyn Engine>) {
    let mut battery = Battery::default();
    let engine = &engine;
    order::check(&mut battery, engine).await;
    failures::check(&mut battery, engine).await;
    control::check(&mut battery, engine).await;
    questions::check(&mut battery, engine).await;
    assert!(
        battery.broken.is_empty(),
        "{} of {} contracts are broken:\n{}",
        battery.broken.len(),
        battery.checked,
        battery.broken.join("\n")
    );
}

/// The result of the contracts so far.
#[derive(Default)]
struct Battery {
    checked: usize,
    broken: Vec<String>,
}

impl Battery {
    async fn contract(
        &mut self,
        name: &str,
        engine: &Arc<dyn Engine>,
        check: impl AsyncFnOnce(&Scene) -> Result<(), EngineError>,
    ) {
        let scene = Scene::new(engine);
        let outcome = AssertUnwindSafe(timeout(LIMIT, check(&scene)));
        let problem = match outcome.catch_unwind().await {
            Ok(Ok(Ok(()))) => None,
            Ok(Ok(Err(error))) => Some(error.to_string()),
            Ok(Err(_)) => Some(format!("not finished after {} s", LIMIT.as_secs())),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
                Some(text.unwrap_or("panicked").to_owned())
            }
        };
        self.checked += 1;
        if let Some(problem) = problem {
            let log = scene.log();
            let problem = format!("{name}: {problem}\n  turns: {log:?}");
            self.broken.push(problem);
        }
        scene.shut_down().await;
    }
}

/// The surroundings of one contract: session names that no other contract uses, and hosts that end with it.
struct Scene {
    engine: Arc<dyn Engine>,
    id: String,
    log: Arc<Mutex<Vec<String>>>,
    hosts: TaskTracker,
    aborts: Mutex<Vec<AbortHandle>>,
    /// The parent of the tokens of the hosts.
    shutdown: CancellationToken,
}

impl Scene {
    fn new(engine: &Arc<dyn Engine>) -> Self {
        Self {
            engine: Arc::clone(engine),
            id: Uuid::new_v4().simple().to_string(),
            log: Arc::default(),
            hosts: TaskTracker::new(),
            aborts: Mutex::default(),
            shutdown: CancellationToken::new(),
        }
    }

    /// Returns the name of a session of this contract.
    fn session(&self, name: &str) -> String {
        format!("{name}-{}", self.id)
    }

    async fn enqueue(&self, session: &str, prompt: &str) -> Result<WorkId, EngineError> {
        let work = Work::new(self.session(session), prompt);
        self.engine.enqueue(work).await
    }

    /// Returns the text of the answer to a work item.
    async fn answer_to(&self, id: WorkId) -> Result<String, EngineError> {
        match self.engine.end(id).await? {
            WorkEnd::Done(reply) => Ok(reply.text.unwrap_or_default()),
            end => Err(format!("expected an answer, but the work ended with {end:?}").into()),
        }
    }

    /// Starts a host whose turns run `script`. The prompts that begin are logged.
    fn host<F, R>(&self, slots: usize, script: F) -> RunningHost
    where
        F: Fn(Arc<ScriptedTurn>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Outcome, HostError>> + Send,
    {
        let log = Arc::clone(&self.log);
        let id = self.id.clone();
        let script = Arc::new(script);
        let host = ScriptedHost::new(
            self.engine.store(),
            slots,
            move |turn: Arc<ScriptedTurn>| {
                let (log, script) = (Arc::clone(&log), Arc::clone(&script));
                let is_own = turn.work.session.ends_with(&id);
                Box::pin(async move {
                    // What a broken contract has left in the queue.
                    if !is_own {
                        return turn.done("left over").await;
                    }
                    let prompt = turn.work.prompt.clone();
                    log.lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push(prompt);
                    script(turn).await
                })
            },
        );
        let shutdown = self.shutdown.child_token();
        let (engine, token) = (Arc::clone(&self.engine), shutdown.clone());
        let serve = async move { engine.serve(Arc::new(host), token).await };
        let task = self.hosts.spawn(serve);
        self.aborts
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(task.abort_handle());
        RunningHost { task, shutdown }
    }

    /// Ends all hosts. The claim of a host that is only aborted may still be in flight, and would take a prompt of the next contract.
    async fn shut_down(self) {
        self.shutdown.cancel();
        self.hosts.close();
        if timeout(SHUTDOWN_LIMIT, self.hosts.wait()).await.is_ok() {
            return;
        }
        let aborts = self
            .aborts
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        aborts.iter().for_each(AbortHandle::abort);
        self.hosts.wait().await;
    }

    /// Returns the prompts of all turns that have begun, in order.
    fn log(&self) -> Vec<String> {
        self.log
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// A host of a contract. It runs until it is killed, is shut down, or the contract ends.
struct RunningHost {
    task: JoinHandle<Result<(), EngineError>>,
    shutdown: CancellationToken,
}

impl RunningHost {
    /// Ends the host without letting it hand over.
    async fn kill(self) {
        self.task.abort();
        let _ = self.task.await;
    }

    /// Lets the host hand over, and waits for its end.
    async fn shut_down(self) -> Result<(), EngineError> {
        self.shutdown.cancel();
        self.task.await?
    }
}

/// Answers every prompt with "answer to" and the prompt.
async fn answer(turn: Arc<ScriptedTurn>) -> Result<Outcome, HostError> {
    let text = format!("answer to {}", turn.work.prompt);
    turn.done(&text).await
}
