//! A Restate server, workers that share its deployment, and a runner whose prompts say what it does.

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use inhouse_fleet::{
    Answer, Fence, HostError, HostErrorKind, Outcome, Question, Reply, RunTurn, TurnEvents, Work,
    WorkId, async_trait,
};
use inhouse_restate::{AnswerRequest, Endpoint, Enqueued, Prompt, WorkState, WorkStatus, endpoint};
use inhouse_testkit::servers::RestateServer;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{Notify, OnceCell, Semaphore};
use tokio::task::JoinHandle;
use tokio::time::{interval, timeout};
use tokio_util::sync::CancellationToken;

const DEADLINE: Duration = Duration::from_secs(60);

/// How often a condition is checked that no event reports.
const CHECK_INTERVAL: Duration = Duration::from_millis(10);

/// A server with workers at one address.
pub(crate) struct World {
    pub(crate) server: RestateServer,
    pub(crate) shared: Arc<Shared>,
    pub(crate) port: Port,
    /// The URL of the workers for Restate.
    pub(crate) url: String,
    registered: OnceCell<()>,
}

/// A port of loopback that several workers share, as they do behind a load balancer.
pub(crate) struct Port {
    /// Keeps the port when no worker listens.
    _reserved: TcpSocket,
    pub(crate) address: SocketAddr,
}

/// What the workers of a fleet share: the answers in its store, and what the test sees and decides.
pub(crate) struct Shared {
    answers: Mutex<HashMap<WorkId, Reply>>,
    log: Mutex<Vec<String>>,
    logged: Notify,
    /// Ends turns that wait.
    pub(crate) gate: Semaphore,
    /// Ends turns that linger after they were stopped.
    pub(crate) lingering: Semaphore,
}

pub(crate) struct Worker {
    task: JoinHandle<()>,
    shutdown: CancellationToken,
}

struct Runner {
    shared: Arc<Shared>,
    slots: usize,
}

impl World {
    pub(crate) async fn start(settings: &str) -> Self {
        let port = Port::reserve();
        Self {
            server: RestateServer::start(settings).await.unwrap(),
            shared: Arc::new(Shared::new()),
            url: port.url(),
            port,
            registered: OnceCell::new(),
        }
    }

    /// Starts a server and one worker with many slots, whose failed turns are repeated quickly.
    pub(crate) async fn with_worker() -> (Self, Worker) {
        let world = Self::start("").await;
        let worker = world.worker(100, |endpoint| endpoint).await;
        (world, worker)
    }

    pub(crate) async fn worker(
        &self,
        slots: usize,
        configure: impl FnOnce(Endpoint) -> Endpoint,
    ) -> Worker {
        let runner = Runner {
            shared: Arc::clone(&self.shared),
            slots,
        };
        let endpoint = endpoint(runner).retry_pause(Duration::from_millis(10));
        let endpoint = configure(endpoint.max_attempts(3));
        let shutdown = CancellationToken::new();
        let stopped = shutdown.clone().cancelled_owned();
        let task = tokio::spawn(endpoint.serve(self.port.listen(), stopped));
        let register = async || self.server.register(&self.url).await.unwrap();
        within(self.registered.get_or_init(register)).await;
        Worker { task, shutdown }
    }

    /// Enqueues a prompt.
    pub(crate) async fn send(&self, session: &str, prompt: &Prompt) {
        self.enqueue(session, prompt).await.unwrap();
    }

    /// Enqueues a prompt, and returns the id of its work, or the status and the message of the error.
    pub(crate) async fn enqueue(
        &self,
        session: &str,
        prompt: &Prompt,
    ) -> Result<WorkId, (u16, String)> {
        let path = format!("/InhouseSession/{session}/enqueue");
        let (status, body) = self.post(&path, &json!(prompt)).await;
        match status {
            200 => Ok(serde_json::from_str::<Enqueued>(&body).unwrap().work),
            _ => Err((status, message(&body))),
        }
    }

    /// Sends a prompt one-way, which Restate accepts also when no worker runs.
    pub(crate) async fn send_one_way(&self, session: &str, query: &str, prompt: &Prompt) {
        let path = format!("/InhouseSession/{session}/prompt/send{query}");
        let (status, body) = self.post(&path, &json!(prompt)).await;
        assert_eq!(status, 202, "{body}");
    }

