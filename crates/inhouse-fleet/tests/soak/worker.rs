//! A worker of a fleet, as a separate process that follows a [`Plan`].

use std::env;
use std::fs::OpenOptions;
use std::future::pending;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use inhouse::hook::Matcher;
use inhouse::launch::Launch;
use inhouse::message::Message;
use inhouse::tool::{Tool, ToolServer};
use inhouse::transport::{ChildTransport, Connection, Transport};
use inhouse::{HandlerError, Options};
use inhouse_fleet::{
    Answer, Fence, Host, HostError, Outcome, PreparedWorkspace, Question, RunTurn, SharedVolume,
    StoreWorkspace, TurnEvents, Work, Workspace, WorkspaceError, async_trait,
};
use inhouse_store::postgres::PostgresStore;
use inhouse_testkit::Isolation;
use inhouse_testkit::faulty_store::{Fault, Faults, FaultyStore, StoreCall};
use inhouse_testkit::host::{HostProcess, exit_with_test, report, this_test};
use inhouse_testkit::soak::{CHECK_INTERVAL, is_dead, pass};
use serde::{Deserialize, Serialize};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::interval;
use tokio_util::sync::CancellationToken;

use crate::engine;

/// The variable with the plan, as JSON.
const PLAN: &str = "INHOUSE_SOAK_PLAN";

/// The header by which the model knows the worker whose CLI asks.
pub(crate) const WORKER: &str = "x-worker";

/// The result of the tool `note`.
pub(crate) const NOTED: &str = "noted";

/// The beginning of prompts whose options cannot be made, and the reason.
pub(crate) const FAIL: (&str, &str) = ("Fail", "the tenant has no account");

/// What a worker does until it gets SIGTERM.
///
/// The worker reports `serving` at its start, `cli` with the pid of each CLI that it starts, and `overlap` before that if another CLI of
/// the same session is alive. A call of its tool `note` is reported as `began` and `ended`, with the prompt; a turn as `outcome`, with the
/// prompt and the outcome. At its [point](Self::point) it reports `reached`, and goes no further. The end is `served`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Plan {
    pub(crate) name: String,
    /// The CLI, if it is another one than that of the scene.
    pub(crate) cli: Option<PathBuf>,
    /// The URL of the database.
    pub(crate) database: String,
    /// The directory for session directories. Workers that run at the same time are on different machines, and have different ones.
    pub(crate) machine: PathBuf,
    /// The directory for workspaces.
    pub(crate) workspaces: PathBuf,
    /// Whether workspaces are kept in the store; otherwise the directory is a shared volume.
    pub(crate) stores_files: bool,
    /// The directory with a file for each session that lists the pids of its CLIs.
    pub(crate) clis: PathBuf,
    /// A file to which each call of the tool adds the prompt.
    pub(crate) effects: PathBuf,
    /// The directory of the test, for files of the engine.
    pub(crate) records: PathBuf,
    pub(crate) slots: usize,
    /// For how long leases are taken, and after what time without a heartbeat the worker is dead.
    pub(crate) lease: Duration,
    pub(crate) grace: Duration,
    /// After how many attempts a prompt is parked.
    pub(crate) max_attempts: u32,
    /// How long a call of the tool takes after its effect.
    pub(crate) call_time: Duration,
    /// How much longer than usual the store takes to renew a lease.
    pub(crate) renewal_delay: Duration,
    /// Whether calls of the tool are questions to a person.
    pub(crate) asks: bool,
    pub(crate) point: Option<Point>,
    /// The port at which the engine reaches the worker, if it does.
    pub(crate) port: u16,
}

/// A point on the way from the queue to the release of a session, at which a worker waits to be killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Point {
    /// The worker serves, and has claimed nothing.
    Serving,
    /// The work is claimed, the session not leased.
    Claimed,
    /// The session is leased, the options are not made.
    Leased,
    /// The closure that makes the options runs.
    Options,
    /// The options are made, the workspace is not prepared.
    OptionsMade,
    /// The workspace is prepared, the CLI not started.
    Prepared,
    /// The CLI is started, and has got nothing.
    CliStarted,
    /// The tool has ended, and nothing is stored any more; the model gets the result.
    Unstored,
    /// The result of the turn is stored and delivered, the CLI about to exit.
    Result,
    /// The CLI is dead and the workspace saved, the session not released.
    Release,
    /// The session is released, the database does not know the outcome.
    Untold,
}

