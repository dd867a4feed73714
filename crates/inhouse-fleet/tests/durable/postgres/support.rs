//! A database for each test, on a server that the running tests share, and hosts with scripts instead of a CLI.

use std::pin::Pin;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use inhouse_fleet::postgres::Fleet;
use inhouse_fleet::{FleetError, HostError, Outcome, RunTurn, WorkId};
use inhouse_store::postgres::PostgresStore;
use inhouse_testkit::engine_battery::{ScriptedHost, ScriptedTurn};
use inhouse_testkit::servers::PostgresServer;
use tokio::task::JoinHandle;
use tokio::time::{interval, timeout};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// The future of a turn.
type Turn = Pin<Box<dyn Future<Output = Result<Outcome, HostError>> + Send>>;

/// How long anything may take that a test waits for.
pub(crate) const DEADLINE: Duration = Duration::from_secs(60);

/// How often a condition is checked that no event reports. Checks without a pause would take a core from the host that they wait for.
pub(crate) const CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// The server of the tests that run at the moment. The last one stops it.
static SERVER: Mutex<Weak<PostgresServer>> = Mutex::new(Weak::new());

pub(crate) struct Database {
    pub(crate) store: PostgresStore,
    /// The time of a dead host is short, and so are pauses.
    pub(crate) fleet: Fleet,
    pub(crate) url: String,
    _server: Arc<PostgresServer>,
}

impl Database {
    pub(crate) async fn create() -> Self {
        let server = tokio::task::spawn_blocking(|| {
            let mut shared = SERVER.lock().unwrap();
            shared.upgrade().unwrap_or_else(|| {
                let server = Arc::new(PostgresServer::start().unwrap());
                *shared = Arc::downgrade(&server);
                server
            })
        });
        let server = server.await.unwrap();
        let name = format!("test_{}", Uuid::new_v4().simple());
        let pool = sqlx::PgPool::connect(&server.url()).await.unwrap();
        // A collation that orders letters otherwise than bytes do, as most databases have. The servers before 15 have it only for columns.
        let collation = match server_version(&pool).await {
            150_000.. => "template template0 locale_provider icu icu_locale 'en-US'",
            _ => "",
        };
        let create = sqlx::AssertSqlSafe(format!("create database {name} {collation}"));
        sqlx::query(create).execute(&pool).await.unwrap();
        pool.close().await;
        let url = server.url();
        let (address, _) = url.rsplit_once('/').unwrap();
        let url = format!("{address}/{name}");
        let store = PostgresStore::connect(&url).await.unwrap();
        Self {
            fleet: quick(&store),
            store,
            url,
            _server: server,
        }
    }

    /// Starts a host.
    pub(crate) fn host<F, R>(&self, slots: usize, script: F) -> Host
    where
        F: Fn(Arc<ScriptedTurn>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Outcome, HostError>> + Send + 'static,
    {
        self.host_of(&self.fleet, slots, script)
    }

    /// Starts a host with other settings.
    pub(crate) fn host_of<F, R>(&self, fleet: &Fleet, slots: usize, script: F) -> Host
    where
        F: Fn(Arc<ScriptedTurn>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Outcome, HostError>> + Send + 'static,
    {
        let script = move |turn| Box::pin(script(turn)) as Turn;
        let runner = ScriptedHost::new(Arc::new(self.store.clone()), slots, script);
        Host::start(fleet, Arc::new(runner))
    }

    /// Returns the text of the answer to a work item.
    pub(crate) async fn answer_to(&self, id: WorkId) -> String {
        let reply = within(self.fleet.result(&id)).await.unwrap();
        reply.text.unwrap()
    }

    /// Executes a statement.
    pub(crate) async fn execute(&self, statement: &'static str) {
        sqlx::query(statement)
            .execute(self.store.pool())
            .await
            .unwrap();
    }

    /// Waits until a query returns true.
    pub(crate) async fn until(&self, query: &'static str) {
        self.until_within(DEADLINE, query).await;
    }

    /// Waits until a query returns true, with another deadline.
    pub(crate) async fn until_within(&self, deadline: Duration, query: &'static str) {
        let met = async {
            let mut checks = interval(CHECK_INTERVAL);
            loop {
                checks.tick().await;
                let query = sqlx::query_scalar(query);
                // None without a row.
                let met: Option<bool> = query.fetch_optional(self.store.pool()).await.unwrap();
                if met == Some(true) {
                    break;
                }
            }
        };
        timeout(deadline, met)
            .await
            .unwrap_or_else(|_| panic!("not true within {deadline:?}: {query}"));
    }
}

async fn server_version(pool: &sqlx::PgPool) -> i32 {
    let version = sqlx::query_scalar("select current_setting('server_version_num')::integer");
    version.fetch_one(pool).await.unwrap()
}

/// A fleet in which deaths are noticed soon and pauses are short.
pub(crate) fn quick(store: &PostgresStore) -> Fleet {
    Fleet::postgres(store)
        .host_ttl(Duration::from_secs(3))
        .poll_interval(Duration::from_millis(200))
        .grace(Duration::from_millis(200))
        .max_attempts(3)
        .retry_pause(Duration::from_millis(10), Duration::from_millis(50))
}

/// A host that is killed when it is dropped.
pub(crate) struct Host {
    task: JoinHandle<Result<(), FleetError>>,
    shutdown: CancellationToken,
}

impl Host {
    pub(crate) fn start(fleet: &Fleet, runner: Arc<dyn RunTurn>) -> Self {
        let shutdown = CancellationToken::new();
        let (fleet, token) = (fleet.clone(), shutdown.clone());
        let task = tokio::spawn(async move {
            let serve = fleet.serve_shared(runner, token.cancelled());
            serve.await
        });
        Self { task, shutdown }
    }

    /// Ends the host without letting it hand over.
    pub(crate) async fn kill(mut self) {
        self.task.abort();
        let _ = (&mut self.task).await;
    }

    /// Lets the host hand over, and waits for its end.
    pub(crate) async fn shut_down(self) {
        self.shutdown.cancel();
        self.ended().await;
    }

    /// Waits for the end of the host.
    pub(crate) async fn ended(mut self) {
        within(&mut self.task).await.unwrap().unwrap();
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Answers every prompt with "answer to" and the prompt.
pub(crate) async fn answer(turn: Arc<ScriptedTurn>) -> Result<Outcome, HostError> {
    let text = format!("answer to {}", turn.work.prompt);
    turn.done(&text).await
}

pub(crate) async fn within<F: Future>(future: F) -> F::Output {
    timeout(DEADLINE, future)
        .await
        .expect("done within the deadline")
}

/// Prompts in the order in which they began.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub(crate) fn push(&self, entry: impl Into<String>) {
        self.0.lock().unwrap().push(entry.into());
    }

    pub(crate) fn entries(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    /// Returns a script that logs the prompt and answers it.
    pub(crate) fn answering(&self) -> impl Fn(Arc<ScriptedTurn>) -> Turn + Send + Sync + 'static {
        let log = self.clone();
        move |turn| {
            log.push(turn.work.prompt.clone());
            Box::pin(answer(turn))
        }
    }
}