    /// Sends a prompt and waits for its reply, or the status and the message of its error.
    pub(crate) async fn call(
        &self,
        session: &str,
        prompt: &Prompt,
    ) -> Result<String, (u16, String)> {
        let path = format!("/InhouseSession/{session}/prompt");
        let (status, body) = self.post(&path, &json!(prompt)).await;
        match status {
            200 => Ok(serde_json::from_str::<Reply>(&body).unwrap().text.unwrap()),
            _ => Err((status, message(&body))),
        }
    }

    pub(crate) async fn answer(
        &self,
        work: WorkId,
        request: &AnswerRequest,
    ) -> Result<(), (u16, String)> {
        let path = format!("/InhouseWork/{work}/answer");
        let (status, body) = self.post(&path, &json!(request)).await;
        match status {
            200..300 => Ok(()),
            _ => Err((status, message(&body))),
        }
    }

    pub(crate) async fn cancel(&self, work: WorkId) -> WorkStatus {
        self.work(work, "cancel").await
    }

    pub(crate) async fn status(&self, work: WorkId) -> WorkStatus {
        self.work(work, "status").await
    }

    /// Waits until a work item has a state.
    pub(crate) async fn until(&self, work: WorkId, state: WorkState) -> WorkStatus {
        within(async {
            let mut checks = interval(CHECK_INTERVAL);
            loop {
                checks.tick().await;
                let status = self.status(work).await;
                if status.state == state {
                    return status;
                }
            }
        })
        .await
    }

    async fn work(&self, work: WorkId, handler: &str) -> WorkStatus {
        let path = format!("/InhouseWork/{work}/{handler}");
        let response = within(self.server.ingress("POST", &path, "")).await;
        let (status, body) = response.unwrap();
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).unwrap()
    }

    async fn post(&self, path: &str, body: &Value) -> (u16, String) {
        let body = body.to_string();
        let response = self.server.ingress("POST", path, &body);
        within(response).await.unwrap()
    }
}

impl Port {
    pub(crate) fn reserve() -> Self {
        let reserved = reuse_port((Ipv4Addr::LOCALHOST, 0).into());
        Self {
            address: reserved.local_addr().unwrap(),
            _reserved: reserved,
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Waits until no worker listens: each stops when it begins to drain.
    pub(crate) async fn closed(&self) {
        within(async {
            let mut checks = interval(CHECK_INTERVAL);
            while TcpStream::connect(self.address).await.is_ok() {
                checks.tick().await;
            }
        })
        .await;
    }

    pub(crate) fn listen(&self) -> TcpListener {
        reuse_port(self.address).listen(128).unwrap()
    }
}

impl Worker {
    /// Ends the worker as its death would: nothing is reported to Restate.
    pub(crate) async fn kill(self) {
        self.task.abort();
        let _ = within(self.task).await;
    }

    /// Asks the worker to shut down, and waits until it has.
    pub(crate) async fn shut_down(self) {
        self.shutdown.cancel();
        within(self.task).await.unwrap();
    }
}

impl Shared {
    fn new() -> Self {
        Self {
            answers: Mutex::default(),
            log: Mutex::default(),
            logged: Notify::new(),
            gate: Semaphore::new(0),
            lingering: Semaphore::new(0),
        }
    }

    pub(crate) fn log(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }

    /// Stores an answer, as a worker does before it reports the answer.
    pub(crate) fn answer(&self, work: WorkId, text: &str) {
        let Outcome::Done(reply) = done(&Work::new("a", "").with_id(work), text) else {
            unreachable!()
        };
        self.answers.lock().unwrap().insert(work, reply);
    }

    /// Returns the text of a stored answer.
    pub(crate) fn stored(&self, work: WorkId) -> Option<String> {
        self.answers.lock().unwrap().get(&work)?.text.clone()
    }

    fn add(&self, entry: String) {
        self.log.lock().unwrap().push(entry);
        self.logged.notify_waiters();
    }

    /// Waits until the log has an entry `count` times.
    pub(crate) async fn logged(&self, entry: &str, count: usize) {
        let logged = async {
            loop {
                let notified = self.logged.notified();
                if self.log().iter().filter(|e| *e == entry).count() >= count {
                    return;
                }
                notified.await;
            }
        };
        if timeout(DEADLINE, logged).await.is_err() {
            panic!("{entry:?} is not there {count} times: {:#?}", self.log());
        }
    }
}

#[async_trait]
impl RunTurn for Runner {
    async fn run_turn_with(
        &self,
        work: &Work,
        stop: CancellationToken,
        events: &dyn TurnEvents,
    ) -> Result<Outcome, HostError> {
        let shared = &*self.shared;
        if let Some(reply) = shared.answers.lock().unwrap().get(&work.id) {
            return Ok(Outcome::Done(reply.clone()));
        }
        shared.add(format!("begin {} #{}", work.prompt, work.attempt));
        let mut end = EndOfTurn {
            shared,
            work,
            how: "drop",
        };
        let outcome = turn(shared, work, stop, events).await;
        end.how = match &outcome {
            Ok(Outcome::Cancelled) => "stop",
            _ => "end",
        };
        if let Ok(Outcome::Done(reply)) = &outcome {
            let mut answers = shared.answers.lock().unwrap();
            answers.insert(work.id, reply.clone());
        }
        outcome
    }

    fn slots(&self) -> usize {
        self.slots
    }
}

/// Logs how a turn ended, also if it is dropped.
struct EndOfTurn<'a> {
    shared: &'a Shared,
    work: &'a Work,
    how: &'static str,
}

impl Drop for EndOfTurn<'_> {
    fn drop(&mut self) {
        let (how, prompt) = (self.how, &self.work.prompt);
        self.shared.add(format!("{how} {prompt}"));
    }
}

