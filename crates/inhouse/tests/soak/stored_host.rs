//! A host whose session is in a store, as a separate process that follows a [`Plan`].

use std::fs::{File, OpenOptions};
use std::future::pending;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use std::{env, fs};

use inhouse::launch::Launch;
use inhouse::message::Prompt;
use inhouse::options::StoreFlush;
use inhouse::permission::{CanUseTool, Decision};
use inhouse::tool::{Interrupted, Repair, Tool, ToolServer};
use inhouse::transport::{ChildTransport, Connection, Transport};
use inhouse::{Asked, Client, Error, ErrorKind, Options, query};
use inhouse_store::SessionStore;
use inhouse_store::postgres::PostgresStore;
use inhouse_store::sqlite::SqliteStore;
use inhouse_testkit::Isolation;
use inhouse_testkit::faulty_store::{Fault, Faults, FaultyStore, StoreCall};
use inhouse_testkit::host::{HostProcess, exit_with_test, report, this_test};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::time::{interval, timeout};
use uuid::Uuid;

use crate::support::Rng;

/// The variable with the plan, as JSON.
const PLAN: &str = "INHOUSE_SOAK_PLAN";

/// The result of the tool.
pub(crate) const NOTED: &str = "noted";

/// The result of an interrupted call whose effect the tool has found.
pub(crate) const FOUND_OUT: &str = "the note is there";

/// How often a host tries to get a session that another one has.
const ATTEMPTS: Duration = Duration::from_millis(50);

/// What a host does. It resumes its session, or begins it if the store does not have it.
///
/// The host reports `connected` with the pid of the CLI, and `finished` with the answer as soon as the result of a prompt was
/// delivered. With the number of appends so far, it reports `asked` for a permission, `began` and `ended` for a call of its tool,
/// `result` when the CLI has written one to a recording, `delivered` when a client has got it, and `appends` when a client is
/// closed, then `others` with the numbers of the [other calls](PlannedCall). An error is reported as `failed`, with its kind.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Plan {
    /// A URL of PostgreSQL, or the path of a SQLite database.
    pub(crate) store: String,
    pub(crate) session: String,
    /// The directory for session directories. Hosts that run at the same time are on different machines, and have different ones.
    pub(crate) root: PathBuf,
    /// The prompts, with their ids.
    pub(crate) prompts: Vec<(String, String)>,
    /// Whether each prompt is a query; otherwise one client sends them all.
    pub(crate) queries: bool,
    /// Whether the host exits after its last prompt; otherwise it stays idle until it is killed.
    pub(crate) closes: bool,
    pub(crate) lease: Duration,
    pub(crate) flush: PlannedFlush,
    /// How long a call of the tool takes after its effect.
    pub(crate) call_time: Duration,
    /// Whether the tool only reads, and each call of it needs a permission; otherwise it is allowed to run and may change something.
    pub(crate) asks_to_read: bool,
    /// Whether the tool determines the outcome of an interrupted call.
    pub(crate) finds_out: bool,
    /// A file to which each call of the tool adds a line.
    pub(crate) effects: PathBuf,
    /// The faults of the first appends, in order.
    pub(crate) append_faults: Vec<PlannedFault>,
    /// The faults of other calls, for each call in order.
    pub(crate) other_faults: Vec<(PlannedCall, PlannedFault)>,
    /// A directory to which each call of the tool adds a file of the session.
    pub(crate) files: Option<PathBuf>,
    /// Whether appends hang from the end of the first call on.
    pub(crate) hangs_after_call: bool,
    /// The file that gets every byte which the CLI writes.
    pub(crate) recording: Option<PathBuf>,
}

/// A [`StoreFlush`] in a plan.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum PlannedFlush {
    EachFrame,
    EndOfTurn,
}

/// A [`StoreCall`] in a plan.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum PlannedCall {
    PutFile,
    Intend,
    Finish,
    Renew,
}

/// A [`Fault`] in a plan.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum PlannedFault {
    None,
    Fail,
    LoseAcknowledgement,
    Hang,
    HangAfterwards,
    /// The append takes 100 ms.
    Slow,
    /// The append takes 3 s.
    VerySlow,
}

impl Plan {
    /// Starts a host that follows this plan.
    pub(crate) fn start(&self, isolation: &Isolation) -> HostProcess {
        let mut command = this_test("stored_host::host").expect("the path of this test");
        let plan = serde_json::to_string(self).expect("a plan is JSON");
        command.env_clear().envs(isolation.host_env());
        command.env(PLAN, plan);
        HostProcess::start(command).expect("the test can start itself")
    }
}

