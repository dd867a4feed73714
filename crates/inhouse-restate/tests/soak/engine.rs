//! The engine on Restate: a server, its ingress, and a balancer before the workers.

use std::collections::{HashMap, HashSet};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use inhouse_fleet::{
    Answer, HostError, Outcome, Question, RunTurn, TurnEvents, Work, WorkId, async_trait,
};
use inhouse_restate::{AnswerRequest, Enqueued, Prompt, WorkState, WorkStatus, control, endpoint};
use inhouse_store::postgres::PostgresStore;
use inhouse_testkit::Isolation;
use inhouse_testkit::engine_battery::WorkEnd;
use inhouse_testkit::servers::RestateServer;
use inhouse_testkit::soak::{DEADLINE, pass};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::RwLock;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::proxy::Proxy;
use crate::scene::{Start, text};
use crate::worker::{Plan, add_line};

/// Each request has a separate connection, for the balancer. The times are those of the server, scaled: from 40 s and 20 s after which a worker
/// that hangs is replaced, and from 1 min and 10 min after which a silent handler is suspended.
const SETTINGS: &str = r#"
    worker.invoker.http2-streams-per-connection-limit = 1
    worker.invoker.http2-keep-alive-interval = "2s"
    worker.invoker.http2-keep-alive-timeout = "4s"
    worker.invoker.inactivity-timeout = "2s"
    worker.invoker.abort-timeout = "2s"
"#;

/// The pause before a failed turn is tried again.
const RETRY_PAUSE: Duration = Duration::from_millis(50);

/// The files to which workers add their attempts, and the questions of their turns.
const ATTEMPTS: &str = "attempts";
const QUESTIONS: &str = "questions";

/// The pause between two requests for the status of a work.
const POLL: Duration = Duration::from_millis(50);

/// Whether a question can be answered before the turn that asks it has ended.
pub(crate) const STORES_QUESTIONS_AT_ONCE: bool = false;

/// A part of the reason of a work that was parked because its workers were lost.
pub(crate) const LOST: &str = "its worker, or the connection to it, was lost";

/// The outcomes of a turn in a worker that was taken over. Without its connection to Restate, a worker drops its turns.
pub(crate) const OUTCOMES_OF_ZOMBIES: &[&str] = &["fenced", "cancelled", "dropped"];

/// Where the handlers of sessions and works run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Variant {
    /// At an endpoint without a host, in the test. Prompts are enqueued.
    Control,
    /// On the workers, so they die with them. Prompts are sent one-way, before there is a worker.
    Workers,
}

impl Variant {
    /// The variant of most scenarios.
    pub(crate) const USUAL: Self = Self::Control;

    /// Returns the variant for a number that scenarios count up.
    pub(crate) fn of(number: u32) -> Self {
        match number % 2 {
            0 => Self::Workers,
            _ => Self::Control,
        }
    }
}

/// A fleet as its callers see it.
pub(crate) struct Engine {
    server: RwLock<RestateServer>,
    workers: Arc<Workers>,
    _balancer: Proxy,
    control: Option<AbortOnDropHandle<()>>,
    /// The works so far.
    works: Mutex<Vec<WorkId>>,
    /// The reasons of those that were parked.
    parked: Mutex<HashMap<WorkId, String>>,
    /// Where workers record their attempts.
    directory: PathBuf,
}

/// The workers behind the balancer.
#[derive(Default)]
struct Workers {
    reserved: Mutex<Vec<TcpSocket>>,
    serving: Mutex<Vec<Serving>>,
    next: AtomicUsize,
}

struct Serving {
    port: u16,
    pid: u32,
}

/// A line of the file with the attempts: what a worker was given.
#[derive(Serialize, Deserialize)]
struct Attempt {
    work: WorkId,
    prompt: String,
    worker: String,
    attempt: u32,
}

