//! Scenarios with sessions in PostgreSQL. The ring skips this module by its name if there is no server.

use inhouse_testkit::servers::PostgresServer;

use crate::scene::StoreKind;
use crate::{killed_after_finish, killed_in_call, store_faults, zombie};

fn start_server() -> PostgresServer {
    PostgresServer::start().unwrap_or_else(|why| panic!("{why}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn delivered_turn_survives_a_killed_host() {
    let server = start_server();
    let kind = StoreKind::Postgres(server.url());
    killed_after_finish::soak("killed_after_finish_postgres", &kind, 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn crashes_leave_neither_holes_nor_duplicates() {
    let mut server = start_server();
    store_faults::soak_crashes("store_faults_postgres", &mut server).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopped_host_stores_and_answers_nothing_after_its_lease() {
    let server = start_server();
    zombie::soak("zombie", &StoreKind::Postgres(server.url())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn call_of_a_killed_host_is_neither_lost_nor_repeated() {
    let server = start_server();
    let kind = StoreKind::Postgres(server.url());
    killed_in_call::soak("killed_in_call_postgres", &kind).await;
}
