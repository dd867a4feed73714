//! Erasure of sessions: from the store, from the machine, and under a host that runs them.

use std::fs;

use inhouse::{Client, ErrorKind, Options, sessions};
use inhouse_store::memory::MemoryStore;
use inhouse_store::{Bytes, FilePath, Intent, Journal as _, Leases as _, Page, SessionStore as _};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use inhouse_testkit::faulty_store::{Fault, StoreCall};
use serde_json::json;

use crate::resume::{Machine, OTHER, SESSION, THIRD, user};
use crate::support::{failed, idle, seconds};

/// Stores a session with everything that a session can have.
async fn keep_everything(machine: &Machine, id: &str) {
    let entries = [user(OTHER, "Hello")];
    for subpath in [None, Some("subagents/agent-1"), Some("results")] {
        machine.keep(id, subpath, &entries).await;
    }
    let (store, session) = (machine.store.inner(), machine.session(id));
    let epoch = store.fence(&session, None).await.unwrap();
    let path = FilePath::new("tool-results/a.txt").unwrap();
    let text = || Bytes::from("{}");
    let put = store.put_file(&session, epoch, &path, text());
    put.await.unwrap();
    let intent = Intent::new("toolu_1", "charge", text(), text());
    store.intend(&session, epoch, &intent).await.unwrap();
    let finish = store.finish(&session, epoch, "toolu_1", text());
    finish.await.unwrap();
    let lease = store.acquire(&session, "gone", seconds(0));
    lease.await.unwrap();
}

async fn assert_gone(machine: &Machine, id: &str) {
    let (store, session) = (machine.store.inner(), machine.session(id));
    assert_eq!(store.read(&session.main()).await.unwrap().len(), 0);
    assert_eq!(store.subpaths(&session).await.unwrap(), []);
    assert_eq!(store.files(&session).await.unwrap(), []);
    assert_eq!(store.calls(&session).await.unwrap(), []);
    assert_eq!(store.holder(&session).await.unwrap(), None);
    let page = store.list(session.project(), &Page::first()).await.unwrap();
    assert!(page.sessions.iter().all(|other| other.key != session));
}

/// Leaves the directory of a host that was killed while its store was down.
fn leave_directory(machine: &Machine, id: &str) {
    let transcript = machine.path(id, &format!("{id}.jsonl"));
    fs::create_dir_all(transcript.parent().unwrap()).unwrap();
    fs::write(transcript, user(OTHER, "Hello")).unwrap();
    let unsent = format!("{id}.unsent.jsonl");
    fs::write(machine.directory(id).with_file_name(unsent), "{}").unwrap();
}

#[tokio::test(start_paused = true)]
async fn erased_session_is_gone_from_the_store_and_the_machine() {
    let machine = &Machine::new();
    for id in [SESSION, OTHER] {
        keep_everything(machine, id).await;
        leave_directory(machine, id);
    }
    sessions::erase(&machine.options(), SESSION).await.unwrap();
    assert_gone(machine, SESSION).await;
    assert!(!machine.directory(SESSION).exists());
    let kept = machine.session(OTHER);
    let calls = machine.store.inner().calls(&kept).await.unwrap();
    assert_eq!(calls.len(), 1);
    assert!(machine.directory(OTHER).exists());

    sessions::erase(&machine.options(), SESSION).await.unwrap();
    sessions::erase(&machine.options(), OTHER).await.unwrap();
    assert_gone(machine, OTHER).await;
    assert!(machine.is_empty());
}

