//! What probes of an orchestrator see, and workers that cannot work at all.

use inhouse_fleet::postgres::{Fleet, FleetHealth};
use inhouse_fleet::{FleetErrorKind, Work};
use inhouse_store::postgres::PostgresStore;
use inhouse_testkit::engine_battery::ScriptedHost;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::support::{CHECK_INTERVAL, Database, answer, quick, within};

/// Waits until the health of a fleet satisfies a condition.
pub(super) async fn until_health(fleet: &Fleet, is_met: impl Fn(&FleetHealth) -> bool) {
    let met = async {
        let mut checks = tokio::time::interval(CHECK_INTERVAL);
        while !is_met(&fleet.health()) {
            checks.tick().await;
        }
    };
    within(met).await;
}

#[tokio::test]
async fn health_follows_the_host() {
    let database = Database::create().await;
    let fleet = &database.fleet;
    assert!(fleet.health().is_live() && !fleet.health().is_ready());
    let host = database.host(1, answer);
    until_health(fleet, FleetHealth::is_ready).await;
    assert!(fleet.health().heartbeat.is_some());
    // A host whose first claim fails ends.
    let work = fleet.enqueue(Work::new("a", "prompt")).await.unwrap();
    database.answer_to(work).await;

    // Claims fail, heartbeats do not.
    database
        .execute("alter function inhouse.claim rename to claim_of_nobody")
        .await;
    until_health(fleet, |health| !health.is_ready()).await;
    let health = fleet.health();
    assert!(health.is_live());
    assert!(health.error.unwrap().contains("inhouse.claim"));
    database
        .execute("alter function inhouse.claim_of_nobody rename to claim")
        .await;
    until_health(fleet, FleetHealth::is_ready).await;
    let work = fleet.enqueue(Work::new("a", "next")).await.unwrap();
    database.answer_to(work).await;
    host.shut_down().await;
    assert_eq!(fleet.health().hosts, 0);
}

/// Returns a store in the same database for a role with these rights.
async fn store_of_a_role(database: &Database, rights: &[&str]) -> PostgresStore {
    let role = format!("worker_{}", Uuid::new_v4().simple());
    let mut statements = vec![
        format!("create role {role} login"),
        format!("grant create on schema public to {role}"),
        format!("grant all on all tables in schema public to {role}"),
        format!("grant all on all sequences in schema public to {role}"),
    ];
    statements.extend(
        rights
            .iter()
            .map(|right| format!("grant {right} to {role}")),
    );
    for statement in statements {
        let statement = sqlx::query(AssertSqlSafe(statement));
        statement.execute(database.store.pool()).await.unwrap();
    }
    let url = database.url.replace("postgres@", &format!("{role}@"));
    PostgresStore::connect(&url).await.unwrap()
}

async fn refusal(store: &PostgresStore) -> String {
    let runner = ScriptedHost::new(std::sync::Arc::new(store.clone()), 1, |turn| {
        Box::pin(answer(turn))
    });
    let fleet = quick(store);
    let served = fleet.serve(runner, std::future::pending());
    let error = within(served).await.unwrap_err();
    assert_eq!(error.kind(), FleetErrorKind::Refused, "{error}");
    assert!(!error.is_retryable());
    error.to_string()
}

#[tokio::test]
async fn worker_that_may_not_create_the_schema_ends_with_the_reason() {
    let database = Database::create().await;
    let store = store_of_a_role(&database, &[]).await;
    let text = refusal(&store).await;
    assert!(text.contains("permission denied for database"), "{text}");
}

#[tokio::test]
async fn worker_that_may_not_claim_ends_with_the_reason() {
    let database = Database::create().await;
    database.fleet.migrate().await.unwrap();
    database
        .execute("revoke execute on function inhouse.claim from public")
        .await;
    let name = database.url.rsplit_once('/').unwrap().1;
    let rights = [
        &*format!("create on database {name}"),
        "all on schema inhouse",
        "all on all tables in schema inhouse",
        "all on all sequences in schema inhouse",
    ];
    let store = store_of_a_role(&database, &rights).await;
    let text = refusal(&store).await;
    assert!(
        text.contains("permission denied for function claim"),
        "{text}"
    );
    database
        .until("select not exists (select from inhouse.host)")
        .await;
}
