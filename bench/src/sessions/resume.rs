//! Resuming a session from a store, up to the start of the CLI.

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use inhouse::launch::Launch;
use inhouse::sessions::project_key;
use inhouse::transport::{Connection, Transport};
use inhouse::{Options, query};
use inhouse_store::postgres::PostgresStore;
use inhouse_store::sqlite::SqliteStore;
use inhouse_store::{Append, Position, SessionKey, SessionStore};
use tokio::sync::oneshot;

use super::Transcript;
use crate::in_memory::{InMemoryCli, Load};
use crate::proc::process_cpu;
use crate::report::Report;

/// The number of entries that are appended at once.
const APPEND: usize = 500;

/// The database of the store.
#[derive(Clone, Copy, Debug)]
pub enum Database<'a> {
    /// A file in a temporary directory.
    Sqlite,
    /// A server with this URL.
    Postgres(&'a str),
}

/// Stores a session of this many bytes and resumes it some times.
///
/// # Errors
/// Returns an error if the store fails, or the session is not resumed.
pub async fn resume(
    database: Database<'_>,
    bytes: usize,
    rounds: usize,
) -> Result<Report, Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    let path = directory.path();
    let store: Arc<dyn SessionStore> = match database {
        Database::Sqlite => Arc::new(SqliteStore::open(path.join("agents.db")).await?),
        Database::Postgres(url) => Arc::new(PostgresStore::connect(url).await?),
    };
    let project = path.canonicalize()?;
    let id = Transcript::session_id(0);
    let session = SessionKey::new(project_key(&project.to_string_lossy()), &*id)?;
    fill(&*store, &session, bytes).await?;

    let root = path.join("sessions");
    let transcript = root.join(format!("{id}/projects/{}/{id}.jsonl", session.project()));
    let options = Options::new()
        .cwd(&project)
        .session_root(&root)
        .env("CLAUDE_CONFIG_DIR", path)
        .store(store)
        .resume(id);
    let mut walls = Vec::new();
    let mut cpus = Vec::new();
    for _ in 0..rounds {
        let (opened, open) = oneshot::channel();
        let transport = Timed {
            transport: InMemoryCli::new(Load::Calls(0), 0).transport(),
            transcript: transcript.clone(),
            opened,
        };
        let (begin, cpu) = (Instant::now(), process_cpu());
        let stream = query("Continue.")
            .options(options.clone())
            .transport(transport)
            .await?;
        let opened = open.await?;
        if opened.loaded_bytes < bytes as u64 {
            return Err("the session was not loaded".into());
        }
        walls.push((opened.at - begin).as_secs_f64() * 1e3);
        cpus.push((opened.cpu - cpu).as_secs_f64() * 1e3);
        stream.finish().await?;
    }
    walls.sort_by(f64::total_cmp);
    cpus.sort_by(f64::total_cmp);
    let mut report = Report::default();
    report.set("wall_ms", walls[rounds / 2]);
    report.set("min_ms", walls[0]);
    report.set("max_ms", walls[rounds - 1]);
    report.add_process()?;
    report.set("cpu_ms", cpus[rounds / 2]);
    Ok(report)
}

async fn fill(
    store: &dyn SessionStore,
    session: &SessionKey,
    bytes: usize,
) -> Result<(), Box<dyn Error>> {
    let epoch = store.fence(session, None).await?;
    let mut rest = bytes;
    let mut entries = Transcript::new(0).take_while(|line| {
        let is_taken = rest > 0;
        rest = rest.saturating_sub(line.len());
        is_taken
    });
    let mut end = Position::START;
    loop {
        let next: Vec<String> = entries.by_ref().take(APPEND).collect();
        if next.is_empty() {
            return Ok(());
        }
        end = store
            .append(&session.main(), &Append::new(epoch, end, next))
            .await?;
    }
}

/// A transport that reports when it is opened.
struct Timed<T> {
    transport: T,
    /// The transcript that is written before.
    transcript: PathBuf,
    opened: oneshot::Sender<Opened>,
}

struct Opened {
    at: Instant,
    cpu: Duration,
    loaded_bytes: u64,
}

impl<T: Transport + Sync> Transport for Timed<T> {
    async fn open(self, launch: &Launch) -> inhouse::Result<Connection> {
        let (at, cpu) = (Instant::now(), process_cpu());
        let loaded_bytes = std::fs::metadata(&self.transcript).map_or(0, |file| file.len());
        let _ = self.opened.send(Opened {
            at,
            cpu,
            loaded_bytes,
        });
        self.transport.open(launch).await
    }
}