impl Engine {
    pub(crate) async fn start(
        _: &PostgresStore,
        isolation: &Isolation,
        variant: Variant,
        max_attempts: u32,
    ) -> Self {
        let server = RestateServer::start(SETTINGS).await;
        let server = server.unwrap_or_else(|why| panic!("{why}"));
        let workers = Arc::new(Workers::default());
        let chosen = Arc::clone(&workers);
        let balancer = Proxy::start(move || chosen.choose()).await;
        let balancer = balancer.expect("a loopback port");
        register_workers(&server, &workers, balancer.port()).await;
        let control = match variant {
            Variant::Control => Some(start_control(&server, max_attempts).await),
            Variant::Workers => None,
        };
        Self {
            server: RwLock::new(server),
            workers,
            _balancer: balancer,
            control,
            works: Mutex::default(),
            parked: Mutex::default(),
            directory: isolation.root().to_owned(),
        }
    }

    /// Completes the plan of a worker that is about to start.
    pub(crate) fn prepare(&self, plan: &mut Plan) {
        plan.port = self.workers.reserve();
    }

    /// Notes that a worker has started.
    pub(crate) fn started(&self, plan: &Plan, pid: u32) {
        let (port, mut serving) = (plan.port, lock(&self.workers.serving));
        serving.push(Serving { port, pid });
    }

    pub(crate) async fn enqueue(&self, work: Work) -> Result<WorkId, String> {
        let (session, id) = (&work.session, work.id);
        let prompt = json!(Prompt::new(work.prompt).id(id)).to_string();
        if self.control.is_none() {
            let path = format!("/InhouseSession/{session}/prompt/send");
            self.post(&path, &prompt).await?;
        } else {
            let path = format!("/InhouseSession/{session}/enqueue");
            let enqueued = self.post(&path, &prompt).await?;
            let enqueued: Enqueued = serde_json::from_str(&enqueued).map_err(text)?;
            if enqueued.work != id {
                return Err(format!("work {id} was enqueued as {enqueued:?}"));
            }
        }
        lock(&self.works).push(id);
        Ok(id)
    }

    /// Waits for the end of a work.
    pub(crate) async fn end(&self, id: WorkId) -> Result<WorkEnd, String> {
        loop {
            let status = self.work(id, "status").await?;
            return Ok(match status.state {
                WorkState::Done => WorkEnd::Done(status.reply.ok_or("no reply")?),
                WorkState::Parked => {
                    let reason = status.reason.ok_or("no reason")?;
                    lock(&self.parked).insert(id, reason.clone());
                    WorkEnd::Parked(reason)
                }
                WorkState::Cancelled => WorkEnd::Cancelled,
                _ => {
                    pass(POLL).await;
                    continue;
                }
            });
        }
    }

    /// Describes the state of a work.
    pub(crate) async fn status(&self, id: WorkId) -> String {
        let status = self.work(id, "status").await;
        let invocations = json!({ "query": "select * from sys_invocation" }).to_string();
        let server = self.server.read().await;
        let invocations = server.admin("POST", "/query", &invocations).await;
        format!("{status:?} {invocations:?}")
    }

    pub(crate) async fn cancel(&self, id: WorkId) -> Result<(), String> {
        self.work(id, "cancel").await.map(drop)
    }

    /// Waits for the next question of a work.
    pub(crate) async fn question(&self, id: WorkId) -> Result<Question, String> {
        loop {
            let status = self.work(id, "status").await?;
            if let Some(question) = status.questions.into_iter().next() {
                return Ok(question);
            }
            pass(POLL).await;
        }
    }

    /// Waits until a work waits for an answer.
    pub(crate) async fn deferred(&self, id: WorkId) -> Result<(), String> {
        while self.work(id, "status").await?.state != WorkState::Deferred {
            pass(POLL).await;
        }
        Ok(())
    }

    pub(crate) async fn answer(&self, question: &Question, answer: Answer) -> Result<(), String> {
        let request = json!(AnswerRequest::new(question.id, answer)).to_string();
        let path = format!("/InhouseWork/{}/answer", question.work);
        self.post(&path, &request).await.map(drop)
    }

    /// Returns how many questions were asked.
    pub(crate) async fn questions(&self) -> Result<usize, String> {
        let lines = std::fs::read_to_string(self.directory.join(QUESTIONS));
        let lines = lines.unwrap_or_default();
        let questions: HashSet<_> = lines.lines().collect();
        Ok(questions.len())
    }