/// Opens a store at the address of a [`Plan`].
pub(crate) async fn open_store(address: &str) -> inhouse_store::Result<Arc<dyn SessionStore>> {
    Ok(match address.starts_with("postgres://") {
        true => Arc::new(PostgresStore::connect(address).await?),
        false => Arc::new(SqliteStore::open(address).await?),
    })
}

/// The host process. Does nothing when it runs as an ordinary test.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn host() {
    let (Some(isolation), Ok(plan)) = (Isolation::from_env(), env::var(PLAN)) else {
        return;
    };
    exit_with_test();
    let plan: Plan = serde_json::from_str(&plan).expect("a plan");
    let store = open_store(&plan.store).await.expect("the store is there");
    let store = FaultyStore::new(store);
    for fault in &plan.append_faults {
        store.faults().next(StoreCall::Append, fault.fault());
    }
    for (call, fault) in &plan.other_faults {
        store.faults().next(call.call(), fault.fault());
    }
    let host = Host {
        isolation,
        plan,
        store,
    };
    if let Err(error) = host.run().await {
        report("failed", format!("{:?}: {error}", error.kind()));
    }
}

struct Host {
    isolation: Isolation,
    plan: Plan,
    store: FaultyStore<Arc<dyn SessionStore>>,
}

impl Host {
    async fn run(&self) -> Result<(), Error> {
        match self.plan.queries {
            true => self.run_queries().await?,
            false => self.run_client().await?,
        }
        if !self.plan.closes {
            pending::<()>().await;
        }
        Ok(())
    }

    async fn run_client(&self) -> Result<(), Error> {
        let connect = async |options| match &self.plan.recording {
            Some(path) => {
                let recorder = Recorder {
                    path: path.clone(),
                    faults: self.store.faults().clone(),
                };
                Client::connect_with(options, recorder).await
            }
            None => Client::connect(options).await,
        };
        let mut client = self.begin(connect).await?;
        report("connected", client.control().pid().expect("a process"));
        for (id, text) in &self.plan.prompts {
            let turn = client.send(Prompt::from(text.as_str()).uuid(id)).await?;
            let answer = turn.text().await?;
            report("delivered", appends(self.store.faults()));
            report("finished", answer);
        }
        if !self.plan.closes {
            pending::<()>().await;
        }
        client.close().await?;
        report("appends", appends(self.store.faults()));
        let others = PlannedCall::ALL.map(|call| self.store.faults().calls(call.call()));
        report("others", serde_json::to_string(&others).expect("numbers"));
        Ok(())
    }

    async fn run_queries(&self) -> Result<(), Error> {
        for (id, text) in &self.plan.prompts {
            let query = async |options| {
                let prompt = Prompt::from(text.as_str()).uuid(id);
                query(prompt).options(options).await
            };
            let stream = self.begin(query).await?;
            report("connected", stream.control().pid().expect("a process"));
            report("finished", stream.text().await?);
        }
        Ok(())
    }

    /// Resumes the session or begins it, as soon as no other host has it.
    async fn begin<T>(&self, begin: impl AsyncFn(Options) -> Result<T, Error>) -> Result<T, Error> {
        let id = &self.plan.session;
        let mut attempts = interval(ATTEMPTS);
        loop {
            attempts.tick().await;
            let mut begun = begin(self.options().resume(id)).await;
            if is_kind(&begun, ErrorKind::SessionNotFound) {
                begun = begin(self.options().session_id(id)).await;
            }
            if !is_kind(&begun, ErrorKind::Held) {
                return begun;
            }
        }
    }

    fn options(&self) -> Options {
        let call = Call {
            effects: self.plan.effects.clone(),
            time: self.plan.call_time,
            faults: self.store.faults().clone(),
            hangs_after: self.plan.hangs_after_call,
            files: self.plan.files.clone(),
        };
        let repaired = call.clone();
        let note = Tool::new("note", "Makes a note", move || {
            let call = call.clone();
            async move { call.run().await }
        });
        let mut note = note.read_only(self.plan.asks_to_read);
        if self.plan.finds_out {
            let repair = async move |_: Interrupted| Ok(repaired.repair());
            note = note.on_interrupted(repair);
        }
        let options = self
            .isolation
            .options()
            .store(self.store.clone())
            .session_root(&self.plan.root)
            .lease_ttl(self.plan.lease)
            .store_flush(self.plan.flush.flush())
            .tool_server(ToolServer::new("s").tool(note));
        if !self.plan.asks_to_read {
            return options.allow_tools(["mcp__s", "Bash"]);
        }
        let faults = self.store.faults().clone();
        options.permissions(move |_: Asked<CanUseTool>| {
            report("asked", appends(&faults));
            async { Ok(Decision::allow()) }
        })
    }
}

