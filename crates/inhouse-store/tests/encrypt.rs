//! The battery on encrypted stores, and what access to the store inside allows.
#![cfg(all(feature = "encrypt", feature = "memory", feature = "sqlite"))]

use inhouse_store::encrypt::{EncryptedStore, EncryptionKeys};
use inhouse_store::memory::MemoryStore;
use inhouse_store::sqlite::SqliteStore;
use inhouse_store::{
    Append, Bytes, Epoch, FilePath, Intent, Journal, Page, Position, SessionKey, SessionStore,
    StoreErrorKind,
};
use inhouse_testkit::store_battery;
use sqlx::Connection as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use tempfile::tempdir;

const KEY: [u8; 32] = [7; 32];
const MARKER: &str = "the marker that nobody else may read";

#[tokio::test]
async fn encrypted_memory_store_passes_the_battery() {
    let inner = MemoryStore::new();
    let open = async || EncryptedStore::new(inner.clone(), EncryptionKeys::new(KEY));
    store_battery::run(open).await;
    store_battery::run_leases(open).await;
    store_battery::run_journal(open).await;
}

#[tokio::test]
async fn encrypted_sqlite_store_passes_the_battery() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("agents.db");
    let open = async || {
        let inner = SqliteStore::open(&path).await.unwrap();
        EncryptedStore::new(inner, EncryptionKeys::new(KEY))
    };
    store_battery::run(open).await;
    store_battery::run_leases(open).await;
    store_battery::run_journal(open).await;
}

#[cfg(feature = "object")]
#[tokio::test]
async fn encrypted_object_store_passes_the_battery_and_has_no_leases() {
    let backend = std::sync::Arc::new(object_store::memory::InMemory::new());
    let open = async || {
        let inner = inhouse_store::object::ObjectStore::new(backend.clone());
        EncryptedStore::new(inner, EncryptionKeys::new(KEY))
    };
    store_battery::run(open).await;
    let store = open().await;
    assert!(store.leases().is_none());
    assert!(store.journal().is_none());
}

#[tokio::test]
async fn no_content_is_readable_in_the_database() {
    let directory = tempdir().unwrap();
    let inner = SqliteStore::open(directory.path().join("agents.db"))
        .await
        .unwrap();
    let store = EncryptedStore::new(inner.clone(), EncryptionKeys::new(KEY));
    let (session, _) = filled(&store).await;
    assert_eq!(store.read(&session.main()).await.unwrap(), [MARKER; 3]);
    inner.close().await;
    for file in std::fs::read_dir(directory.path()).unwrap() {
        let path = file.unwrap().path();
        let content = std::fs::read(&path).unwrap();
        for marker in [MARKER, "marker", "nobody"] {
            let mut parts = content.windows(marker.len());
            let is_readable = parts.any(|part| part == marker.as_bytes());
            assert!(!is_readable, "{marker:?} in {}", path.display());
        }
    }
}

#[tokio::test]
async fn moved_records_do_not_decrypt() {
    let swaps = [
        "delete from inhouse_entry where stream = (select min(stream) from inhouse_entry) and position = 1;
         update inhouse_entry set position = 1 where stream = (select min(stream) from inhouse_entry) and position = 2",
        "update inhouse_stream set subpath = 'moved' where subpath <> ''",
        "update inhouse_stream set summary = (select body from inhouse_entry limit 1)",
        "update inhouse_file set path = 'moved'",
        "update inhouse_journal set input = message",
        "update inhouse_journal set result = input",
        "update inhouse_journal set tool = 'moved'",
        "update inhouse_journal set call = 'moved'",
    ];
    for swap in swaps {
        let directory = tempdir().unwrap();
        let path = directory.path().join("agents.db");
        let inner = SqliteStore::open(&path).await.unwrap();
        let store = EncryptedStore::new(inner, EncryptionKeys::new(KEY));
        let (session, _) = filled(&store).await;
        assert_eq!(failures(&store, &session).await, []);
        let options = SqliteConnectOptions::new().filename(&path);
        let mut connection = SqliteConnection::connect_with(&options).await.unwrap();
        sqlx::raw_sql(swap).execute(&mut connection).await.unwrap();
        let failures = failures(&store, &session).await;
        assert_eq!(failures, [StoreErrorKind::Corrupt], "{swap}");
    }
}