    /// Returns the beginnings of all attempts, in their order.
    pub(crate) async fn starts(&self) -> Result<Vec<Start>, String> {
        let mut known = Vec::new();
        let starts = self.all_attempts()?.into_iter().map(|attempt| {
            let kind = match known.contains(&attempt.work) {
                true => "resumed",
                false => "started",
            };
            known.push(attempt.work);
            Start::new(&attempt.prompt, kind, &attempt.worker)
        });
        Ok(starts.collect())
    }

    /// Returns how many attempts a work was charged.
    pub(crate) async fn attempts(&self, id: WorkId) -> Result<u32, String> {
        if let Some(reason) = lock(&self.parked).get(&id) {
            let count = reason.strip_prefix("after ").and_then(|reason| {
                let (count, _) = reason.split_once(" attempts")?;
                count.parse().ok()
            });
            return count.ok_or_else(|| reason.clone());
        }
        let mut attempts = self.all_attempts()?;
        attempts.retain(|attempt| attempt.work == id);
        let last = attempts.last().ok_or("the work has not begun")?;
        Ok(last.attempt - 1)
    }

    /// Returns everything that the engine has stored.
    pub(crate) async fn stored(&self) -> Result<Vec<String>, String> {
        let works = lock(&self.works).clone();
        let mut stored = Vec::new();
        for id in works {
            let path = format!("/InhouseWork/{id}/status");
            stored.push(self.post(&path, "").await?);
        }
        Ok(stored)
    }

    /// Kills the server, and starts it again after a time.
    pub(crate) async fn crash(&self, down: Duration) -> Result<(), String> {
        let mut server = self.server.write().await;
        server.crash();
        pass(down).await;
        server.restart().await.map_err(text)
    }

    /// Replaces our timeouts of turns by those of the server, as when they were not set.
    pub(crate) async fn use_timeouts_of_server(&self) -> Result<(), String> {
        let timeouts = json!({ "inactivity_timeout": "2s", "abort_timeout": "2s" }).to_string();
        let server = self.server.read().await;
        let changed = server.admin("PATCH", "/services/InhouseTurn", &timeouts);
        match changed.await.map_err(text)? {
            (200, _) => Ok(()),
            (status, body) => Err(format!("{status}: {body}")),
        }
    }

    fn all_attempts(&self) -> Result<Vec<Attempt>, String> {
        let lines = std::fs::read_to_string(self.directory.join(ATTEMPTS)).unwrap_or_default();
        let attempts = lines.lines().map(serde_json::from_str);
        attempts.collect::<Result<_, _>>().map_err(text)
    }

    async fn work(&self, id: WorkId, handler: &str) -> Result<WorkStatus, String> {
        let path = format!("/InhouseWork/{id}/{handler}");
        serde_json::from_str(&self.post(&path, "").await?).map_err(text)
    }

    /// Sends a request to the ingress, and returns the body of the response.
    async fn post(&self, path: &str, body: &str) -> Result<String, String> {
        let server = self.server.read().await;
        let response = timeout(DEADLINE, server.ingress("POST", path, body)).await;
        let response = response.map_err(|_| format!("{path}: no response"))?;
        match response.map_err(text)? {
            (200..300, body) => Ok(body),
            (status, body) => Err(format!("{path}: {status}: {body}")),
        }
    }
}

impl Workers {
    /// Reserves a port, which workers then share with the socket that reserves it.
    fn reserve(&self) -> u16 {
        let socket = share_port(0);
        let port = socket.local_addr().expect("the socket is bound").port();
        lock(&self.reserved).push(socket);
        port
    }

    /// Returns the port of a worker for the next connection, as a balancer that checks the health of its workers does.
    fn choose(&self) -> Option<u16> {
        let mut serving = lock(&self.serving);
        serving.retain(|worker| state(worker.pid).is_some());
        let healthy: Vec<_> = serving
            .iter()
            .filter(|worker| state(worker.pid) != Some('T'))
            .collect();
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        let chosen = healthy.get(next.checked_rem(healthy.len())?)?;
        Some(chosen.port)
    }
}