#[tokio::test(start_paused = true)]
async fn host_that_runs_an_erased_session_is_fenced_and_leaves_nothing() {
    for writes in [true, false] {
        let machine = &Machine::new();
        let (transport, mut cli) = FakeCli::new();
        let options = machine.options().session_id(SESSION);
        let host = async {
            let mut client = Client::connect_with(options, transport).await?;
            client.send("Hello").await?.finish().await
        };
        let transcript = machine.path(SESSION, &format!("{SESSION}.jsonl"));
        let frame = json!({"type": "transcript_mirror", "filePath": transcript, "entries": [{"type": "x"}]});
        let cli = async move {
            cli.accept().await;
            cli.expect_prompt().await;
            cli.send(frame.clone()).await;
            idle().await;
            sessions::erase(&machine.options(), SESSION).await.unwrap();
            assert!(machine.directory(SESSION).exists(), "the CLI still runs");
            if writes {
                cli.send(frame).await;
                cli.state("running").await;
                cli.result("Hello.").await;
            }
            cli.expect_kill().await;
        };
        let (outcome, ()) = join(host, cli).await;
        let error = failed(outcome);
        assert_eq!(error.kind(), ErrorKind::Fenced);
        assert!(error.result().is_none());
        assert_gone(machine, SESSION).await;
        idle().await;
        assert!(machine.is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn idle_sessions_are_erased_with_their_directories() {
    let machine = &Machine::new();
    keep_everything(machine, SESSION).await;
    leave_directory(machine, SESSION);
    let other_project = machine.directory(OTHER).join("projects/-other");
    fs::create_dir_all(other_project).unwrap();
    let options = machine.options();
    let year = seconds(365 * 24 * 60 * 60);
    assert_eq!(sessions::erase_idle(&options, year).await.unwrap(), 0);
    assert!(machine.directory(SESSION).exists());

    assert_eq!(sessions::erase_idle(&options, seconds(0)).await.unwrap(), 1);
    assert_gone(machine, SESSION).await;
    assert!(!machine.directory(SESSION).exists());
    assert!(machine.directory(OTHER).exists(), "of another project");
}

/// The host was killed after it had removed the directory, and before it removed the file.
#[tokio::test(start_paused = true)]
async fn unsent_entries_without_a_directory_are_erased() {
    let machine = &Machine::new();
    let options = machine.options();
    let unsent = |id: &str| {
        let directory = machine.directory(id);
        directory.with_file_name(format!("{id}.unsent.jsonl"))
    };
    let project = machine.project();
    let header = |project: &str| format!("{}\n", json!({"project": project, "sessions": []}));
    fs::write(unsent(SESSION), header(project.as_str())).unwrap();
    fs::write(unsent(THIRD), "").unwrap();
    fs::write(unsent(OTHER), header("-other")).unwrap();
    let year = seconds(365 * 24 * 60 * 60);
    sessions::erase_idle(&options, year).await.unwrap();
    assert!(unsent(SESSION).exists() && unsent(THIRD).exists());

    sessions::erase_idle(&options, seconds(0)).await.unwrap();
    assert!(!unsent(SESSION).exists());
    assert!(!unsent(THIRD).exists(), "without a header");
    assert!(unsent(OTHER).exists(), "of another project");
}

#[tokio::test(start_paused = true)]
async fn erasure_of_a_large_session_takes_its_time() {
    let machine = &Machine::new();
    let options = machine.options();
    let slow = Fault::Delay(seconds(90));
    machine.store.faults().always(StoreCall::Erase, slow);
    keep_everything(machine, SESSION).await;
    sessions::erase(&options, SESSION).await.unwrap();
    assert_gone(machine, SESSION).await;

    for id in [SESSION, OTHER] {
        keep_everything(machine, id).await;
    }
    assert_eq!(sessions::erase_idle(&options, seconds(0)).await.unwrap(), 2);
    assert_gone(machine, SESSION).await;
    assert_gone(machine, OTHER).await;
}

#[tokio::test(start_paused = true)]
async fn idle_sessions_are_counted_over_failures_of_the_store() {
    let machine = &Machine::new();
    for id in [SESSION, OTHER] {
        keep_everything(machine, id).await;
    }
    let faults = machine.store.faults();
    for fault in [Fault::Fail, Fault::None, Fault::Fail, Fault::Fail] {
        faults.next(StoreCall::Erase, fault);
    }
    let erased = sessions::erase_idle(&machine.options(), seconds(0)).await;
    assert_eq!(erased.unwrap(), 2);
    assert_gone(machine, SESSION).await;
    assert_gone(machine, OTHER).await;
}

#[tokio::test(start_paused = true)]
async fn erasure_from_a_store_that_stays_down_fails() {
    for fault in [Fault::Fail, Fault::Hang] {
        let machine = &Machine::new();
        let options = machine.options();
        machine.store.faults().always(StoreCall::Erase, fault);
        let error = failed(sessions::erase(&options, SESSION).await);
        assert_eq!(error.kind(), ErrorKind::Store);
        let error = failed(sessions::erase_idle(&options, seconds(0)).await);
        assert_eq!(error.kind(), ErrorKind::Store);
    }
}

#[tokio::test(start_paused = true)]
async fn erasure_needs_a_store_and_an_id() {
    let error = failed(sessions::erase(&Options::new(), SESSION).await);
    assert_eq!(error.kind(), ErrorKind::Config);
    assert!(error.to_string().contains("sessions::delete"), "{error}");
    let options = Options::new().store(MemoryStore::new());
    let error = failed(sessions::erase(&options, "../other").await);
    assert_eq!(error.kind(), ErrorKind::Config);
}
