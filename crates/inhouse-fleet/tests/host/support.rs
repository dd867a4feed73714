//! A store, a host, and the CLIs that it starts.

use std::collections::VecDeque;
use std::future::{Future, pending};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use inhouse::Options;
use inhouse_fleet::{Host, HostError, Outcome, Reply, Work};
use inhouse_store::memory::MemoryStore;
use inhouse_store::{SessionKey, SessionStore as _};
use inhouse_testkit::faulty_store::FaultyStore;
use inhouse_testkit::{FakeCli, FakeTransport};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

pub(crate) const PROJECT: &str = "inhouse-fleet";

/// The CLIs that a host starts, in this order.
#[derive(Clone, Default)]
pub(crate) struct Transports(Arc<Mutex<VecDeque<FakeTransport>>>);

/// A store, and a machine with a host.
pub(crate) struct Machine {
    pub(crate) store: FaultyStore<MemoryStore>,
    pub(crate) transports: Transports,
    sessions: Arc<TempDir>,
}

impl Machine {
    pub(crate) fn new() -> Self {
        Self::with(FaultyStore::new(MemoryStore::new()))
    }

    /// Creates another machine with the same store.
    pub(crate) fn beside(other: &Self) -> Self {
        Self::with(other.store.clone())
    }

    fn with(store: FaultyStore<MemoryStore>) -> Self {
        Self {
            store,
            transports: Transports::default(),
            sessions: Arc::new(tempfile::tempdir().unwrap()),
        }
    }

    /// Returns the next CLI that the host starts.
    pub(crate) fn cli(&self) -> FakeCli {
        let (transport, cli) = FakeCli::new();
        self.transports.0.lock().unwrap().push_back(transport);
        cli
    }

    pub(crate) fn host(&self) -> Host {
        let sessions = Arc::clone(&self.sessions);
        let host = Host::new(self.store.clone(), async move |_: &Work| {
            Ok(Options::new().session_root(sessions.path()))
        });
        self.with_transports(host)
    }

    /// Lets a host start the CLIs of this machine.
    pub(crate) fn with_transports(&self, host: Host) -> Host {
        let transports = self.transports.clone();
        host.transport(move |_: &Work| {
            let next = transports.0.lock().unwrap().pop_front();
            next.expect("a CLI is expected to start")
        })
    }

    pub(crate) fn has_started_all(&self) -> bool {
        self.transports.0.lock().unwrap().is_empty()
    }

    /// Returns the results of a session in the store.
    pub(crate) async fn results(&self, work: &Work) -> Vec<String> {
        let stream = key(work).stream("results").unwrap();
        let results = self.store.inner().read(&stream).await.unwrap();
        let texts = results.iter().map(|line| {
            let line: Value = serde_json::from_slice(line).unwrap();
            line["result"]["result"]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        });
        texts.collect()
    }
}

pub(crate) fn key(work: &Work) -> SessionKey {
    SessionKey::new(PROJECT, work.session_id().to_string()).unwrap()
}

/// Runs a host and its CLI, without stopping the turn.
pub(crate) async fn play<U>(
    host: &Host,
    work: &Work,
    cli: impl Future<Output = U>,
) -> (Result<Outcome, HostError>, U) {
    let turn = host.run_turn(work, CancellationToken::new());
    inhouse_testkit::fake::join(turn, cli).await
}

pub(crate) fn done(outcome: Result<Outcome, HostError>) -> Reply {
    match outcome {
        Ok(Outcome::Done(reply)) => reply,
        other => panic!("the turn is not done: {other:?}"),
    }
}

/// Mirrors the prompt of a work item, as the CLI does when the turn begins.
pub(crate) async fn mirror_prompt(cli: &mut FakeCli, work: &Work) {
    let entry = json!({
        "type": "user",
        "uuid": work.id.to_string(),
        "message": {"role": "user", "content": work.prompt},
    });
    mirror(cli, work, entry).await;
}

pub(crate) async fn mirror(cli: &mut FakeCli, work: &Work, entry: Value) {
    let path = format!("/c/projects/{PROJECT}/{}.jsonl", work.session_id());
    cli.send(json!({"type": "transcript_mirror", "filePath": path, "entries": [entry]}))
        .await;
}

/// Plays a CLI that answers the prompt of a work item.
pub(crate) async fn answer(mut cli: FakeCli, work: &Work, text: &str) -> FakeCli {
    cli.accept().await;
    let prompt = cli.expect_prompt().await;
    assert_eq!(prompt.uuid(), Some(&*work.id.to_string()));
    mirror_prompt(&mut cli, work).await;
    cli.turn(text).await;
    cli.expect_end_of_input().await;
    cli
}

/// Resolves when every other task is idle: the paused clock advances only then.
pub(crate) async fn idle() {
    pass(Duration::from_millis(1)).await;
}

pub(crate) async fn pass(time: Duration) {
    let passed = timeout(time, pending::<()>()).await;
    passed.expect_err("the future is always pending");
}

pub(crate) const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}
