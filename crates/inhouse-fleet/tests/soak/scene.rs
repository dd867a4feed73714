//! Both ends of a fleet whose workers are processes: the model and the database.

use std::path::PathBuf;
use std::time::Duration;

use inhouse_fleet::{Question, Work, WorkId};
use inhouse_store::postgres::PostgresStore;
use inhouse_store::{Bytes, SessionKey, SessionStore as _};
use inhouse_testkit::engine_battery::WorkEnd;
use inhouse_testkit::host::HostProcess;
use inhouse_testkit::servers::PostgresServer;
use inhouse_testkit::soak::DEADLINE;
use inhouse_testkit::{Isolation, ModelRequest, RealCli, ScriptedModel, Turn};
use tokio::time::timeout;
use uuid::Uuid;

use crate::engine::{Engine, Variant};
use crate::worker::{MAX_ATTEMPTS, Plan, WORKER};

/// The project of the sessions of a fleet.
const PROJECT: &str = "inhouse-fleet";

/// The lease of sessions and the time of a dead worker, unless a scenario sets another one.
pub(crate) const LEASE: Duration = Duration::from_secs(3);

/// How long a prompt may take, with those before it and the deaths of its workers.
const ANSWER: Duration = Duration::from_secs(300);

/// The model, the database and the directories of a fleet.
pub(crate) struct Scene {
    pub(crate) model: ScriptedModel,
    pub(crate) isolation: Isolation,
    pub(crate) store: PostgresStore,
    pub(crate) engine: Engine,
    /// The URL of the database.
    pub(crate) database: String,
    max_attempts: u32,
}

/// The beginning of an attempt.
#[derive(Debug, PartialEq)]
pub(crate) struct Start {
    pub(crate) prompt: String,
    /// `started` for the first attempt, `resumed` for others.
    pub(crate) kind: String,
    pub(crate) worker: String,
}

impl Scene {
    /// Creates a database on a server, and a model that answers by a script: it gets the name of the worker and the request.
    pub(crate) async fn new(
        cli: &RealCli,
        server: &PostgresServer,
        script: impl Fn(&str, &ModelRequest) -> Turn + Send + Sync + 'static,
    ) -> Self {
        Self::with(cli, server, Variant::USUAL, MAX_ATTEMPTS, script).await
    }

    /// Creates a scene with a variant of the engine, and a number of attempts after which a prompt is parked.
    pub(crate) async fn with(
        cli: &RealCli,
        server: &PostgresServer,
        variant: Variant,
        max_attempts: u32,
        script: impl Fn(&str, &ModelRequest) -> Turn + Send + Sync + 'static,
    ) -> Self {
        let model = ScriptedModel::start().await.expect("a loopback port");
        model.otherwise(move |request| script(worker_of(request), request));
        let isolation = cli.isolated(&model).expect("a temporary directory");
        let database = create_database(server).await;
        let store = PostgresStore::connect(&database).await;
        let store = store.expect("the database is there");
        let engine = Engine::start(&store, &isolation, variant, max_attempts).await;
        Self {
            model,
            isolation,
            store,
            engine,
            database,
            max_attempts,
        }
    }

    /// Returns the plan of a worker with one slot.
    pub(crate) fn plan(&self, name: &str) -> Plan {
        let root = self.isolation.root();
        Plan {
            name: name.to_owned(),
            cli: None,
            database: self.database.clone(),
            machine: root.join(format!("machine-{name}")),
            workspaces: root.join("workspaces"),
            stores_files: false,
            clis: root.join("clis"),
            effects: root.join("effects"),
            records: root.to_owned(),
            slots: 1,
            lease: LEASE,
            grace: DEADLINE,
            max_attempts: self.max_attempts,
            call_time: Duration::ZERO,
            renewal_delay: Duration::ZERO,
            asks: false,
            point: None,
            port: 0,
        }
    }

    pub(crate) fn start(&self, plan: &Plan) -> HostProcess {
        let mut plan = plan.clone();
        self.engine.prepare(&mut plan);
        let worker = plan.start(&self.isolation);
        self.engine.started(&plan, worker.pid());
        worker
    }

    pub(crate) async fn enqueue(
        &self,
        session: &str,
        prompts: &[&str],
    ) -> Result<Vec<WorkId>, String> {
        let mut ids = Vec::new();
        for prompt in prompts {
            ids.push(self.engine.enqueue(Work::new(session, *prompt)).await?);
        }
        Ok(ids)
    }

    /// Waits for the answer to a prompt.
    pub(crate) async fn answer(&self, id: WorkId) -> Result<String, String> {
        match self.end(id).await? {
            WorkEnd::Done(reply) => Ok(reply.text.unwrap_or_default()),
            end => Err(format!("work {id} is not answered: {end:?}")),
        }
    }

    /// Waits until a prompt is parked, and returns the reason.
    pub(crate) async fn parked(&self, id: WorkId) -> Result<String, String> {
        match self.end(id).await? {
            WorkEnd::Parked(reason) => Ok(reason),
            end => Err(format!("work {id} is not parked: {end:?}")),
        }
    }