impl Plan {
    /// Starts a worker that follows this plan.
    pub(crate) fn start(&self, isolation: &Isolation) -> HostProcess {
        let mut command = this_test("worker::worker").expect("the path of this test");
        let plan = serde_json::to_string(self).expect("a plan is JSON");
        command.env_clear().envs(isolation.host_env());
        command.env(PLAN, plan);
        HostProcess::start(command).expect("the test can start itself")
    }

    /// Sets the point at which the worker waits to be killed.
    pub(crate) fn until(mut self, point: Point) -> Self {
        self.point = Some(point);
        self
    }
}

/// After how many attempts a prompt is parked, unless a scenario sets another number. More than the deaths of workers and servers in any scenario:
/// Restate cannot always tell the death of a server from that of a worker, which is a failed attempt.
pub(crate) const MAX_ATTEMPTS: u32 = 20;

/// The worker process. Does nothing when it runs as an ordinary test.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn worker() {
    let (Some(isolation), Ok(plan)) = (Isolation::from_env(), env::var(PLAN)) else {
        return;
    };
    exit_with_test();
    let plan: Plan = serde_json::from_str(&plan).expect("a plan");
    let mut terminated = signal(SignalKind::terminate()).expect("a handler for SIGTERM");
    let store = PostgresStore::connect(&plan.database).await;
    let store = store.expect("the database is there");
    let faulty = FaultyStore::new(store.clone());
    let runner = Worker::runner(isolation, plan.clone(), faulty);
    report("serving", "");
    let shutdown = async move {
        terminated.recv().await;
    };
    match engine::serve(&plan, &store, runner, shutdown).await {
        Ok(()) => report("served", ""),
        Err(error) => report("served", error),
    }
}

struct Worker {
    isolation: Isolation,
    plan: Plan,
    faults: Faults,
}

impl Worker {
    fn runner(isolation: Isolation, plan: Plan, store: FaultyStore<PostgresStore>) -> Runner {
        let worker = Arc::new(Self {
            isolation,
            plan,
            faults: store.faults().clone(),
        });
        worker.plan_faults();
        let plan = &worker.plan;
        let workspace: Box<dyn Workspace> = match plan.stores_files {
            true => Box::new(StoreWorkspace::new(store.clone(), &plan.workspaces)),
            false => Box::new(SharedVolume::new(&plan.workspaces)),
        };
        let (maker, starter) = (Arc::clone(&worker), Arc::clone(&worker));
        let mut host = Host::new(store, async move |work: &Work| maker.options(work).await)
            .workspace(Waiting {
                worker: Arc::clone(&worker),
                workspace,
            })
            .transport(move |work: &Work| Starting {
                worker: Arc::clone(&starter),
                session: work.session_id().to_string(),
            })
            .lease_ttl(plan.lease)
            .slots(plan.slots);
        if plan.asks {
            host = host.ask(Matcher::tool("mcp__s__note"));
        }
        Runner { host, worker }
    }

    fn plan_faults(self: &Arc<Self>) {
        let delay = self.plan.renewal_delay;
        if !delay.is_zero() {
            self.faults.always(StoreCall::Renew, Fault::Delay(delay));
        }
        if self.plan.point == Some(Point::Release) {
            self.faults.always(StoreCall::Release, Fault::Hang);
            let worker = Arc::clone(self);
            tokio::spawn(async move {
                let mut checks = interval(CHECK_INTERVAL);
                while worker.faults.calls(StoreCall::Release) == 0 {
                    checks.tick().await;
                }
                worker.reach(Point::Release).await;
            });
        }
    }

    /// Goes no further if this is the point of the plan.
    async fn reach(&self, point: Point) {
        if self.plan.point == Some(point) {
            report("reached", format!("{point:?}"));
            pending::<()>().await;
        }
    }

    async fn options(self: Arc<Self>, work: &Work) -> Result<Options, HandlerError> {
        self.reach(Point::Options).await;
        if work.prompt.starts_with(FAIL.0) {
            return Err(HandlerError::new(FAIL.1));
        }
        let (plan, prompt) = (&self.plan, work.prompt.clone());
        let worker = Arc::clone(&self);
        let note = Tool::new("note", "Makes a note", move || {
            let (worker, prompt) = (Arc::clone(&worker), prompt.clone());
            async move { worker.note(&prompt).await }
        });
        let die = Tool::new("die", "Ends the host", || async {
            std::process::abort();
            #[expect(unreachable_code, reason = "a tool has a result")]
            ""
        });
        let mut options = self.isolation.options().session_root(&plan.machine);
        if let Some(cli) = &plan.cli {
            options = options.cli_path(cli);
        }
        Ok(options
            .env(
                "ANTHROPIC_CUSTOM_HEADERS",
                format!("{WORKER}: {}", plan.name),
            )
            .tool_server(ToolServer::new("s").tool(note).tool(die))
            .allow_tools(["mcp__s", "Bash"]))
    }

