//! The battery on SQLite, and what is particular to a file.
#![cfg(feature = "sqlite")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::TryStreamExt as _;
use futures_util::future::join_all;
use inhouse_store::sqlite::SqliteStore;
use inhouse_store::{
    Append, Bytes, FilePath, Intent, Journal, Leases, Position, SessionKey, SessionStore,
    StoreErrorKind,
};
use inhouse_testkit::store_battery;
use sqlx::Connection as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use tempfile::{TempDir, tempdir};
use tokio::time::MissedTickBehavior;

const HOUR: Duration = Duration::from_secs(3600);

/// Files that are opened by several at once.
const ROUNDS: usize = 30;

/// Sessions that are erased in one call.
const SESSIONS: usize = 200;

/// The pause between two renewals of a lease.
const PAUSE: Duration = Duration::from_millis(10);

/// The sessions after whose erasure the log is emptied.
const EMPTIED: usize = 100;

#[tokio::test]
async fn sqlite_store_passes_the_battery() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("agents.db");
    let open = async || SqliteStore::open(&path).await.unwrap();
    store_battery::run(open).await;
    store_battery::run_leases(open).await;
    store_battery::run_journal(open).await;
}

#[tokio::test]
async fn file_is_opened_by_several_at_once() {
    // One round rarely shows that two connections change the journal mode at the same time.
    for _ in 0..ROUNDS {
        let directory = tempdir().unwrap();
        let path = directory.path().join("agents.db");
        let open = async || SqliteStore::open(&path).await;
        let stores = tokio::join!(open(), open(), open(), open());
        for store in [stores.0, stores.1, stores.2, stores.3] {
            store.unwrap();
        }
    }
}

#[tokio::test]
async fn newer_schema_is_refused() {
    let (directory, store) = new_store().await;
    store.close().await;
    change(
        &directory,
        "insert into inhouse_migrations (version, description, success, checksum, execution_time)
         values (2, 'later', true, x'00', 0)",
    )
    .await;
    let error = open(&directory).await.unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::TooNew, "{error}");
}

#[tokio::test]
async fn file_that_is_no_database_is_unavailable() {
    let directory = tempdir().unwrap();
    std::fs::write(
        directory.path().join("agents.db"),
        "no database".repeat(500),
    )
    .unwrap();
    let error = open(&directory).await.unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Unavailable, "{error}");
}

#[tokio::test]
async fn damaged_body_is_corrupt() {
    let (directory, store) = new_store().await;
    let session = SessionKey::new("project", "session").unwrap();
    let epoch = store.fence(&session, None).await.unwrap();
    let append = Append::new(epoch, Position::START, [Bytes::from("a".repeat(5000))]);
    store.append(&session.main(), &append).await.unwrap();
    change(&directory, "update inhouse_entry set body = x'88130000ff'").await;
    let error = store.read(&session.main()).await.unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Corrupt, "{error}");
}

#[tokio::test]
async fn long_entry_is_compressed() {
    let (directory, store) = new_store().await;
    let session = SessionKey::new("project", "session").unwrap();
    let epoch = store.fence(&session, None).await.unwrap();
    let append = Append::new(epoch, Position::START, [Bytes::from("a".repeat(5000))]);
    store.append(&session.main(), &append).await.unwrap();
    let mut connection = connection(&directory).await;
    let length: i64 = sqlx::query_scalar("select length(body) from inhouse_entry")
        .fetch_one(&mut connection)
        .await
        .unwrap();
    assert!(length < 500, "{length}");
}

#[tokio::test]
async fn erased_session_leaves_no_byte_in_the_files() {
    let (directory, store) = new_store().await;
    let session = SessionKey::new("project", "session").unwrap();
    let epoch = store.fence(&session, None).await.unwrap();
    for stream in [session.main(), session.stream("results").unwrap()] {
        let entries = (0..100).map(|_| Bytes::from("the marker"));
        let append = Append::new(epoch, Position::START, entries).summary("the marker");
        store.append(&stream, &append).await.unwrap();
    }
    let path = FilePath::new("tool-results/a.txt").unwrap();
    let content = Bytes::from("the marker");
    store
        .put_file(&session, epoch, &path, content.clone())
        .await
        .unwrap();
    let intent = Intent::new("toolu_1", "charge", content.clone(), content.clone());
    store.intend(&session, epoch, &intent).await.unwrap();
    store
        .finish(&session, epoch, "toolu_1", content)
        .await
        .unwrap();
    assert!(contains(&directory, b"the marker"));

    store.erase(&session.into()).await.unwrap();
    assert!(!contains(&directory, b"the marker"));
}

/// Writes idle sessions with names in order, each with a different text.
async fn write_idle(store: &SqliteStore, sessions: usize) {
    for number in 0..sessions {
        let session = SessionKey::new("idle", format!("{number:03}")).unwrap();
        let epoch = store.fence(&session, None).await.unwrap();
        let append = Append::new(epoch, Position::START, [marker(number)]);
        store.append(&session.main(), &append).await.unwrap();
    }
}