async fn turn(
    shared: &Shared,
    work: &Work,
    stop: CancellationToken,
    events: &dyn TurnEvents,
) -> Result<Outcome, HostError> {
    let (verb, rest) = work.prompt.split_once(' ').unwrap_or((&work.prompt, ""));
    match verb {
        "say" => Ok(done(work, rest)),
        "wait" => tokio::select! {
            permit = shared.gate.acquire() => {
                permit.unwrap().forget();
                Ok(done(work, rest))
            }
            () = stop.cancelled() => Ok(Outcome::Cancelled),
        },
        "linger" => {
            stop.cancelled().await;
            shared.add(format!("stopped {}", work.prompt));
            shared.lingering.acquire().await.unwrap().forget();
            Ok(Outcome::Cancelled)
        }
        "last" => {
            let duration = Duration::from_secs(rest.parse().unwrap());
            let _ = timeout(duration, std::future::pending::<()>()).await;
            Ok(done(work, "lasted"))
        }
        "fail" => Err(HostError::new(HostErrorKind::Agent, rest)),
        "recover" if work.attempt == 1 => Err(HostError::new(HostErrorKind::Agent, rest)),
        "recover" => Ok(done(work, rest)),
        "panic" => panic!("{rest}"),
        "ask" => ask(work, rest, events).await,
        _ => panic!("unknown prompt {:?}", work.prompt),
    }
}

/// Asks a question for each word. The reply has their answers.
async fn ask(work: &Work, calls: &str, events: &dyn TurnEvents) -> Result<Outcome, HostError> {
    let mut open = Vec::new();
    let mut answers = Vec::new();
    for call in calls.split(' ') {
        let input = RawValue::from_string(json!({ "call": call }).to_string()).unwrap();
        let question = Question::new(work, call, "mcp__bank__pay", input, fence(work));
        match events.question(&question).await.unwrap() {
            Some(Answer::Allow) => answers.push("yes".to_owned()),
            Some(Answer::Deny(reason)) => answers.push(format!("no: {reason}")),
            Some(other) => answers.push(format!("{other:?}")),
            None => open.push(question),
        }
    }
    match open.is_empty() {
        true => Ok(done(work, &answers.join(", "))),
        false => Ok(Outcome::Deferred(open)),
    }
}

fn done(work: &Work, text: &str) -> Outcome {
    let result = json!({ "type": "result", "is_error": false, "result": text });
    Outcome::Done(Reply::new(result.to_string(), fence(work)).unwrap())
}

fn fence(work: &Work) -> Fence {
    Fence::new("-srv-agents", work.session_id(), u64::from(work.attempt))
}

/// Waits for a future with a deadline.
pub(crate) async fn within<F: Future>(future: F) -> F::Output {
    timeout(DEADLINE, future)
        .await
        .expect("the deadline passed")
}

fn reuse_port(address: SocketAddr) -> TcpSocket {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_reuseport(true).unwrap();
    socket.bind(address).unwrap();
    socket
}

fn message(body: &str) -> String {
    let body: Value = serde_json::from_str(body).unwrap_or_else(|_| panic!("{body}"));
    body["message"].as_str().unwrap().to_owned()
}
