//! Which failures say something about the prompt.

use inhouse::Options;
use inhouse_fleet::{Host, HostErrorKind, StoreWorkspace, Work};
use inhouse_store::memory::MemoryStore;
use inhouse_store::{Append, SessionStore as _};
use inhouse_testkit::faulty_store::{Fault, FaultyStore, StoreCall};
use tokio_util::sync::CancellationToken;

use crate::support::{Machine, answer, done, key, play};

/// Every host reads the same, so the attempts have to end.
#[tokio::test(start_paused = true)]
async fn session_that_cannot_be_read_is_a_failed_attempt() {
    let machine = Machine::new();
    let host = machine.host();
    let [first, second] = ["One", "Two"].map(|prompt| Work::new("a", prompt));
    let cli = machine.cli();
    let (outcome, _) = play(&host, &first, answer(cli, &first, "1")).await;
    done(outcome);
    let store = machine.store.inner();
    let results = key(&first).stream("results").unwrap();
    let epoch = store.fence(&key(&first), None).await.unwrap();
    let end = store.end(&results).await.unwrap();
    let torn = Append::new(epoch, end, ["{"]);
    store.append(&results, &torn).await.unwrap();

    let outcome = host.run_turn(&second, CancellationToken::new()).await;
    let error = outcome.unwrap_err();
    assert_eq!(error.kind(), HostErrorKind::Session, "{error}");
    assert!(error.counts());
}

/// The disk of a host is full or read-only.
#[tokio::test(start_paused = true)]
async fn session_directory_that_cannot_be_written_is_a_failed_attempt() {
    let machine = Machine::new();
    let file = tempfile::NamedTempFile::new().unwrap();
    let root = file.path().join("sessions");
    let host = Host::new(machine.store.clone(), async move |_: &Work| {
        Ok(Options::new().session_root(root))
    });
    let host = machine.with_transports(host);
    let _cli = machine.cli();
    let work = Work::new("a", "Hello");
    let outcome = host.run_turn(&work, CancellationToken::new()).await;
    let error = outcome.unwrap_err();
    assert_eq!(error.kind(), HostErrorKind::Session, "{error}");
    assert!(error.counts());
}

/// A store that answers too late says nothing about the prompt.
#[tokio::test(start_paused = true)]
async fn session_that_is_not_loaded_in_time_is_no_failed_attempt() {
    let machine = Machine::new();
    let host = machine.host();
    let [first, second] = ["One", "Two"].map(|prompt| Work::new("a", prompt));
    let cli = machine.cli();
    let (outcome, _) = play(&host, &first, answer(cli, &first, "1")).await;
    done(outcome);
    let (store, root) = (machine.store.clone(), tempfile::tempdir().unwrap());
    let sessions = root.path().to_owned();
    let host = Host::new(machine.store.clone(), async move |_: &Work| {
        // The options are made after the history was read, and before the session is loaded.
        store.faults().always(StoreCall::Load, Fault::Hang);
        Ok(Options::new().session_root(&sessions))
    });
    let host = machine.with_transports(host);
    let _cli = machine.cli();
    let outcome = host.run_turn(&second, CancellationToken::new()).await;
    let error = outcome.unwrap_err();
    assert_eq!(error.kind(), HostErrorKind::Store, "{error}");
    assert!(!error.counts());
}

#[tokio::test(start_paused = true)]
async fn unavailable_store_of_a_workspace_is_no_failed_attempt() {
    let (machine, root) = (Machine::new(), tempfile::tempdir().unwrap());
    let files = FaultyStore::new(MemoryStore::new());
    files.faults().always(StoreCall::File, Fault::Fail);
    let workspace = StoreWorkspace::new(files, root.path());
    let host = machine.host().workspace(workspace);
    let work = Work::new("a", "Hello");
    let outcome = host.run_turn(&work, CancellationToken::new()).await;
    let error = outcome.unwrap_err();
    assert_eq!(error.kind(), HostErrorKind::Store, "{error}");
    assert!(!error.counts());
}