fn marker(number: usize) -> String {
    format!("the marker {number:03}")
}

#[tokio::test]
async fn failed_erasure_of_idle_sessions_leaves_no_byte_of_those_it_erased() {
    let (directory, store) = new_store().await;
    write_idle(&store, 3).await;
    change(
        &directory,
        "create trigger refuse before delete on inhouse_session when old.session = '002'
         begin select raise(abort, 'refused'); end",
    )
    .await;
    let erased = store.erase_idle(Duration::ZERO, None);
    let erased: Result<Vec<SessionKey>, _> = erased.try_collect().await;
    erased.unwrap_err();
    for number in 0..2 {
        assert!(!contains(&directory, marker(number).as_bytes()), "{number}");
    }
    assert!(contains(&directory, marker(2).as_bytes()));
}

#[tokio::test]
async fn dropped_erasure_of_idle_sessions_leaves_bytes_of_the_last_ones_at_most() {
    let (directory, store) = new_store().await;
    write_idle(&store, SESSIONS).await;
    let mut erased = store.erase_idle(Duration::ZERO, None);
    for _ in 0..=EMPTIED {
        erased.try_next().await.unwrap().unwrap();
    }
    drop(erased);
    for number in 0..EMPTIED {
        assert!(!contains(&directory, marker(number).as_bytes()), "{number}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn leases_are_renewed_while_many_sessions_are_erased() {
    let (directory, store) = new_store().await;
    let other_process = open(&directory).await.unwrap();
    let mut leases = Vec::new();
    for (store, name) in [(&store, "one"), (&other_process, "other")] {
        let session = SessionKey::new("kept", name).unwrap();
        let lease = store.acquire(&session, name, HOUR).await.unwrap();
        leases.push((store, lease));
    }
    for number in 0..SESSIONS {
        let session = SessionKey::new("idle", number.to_string()).unwrap();
        let epoch = store.fence(&session, None).await.unwrap();
        let entries = (0..10).map(|_| Bytes::from("a".repeat(1000)));
        let append = Append::new(epoch, Position::START, entries);
        store.append(&session.main(), &append).await.unwrap();
    }
    let is_erased = AtomicBool::new(false);
    let erase = async {
        let erased = store.erase_idle(Duration::ZERO, None);
        let erased: Vec<SessionKey> = erased.try_collect().await.unwrap();
        is_erased.store(true, Ordering::Relaxed);
        erased.len()
    };
    let renewals = join_all(leases.iter().map(async |(store, lease)| {
        let mut renewals = 0;
        // With pauses, as a host does: otherwise the renewals of one process would keep the lock from those of the other.
        let mut interval = tokio::time::interval(PAUSE);
        interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while !is_erased.load(Ordering::Relaxed) {
            interval.tick().await;
            store.renew(lease, HOUR).await.unwrap();
            renewals += 1;
        }
        renewals
    }));
    let (erased, renewals) = tokio::join!(erase, renewals);
    assert_eq!(erased, SESSIONS);
    // One renewal begins before the erasure, and one may end after it.
    assert!(renewals.iter().all(|count| *count > 2), "{renewals:?}");
}

/// Returns whether a file of the directory contains some bytes.
fn contains(directory: &TempDir, bytes: &[u8]) -> bool {
    let files = std::fs::read_dir(directory.path()).unwrap();
    let mut contents = files.map(|file| std::fs::read(file.unwrap().path()).unwrap());
    contents.any(|content| content.windows(bytes.len()).any(|part| part == bytes))
}

#[tokio::test]
async fn closed_store_is_unavailable() {
    let (_directory, store) = new_store().await;
    store.close().await;
    let session = SessionKey::new("project", "session").unwrap();
    let error = store.fence(&session, None).await.unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Unavailable, "{error}");
    assert!(error.is_retryable());
}

async fn new_store() -> (TempDir, SqliteStore) {
    let directory = tempdir().unwrap();
    let store = open(&directory).await.unwrap();
    (directory, store)
}

async fn open(directory: &TempDir) -> inhouse_store::Result<SqliteStore> {
    SqliteStore::open(directory.path().join("agents.db")).await
}

async fn change(directory: &TempDir, statement: &'static str) {
    let mut connection = connection(directory).await;
    sqlx::query(statement)
        .execute(&mut connection)
        .await
        .unwrap();
}

async fn connection(directory: &TempDir) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(directory.path().join("agents.db"));
    SqliteConnection::connect_with(&options).await.unwrap()
}

#[cfg(unix)]
#[tokio::test]
async fn file_is_readable_only_by_its_user() {
    use std::os::unix::fs::PermissionsExt as _;

    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("agents.db");
    let store = SqliteStore::open(&path).await.unwrap();
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    store.close().await;
}