/// A call of the tool.
#[derive(Clone)]
struct Call {
    effects: PathBuf,
    time: Duration,
    faults: Faults,
    hangs_after: bool,
    files: Option<PathBuf>,
}

impl Call {
    async fn run(&self) -> &'static str {
        add_line(&self.effects);
        if let Some(directory) = &self.files {
            add_file(directory);
        }
        report("began", appends(&self.faults));
        // The time of a call that does something.
        let _ = timeout(self.time, pending::<()>()).await;
        if self.hangs_after {
            self.faults.always(StoreCall::Append, Fault::Hang);
        }
        report("ended", appends(&self.faults));
        NOTED
    }

    /// Determines the outcome of a call whose host was killed.
    fn repair(&self) -> Repair {
        match self.effects.exists() {
            true => Repair::result(FOUND_OUT),
            false => Repair::not_run(),
        }
    }
}

/// Returns the number of appends so far, repeated ones included.
fn appends(faults: &Faults) -> usize {
    faults.calls(StoreCall::Append)
}

fn add_line(path: &Path) {
    let file = OpenOptions::new().create(true).append(true).open(path);
    let mut file = file.expect("the directory of the test is there");
    file.write_all(b"effect\n").expect("the disk has space");
}

/// Adds a file with its own name as the content.
fn add_file(directory: &Path) {
    fs::create_dir_all(directory).expect("the directory of the test is there");
    let name = format!("{}.txt", Uuid::new_v4());
    fs::write(directory.join(&name), &name).expect("the disk has space");
}

fn is_kind<T>(result: &Result<T, Error>, kind: ErrorKind) -> bool {
    result.as_ref().is_err_and(|error| error.kind() == kind)
}

impl PlannedFlush {
    /// Returns one of the modes, each in half of all cases.
    pub(crate) fn random(rng: &mut Rng) -> Self {
        match rng.below(2) {
            0 => Self::EachFrame,
            _ => Self::EndOfTurn,
        }
    }

    fn flush(self) -> StoreFlush {
        match self {
            Self::EachFrame => StoreFlush::EachFrame,
            Self::EndOfTurn => StoreFlush::EndOfTurn,
        }
    }
}

impl PlannedCall {
    pub(crate) const ALL: [Self; 4] = [Self::PutFile, Self::Intend, Self::Finish, Self::Renew];

    fn call(self) -> StoreCall {
        match self {
            Self::PutFile => StoreCall::File,
            Self::Intend => StoreCall::Intend,
            Self::Finish => StoreCall::Finish,
            Self::Renew => StoreCall::Renew,
        }
    }
}

impl PlannedFault {
    fn fault(self) -> Fault {
        match self {
            Self::None => Fault::None,
            Self::Fail => Fault::Fail,
            Self::LoseAcknowledgement => Fault::LoseAcknowledgement,
            Self::Hang => Fault::Hang,
            Self::HangAfterwards => Fault::HangAfterwards,
            Self::Slow => Fault::Delay(Duration::from_millis(100)),
            Self::VerySlow => Fault::Delay(Duration::from_secs(3)),
        }
    }
}

/// Starts the CLI as usual, and writes what it writes to a file as well.
struct Recorder {
    path: PathBuf,
    faults: Faults,
}

impl Transport for Recorder {
    async fn open(self, launch: &Launch) -> inhouse::Result<Connection> {
        let mut connection = ChildTransport.open(launch).await?;
        connection.reader = Box::new(Recorded {
            reader: connection.reader,
            file: File::create(&self.path).expect("the directory of the test is there"),
            faults: self.faults,
            line: Vec::new(),
        });
        Ok(connection)
    }
}

struct Recorded {
    reader: Box<dyn AsyncRead + Send + Unpin>,
    file: File,
    faults: Faults,
    /// The line that is not complete.
    line: Vec<u8>,
}

impl AsyncRead for Recorded {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.reader).poll_read(cx, buffer))?;
        let new = &buffer.filled()[before..];
        self.file.write_all(new)?;
        for part in new.split_inclusive(|&byte| byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                let line = std::mem::take(&mut self.line);
                let message: Value = serde_json::from_slice(&line).unwrap_or_default();
                if message["type"] == "result" {
                    report("result", appends(&self.faults));
                }
            }
        }
        Poll::Ready(Ok(()))
    }
}