    async fn note(&self, prompt: &str) -> &'static str {
        add_line(&self.plan.effects, prompt);
        report("began", prompt);
        // The time of a call that does something.
        pass(self.plan.call_time).await;
        if self.plan.point == Some(Point::Unstored) {
            self.faults.always(StoreCall::Append, Fault::Hang);
        }
        report("ended", prompt);
        NOTED
    }
}

/// Runs turns with a host, up to the point of the plan.
struct Runner {
    host: Host,
    worker: Arc<Worker>,
}

#[async_trait]
impl RunTurn for Runner {
    async fn run_turn_with(
        &self,
        work: &Work,
        stop: CancellationToken,
        events: &dyn TurnEvents,
    ) -> Result<Outcome, HostError> {
        self.worker.reach(Point::Claimed).await;
        let mut end = EndOfTurn {
            prompt: &work.prompt,
            outcome: "dropped".to_owned(),
        };
        let events = Events {
            worker: &self.worker,
            events,
        };
        let outcome = self.host.run_turn_with(work, stop, &events).await;
        self.worker.reach(Point::Untold).await;
        end.outcome = match &outcome {
            Ok(Outcome::Done(_)) => "done".to_owned(),
            Ok(Outcome::Deferred(_)) => "deferred".to_owned(),
            Ok(Outcome::Cancelled) => "cancelled".to_owned(),
            Ok(Outcome::Fenced) => "fenced".to_owned(),
            Ok(other) => format!("{other:?}"),
            Err(error) => format!("{:?}: {error}", error.kind()),
        };
        outcome
    }

    fn slots(&self) -> usize {
        if self.worker.plan.point == Some(Point::Serving) {
            // The engine asks before it claims. Nothing is claimed without a slot.
            report("reached", "");
            return 0;
        }
        RunTurn::slots(&self.host)
    }
}

/// Reports the outcome of a turn, also if an engine drops it.
struct EndOfTurn<'a> {
    prompt: &'a str,
    outcome: String,
}

impl Drop for EndOfTurn<'_> {
    fn drop(&mut self) {
        report("outcome", format!("{} {}", self.prompt, self.outcome));
    }
}

struct Events<'a> {
    worker: &'a Worker,
    events: &'a dyn TurnEvents,
}

#[async_trait]
impl TurnEvents for Events<'_> {
    async fn started(&self, fence: &Fence) {
        self.worker.reach(Point::Leased).await;
        self.events.started(fence).await;
    }

    async fn message(&self, message: &Message) {
        if matches!(message, Message::Result(_)) {
            self.worker.reach(Point::Result).await;
        }
        self.events.message(message).await;
    }

    async fn question(&self, question: &Question) -> Result<Option<Answer>, HandlerError> {
        self.events.question(question).await
    }
}

struct Waiting {
    worker: Arc<Worker>,
    workspace: Box<dyn Workspace>,
}

#[async_trait]
impl Workspace for Waiting {
    async fn prepare(
        &self,
        work: &Work,
        fence: &Fence,
    ) -> Result<Box<dyn PreparedWorkspace>, WorkspaceError> {
        self.worker.reach(Point::OptionsMade).await;
        let prepared = self.workspace.prepare(work, fence).await;
        self.worker.reach(Point::Prepared).await;
        prepared
    }
}

/// Starts the CLI as usual, and notes its pid.
struct Starting {
    worker: Arc<Worker>,
    session: String,
}

impl Transport for Starting {
    async fn open(self, launch: &Launch) -> inhouse::Result<Connection> {
        let directory = &self.worker.plan.clis;
        std::fs::create_dir_all(directory).expect("the disk has space");
        let list = directory.join(&self.session);
        let before = std::fs::read_to_string(&list).unwrap_or_default();
        let before = before.lines().map(|pid| pid.parse().expect("a pid"));
        for pid in before.filter(|&pid| !is_dead(pid)) {
            report("overlap", pid);
        }
        let connection = ChildTransport.open(launch).await?;
        let pid = connection.peer.pid().expect("a process").to_string();
        add_line(&list, &pid);
        report("cli", pid);
        self.worker.reach(Point::CliStarted).await;
        Ok(connection)
    }
}

/// Adds a line to a file, which is one write.
pub(crate) fn add_line(path: &Path, line: &str) {
    let file = OpenOptions::new().create(true).append(true).open(path);
    let mut file = file.expect("the directory of the test is there");
    let line = format!("{line}\n");
    file.write_all(line.as_bytes()).expect("the disk has space");
}