/// Runs the turns of a fleet in a worker process.
pub(crate) async fn serve(
    plan: &Plan,
    _: &PostgresStore,
    runner: impl RunTurn + 'static,
    shutdown: impl Future<Output = ()> + Send,
) -> Result<(), String> {
    let listener = share_port(plan.port).listen(128).map_err(text)?;
    let runner = Recorded {
        runner,
        worker: plan.name.clone(),
        directory: plan.records.clone(),
    };
    endpoint(runner)
        .max_attempts(plan.max_attempts)
        .retry_pause(RETRY_PAUSE)
        .grace(plan.grace)
        .serve(listener, shutdown)
        .await;
    Ok(())
}

/// A runner that records what it was given, and which questions its turns have asked.
struct Recorded<R> {
    runner: R,
    worker: String,
    directory: PathBuf,
}

#[async_trait]
impl<R: RunTurn> RunTurn for Recorded<R> {
    async fn run_turn_with(
        &self,
        work: &Work,
        stop: CancellationToken,
        events: &dyn TurnEvents,
    ) -> Result<Outcome, HostError> {
        let attempt = Attempt {
            work: work.id,
            prompt: work.prompt.clone(),
            worker: self.worker.clone(),
            attempt: work.attempt,
        };
        add_line(&self.directory.join(ATTEMPTS), &json!(attempt).to_string());
        let outcome = self.runner.run_turn_with(work, stop, events).await;
        if let Ok(Outcome::Deferred(questions)) = &outcome {
            for question in questions {
                let id = question.id.to_string();
                add_line(&self.directory.join(QUESTIONS), &id);
            }
        }
        outcome
    }

    fn slots(&self) -> usize {
        self.runner.slots()
    }
}

/// A host that has no turns, for the registration of the workers.
struct NoTurns;

#[async_trait]
impl RunTurn for NoTurns {
    async fn run_turn_with(
        &self,
        _: &Work,
        _: CancellationToken,
        _: &dyn TurnEvents,
    ) -> Result<Outcome, HostError> {
        unreachable!("there are no slots")
    }

    fn slots(&self) -> usize {
        0
    }
}

/// Registers the URL of the workers, at which a host without turns serves meanwhile.
async fn register_workers(server: &RestateServer, workers: &Workers, balancer: u16) {
    let port = workers.reserve();
    let listener = share_port(port).listen(128).expect("a reserved port");
    let shutdown = CancellationToken::new();
    let serve = endpoint(NoTurns).serve(listener, shutdown.clone().cancelled_owned());
    let pid = std::process::id();
    lock(&workers.serving).push(Serving { port, pid });
    let register = async {
        register(server, balancer).await;
        lock(&workers.serving).clear();
        shutdown.cancel();
    };
    tokio::join!(serve, register);
}

/// Starts an endpoint without a host. Registered last, it gets the requests for sessions and works.
async fn start_control(server: &RestateServer, max_attempts: u32) -> AbortOnDropHandle<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
    let listener = listener.expect("a loopback port");
    let port = listener.local_addr().expect("the socket is bound").port();
    let endpoint = control()
        .max_attempts(max_attempts)
        .retry_pause(RETRY_PAUSE);
    let serve = endpoint.serve(listener, std::future::pending());
    let control = AbortOnDropHandle::new(tokio::spawn(serve));
    register(server, port).await;
    control
}

async fn register(server: &RestateServer, port: u16) {
    let url = format!("http://{}:{port}", Ipv4Addr::LOCALHOST);
    let registered = timeout(DEADLINE, server.register(&url)).await;
    registered
        .expect("the endpoint answers")
        .expect("the endpoint is valid");
}

/// Returns a socket at a port of loopback that other sockets may have, too.
fn share_port(port: u16) -> TcpSocket {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_reuseport(true).expect("a new socket");
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    socket.bind(address).expect("a free or shared port");
    socket
}

/// Returns the state of a process; none if it is dead.
fn state(pid: u32) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The state follows the name, which may contain anything.
    let state = stat.rsplit_once(") ")?.1.chars().next()?;
    (!matches!(state, 'Z' | 'X')).then_some(state)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