#[tokio::test]
async fn record_of_another_session_does_not_decrypt() {
    let inner = MemoryStore::new();
    let store = EncryptedStore::new(inner.clone(), EncryptionKeys::new(KEY));
    let (session, _) = filled(&store).await;
    let stolen = inner.read(&session.main()).await.unwrap();
    let other = SessionKey::new("project", "other").unwrap();
    let epoch = inner.fence(&other, None).await.unwrap();
    let append = Append::new(epoch, Position::START, stolen);
    inner.append(&other.main(), &append).await.unwrap();
    let error = store.read(&other.main()).await.unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Corrupt, "{error}");
}

#[tokio::test]
async fn unknown_key_is_an_error_that_says_so() {
    let inner = MemoryStore::new();
    let store = EncryptedStore::new(inner.clone(), EncryptionKeys::new(KEY));
    let (session, _) = filled(&store).await;
    let stranger = EncryptedStore::new(inner.clone(), EncryptionKeys::new([8; 32]));
    let failed = failures(&stranger, &session).await;
    assert_eq!(failed, [StoreErrorKind::UnknownKey; 5]);
    let error = stranger.read(&session.main()).await.unwrap_err();
    assert!(error.to_string().contains("add that key"), "{error}");

    let rotated = EncryptionKeys::new([8; 32]).also_read_with(KEY);
    let rotated = EncryptedStore::new(inner, rotated);
    assert_eq!(failures(&rotated, &session).await, []);
}

#[tokio::test]
async fn repeated_append_with_other_nonces_changes_nothing() {
    let inner = MemoryStore::new();
    let store = EncryptedStore::new(inner.clone(), EncryptionKeys::new(KEY));
    let (session, epoch) = filled(&store).await;
    let before = inner.read(&session.main()).await.unwrap();
    // The acknowledgement was lost; the writer repeats the append, with one more entry behind.
    let append = Append::new(epoch, Position::START, [MARKER; 4]);
    let end = store.append(&session.main(), &append).await.unwrap();
    assert_eq!(end, Position::new(4));
    let after = inner.read(&session.main()).await.unwrap();
    assert_eq!(after[..3], before);
    assert_eq!(store.read(&session.main()).await.unwrap(), [MARKER; 4]);
}

/// Creates a session with the marker everywhere.
async fn filled(store: &(impl SessionStore + Journal)) -> (SessionKey, Epoch) {
    let session = SessionKey::new("project", "session").unwrap();
    let epoch = store.fence(&session, None).await.unwrap();
    let append = Append::new(epoch, Position::START, [MARKER; 3]).summary(MARKER);
    for stream in [session.main(), session.stream("sub").unwrap()] {
        store.append(&stream, &append).await.unwrap();
    }
    let marker = || Bytes::from(MARKER);
    let path = FilePath::new("tool-results/a.txt").unwrap();
    let put = store.put_file(&session, epoch, &path, marker());
    put.await.unwrap();
    let intent = Intent::new("toolu_1", "charge", marker(), marker());
    store.intend(&session, epoch, &intent).await.unwrap();
    let finish = store.finish(&session, epoch, "toolu_1", marker());
    finish.await.unwrap();
    (session, epoch)
}

/// Reads everything; returns the errors.
async fn failures(
    store: &(impl SessionStore + Journal),
    session: &SessionKey,
) -> Vec<StoreErrorKind> {
    let mut failures = vec![store.read(&session.main()).await.err()];
    for stream in store.subpaths(session).await.unwrap() {
        failures.push(store.read(&stream).await.err());
    }
    for file in store.files(session).await.unwrap() {
        failures.push(store.file(session, &file.path).await.err());
    }
    failures.push(store.list(session.project(), &Page::first()).await.err());
    failures.push(store.calls(session).await.err());
    let failures = failures.into_iter().flatten();
    failures.map(|error| error.kind()).collect()
}
