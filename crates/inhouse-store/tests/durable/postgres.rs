//! PostgreSQL.

mod locks;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use inhouse_store::postgres::PostgresStore;
use inhouse_store::{
    Append, Bytes, Intent, Journal, Leases, Position, SessionKey, SessionStore, StoreErrorKind,
};
use inhouse_testkit::servers::PostgresServer;
use inhouse_testkit::store_battery;

#[tokio::test(flavor = "multi_thread")]
async fn postgres_store_passes_the_battery() {
    let server = PostgresServer::start().unwrap();
    let open = async || PostgresStore::connect(&server.url()).await.unwrap();
    store_battery::run(open).await;
    store_battery::run_leases(open).await;
    store_battery::run_journal(open).await;
}

#[tokio::test]
async fn schema_is_created_by_several_at_once_and_a_newer_one_refused() {
    let server = PostgresServer::start().unwrap();
    let url = server.url();
    let open = async || PostgresStore::connect(&url).await;
    let stores = tokio::join!(open(), open(), open(), open());
    for store in [stores.0, stores.1, stores.2, stores.3] {
        store.unwrap().close().await;
    }

    let pool = sqlx::PgPool::connect(&url).await.unwrap();
    sqlx::query(
        "insert into inhouse_migrations (version, description, success, checksum, execution_time)
         values (2, 'later', true, '\\x00', 0)",
    )
    .execute(&pool)
    .await
    .unwrap();
    // Twice: the first failure must not leave a lock behind.
    for _ in 0..2 {
        let error = PostgresStore::from_pool(pool.clone()).await.unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::TooNew, "{error}");
    }
}

#[tokio::test]
async fn bad_url_is_invalid() {
    let error = PostgresStore::connect("no url").await.unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Invalid, "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn acknowledged_writes_survive_a_crash_of_the_server() {
    let mut server = PostgresServer::start().unwrap();
    let store = PostgresStore::connect(&server.url()).await.unwrap();
    let session = SessionKey::new("project", "session").unwrap();
    let main = session.main();
    let lease = store
        .acquire(&session, "one", Duration::from_secs(3600))
        .await;
    let lease = lease.unwrap();

    // The writer repeats what was not acknowledged, while the server crashes several times in between.
    let acknowledged = Arc::new(Mutex::new(0));
    let writer = tokio::spawn({
        let (store, main, lease) = (store.clone(), main.clone(), lease.clone());
        let acknowledged = acknowledged.clone();
        async move {
            for number in 0..300 {
                let entry = Bytes::from(format!("{{\"number\":{number}}}"));
                let append = Append::new(lease.epoch, Position::new(number), [entry]);
                loop {
                    match store.append(&main, &append).await {
                        Ok(end) => break assert_eq!(end, append.end()),
                        Err(error) => assert!(error.is_retryable(), "{error}"),
                    }
                }
                *acknowledged.lock().unwrap() = number + 1;
            }
        }
    });
    for crash in 1..=3 {
        while *acknowledged.lock().unwrap() < crash * 50 {
            tokio::task::yield_now().await;
        }
        let before = *acknowledged.lock().unwrap();
        tokio::task::block_in_place(|| {
            server.crash();
            server.restart().unwrap();
        });
        let fresh = PostgresStore::connect(&server.url()).await.unwrap();
        assert!(fresh.end(&main).await.unwrap() >= Position::new(before));
    }
    writer.await.unwrap();
    let expected = (0..300).map(|number| format!("{{\"number\":{number}}}"));
    assert!(store.read(&main).await.unwrap().into_iter().eq(expected));
    store
        .renew(&lease, Duration::from_secs(3600))
        .await
        .unwrap();
    let intent = Intent::new("toolu_1", "tool", "{}", "{}");
    let result = store.intend(&session, lease.epoch, &intent).await.unwrap();
    assert_eq!(result, None);
}