    /// Waits until a prompt is cancelled.
    pub(crate) async fn cancelled(&self, id: WorkId) -> Result<(), String> {
        match self.end(id).await? {
            WorkEnd::Cancelled => Ok(()),
            end => Err(format!("work {id} is not cancelled: {end:?}")),
        }
    }

    async fn end(&self, id: WorkId) -> Result<WorkEnd, String> {
        let end = timeout(ANSWER, self.engine.end(id)).await;
        let Ok(end) = end else {
            let starts = self.starts().await?;
            let status = self.engine.status(id).await;
            let requests = self.model.conversation();
            let last = requests.last().map(ModelRequest::tool_results);
            return Err(format!(
                "work {id} has not ended: {status}, {starts:?}, {} model requests, the last one with {last:?}",
                requests.len()
            ));
        };
        end.map_err(|why| format!("work {id}: {why}"))
    }

    /// Waits for the next question of a work.
    pub(crate) async fn question(&self, id: WorkId) -> Result<Question, String> {
        let asked = timeout(DEADLINE, self.engine.question(id)).await;
        asked.unwrap_or_else(|_| Err(format!("work {id} has asked nothing")))
    }

    /// Returns the beginnings of all attempts, in their order.
    pub(crate) async fn starts(&self) -> Result<Vec<Start>, String> {
        self.engine.starts().await
    }

    /// Returns how many attempts a work was charged.
    pub(crate) async fn attempts(&self, id: WorkId) -> Result<u32, String> {
        self.engine.attempts(id).await
    }

    /// Returns the requests of the conversation that came from the CLIs of a worker.
    pub(crate) fn requests_of(&self, worker: &str) -> Vec<ModelRequest> {
        let mut requests = self.model.conversation();
        requests.retain(|request| worker_of(request) == worker);
        requests
    }

    /// Waits until the model has got a request.
    pub(crate) async fn request(
        &self,
        accepts: impl Fn(&ModelRequest) -> bool,
    ) -> Result<ModelRequest, String> {
        let found = async {
            loop {
                let request = self.model.next_request(DEADLINE).await.map_err(text)?;
                if accepts(&request) {
                    return Ok(request);
                }
            }
        };
        let found = timeout(DEADLINE, found).await;
        found.unwrap_or_else(|_| Err("the model has not got the request".to_owned()))
    }

    /// Returns how often the tool took effect in turns of a prompt.
    pub(crate) fn effects(&self, prompt: &str) -> usize {
        let lines = std::fs::read_to_string(self.isolation.root().join("effects"));
        let lines = lines.unwrap_or_default();
        lines.lines().filter(|line| *line == prompt).count()
    }

    /// Returns the directory of a session in the workspaces of the plans.
    pub(crate) fn workspace(&self, session: &str) -> PathBuf {
        let id = Work::new(session, "").session_id();
        self.isolation
            .root()
            .join("workspaces")
            .join(id.to_string())
    }

    /// Returns the key of a session in the store.
    pub(crate) fn key(&self, session: &str) -> SessionKey {
        let id = Work::new(session, "").session_id();
        SessionKey::new(PROJECT, id.to_string()).expect("a safe key")
    }

    /// Returns the stored transcript of a session.
    pub(crate) async fn entries(&self, session: &str) -> Result<Vec<Bytes>, String> {
        let main = self.key(session).main();
        self.store.read(&main).await.map_err(text)
    }

    /// Returns the stored results of a session, as they are.
    pub(crate) async fn results(&self, session: &str) -> Result<Vec<Bytes>, String> {
        let results = self.key(session).stream("results").map_err(text)?;
        self.store.read(&results).await.map_err(text)
    }
}

impl Start {
    pub(crate) fn new(prompt: &str, kind: &str, worker: &str) -> Self {
        Self {
            prompt: prompt.to_owned(),
            kind: kind.to_owned(),
            worker: worker.to_owned(),
        }
    }
}

/// Returns the name of the worker whose CLI made a request.
pub(crate) fn worker_of(request: &ModelRequest) -> &str {
    request.header(WORKER).unwrap_or("")
}

/// Returns the text of an error.
pub(crate) fn text(error: impl ToString) -> String {
    error.to_string()
}

/// Ends a worker with SIGTERM, and waits until it has handed over. It must not have started a CLI beside another one of the session.
pub(crate) async fn hand_over(mut worker: HostProcess) -> Result<(), String> {
    worker.terminate();
    loop {
        let event = worker.next_event(DEADLINE).await.map_err(text)?;
        match &*event.name {
            "overlap" => return Err(format!("CLI {} was alive", event.value)),
            "served" if event.value.is_empty() => break,
            "served" => return Err(event.value),
            _ => {}
        }
    }
    let status = worker.exited(DEADLINE).await.map_err(text)?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("the worker has exited with {status}")),
    }
}

async fn create_database(server: &PostgresServer) -> String {
    let url = server.url();
    let pool = sqlx::PgPool::connect(&url).await;
    let pool = pool.expect("the server is there");
    let name = format!("soak_{}", Uuid::new_v4().simple());
    let create = sqlx::AssertSqlSafe(format!("create database {name}"));
    let created = sqlx::query(create).execute(&pool).await;
    created.expect("a new name");
    pool.close().await;
    let (address, _) = url.rsplit_once('/').expect("a URL with a database");
    format!("{address}/{name}")
}
