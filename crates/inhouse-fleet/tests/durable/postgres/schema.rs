//! The schema of the database.

use inhouse_fleet::postgres::Fleet;
use inhouse_fleet::{FleetErrorKind, Work};

use super::support::Database;

#[tokio::test]
async fn schema_is_created_by_several_at_once_and_a_newer_one_refused() {
    let database = Database::create().await;
    let fleets: Vec<_> = (0..4).map(|_| Fleet::postgres(&database.store)).collect();
    let migrations = fleets.iter().map(Fleet::migrate);
    futures_util::future::try_join_all(migrations)
        .await
        .unwrap();

    database
        .execute(
            "insert into inhouse.migrations (version, description, success, checksum, execution_time)
             values (99, 'later', true, '\\x00', 0)",
        )
        .await;
    // A process that runs already is not affected.
    fleets[0].enqueue(Work::new("a", "prompt")).await.unwrap();
    // Twice: the first failure must not leave a lock behind.
    for _ in 0..2 {
        let error = Fleet::postgres(&database.store)
            .migrate()
            .await
            .unwrap_err();
        assert_eq!(error.kind(), FleetErrorKind::TooNew, "{error}");
    }
}

#[tokio::test]
async fn errors_name_neither_the_user_nor_the_address() {
    let database = Database::create().await;
    database.fleet.migrate().await.unwrap();
    database.store.close().await;
    let error = database
        .fleet
        .enqueue(Work::new("a", "prompt"))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), FleetErrorKind::Unavailable);
    assert!(error.is_retryable());
    let text = format!("{error} {error:?}");
    assert!(
        !text.contains("127.0.0.1") && !text.contains("postgres://"),
        "{text}"
    );
}
