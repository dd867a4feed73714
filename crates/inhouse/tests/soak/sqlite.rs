//! Scenarios with sessions in SQLite.

use crate::scene::StoreKind;
use crate::{killed_after_finish, killed_in_call, slow_store, store_faults};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn delivered_turn_survives_a_killed_host() {
    let name = "killed_after_finish_sqlite";
    killed_after_finish::soak(name, &StoreKind::Sqlite, 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn faults_leave_neither_holes_nor_duplicates() {
    store_faults::soak("store_faults_sqlite").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn call_of_a_killed_host_is_neither_lost_nor_repeated() {
    killed_in_call::soak("killed_in_call_sqlite", &StoreKind::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_store_delays_the_result_by_one_append() {
    slow_store::soak("slow_store_sqlite").await;
}
