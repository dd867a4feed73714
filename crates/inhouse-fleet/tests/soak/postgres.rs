//! The tests. The ring skips this module by its name if there is no server.

use inhouse_testkit::servers::PostgresServer;

use crate::{cancelled, database, deferred, deploy, killed, order, poison, silent, zombie};

fn start_server() -> PostgresServer {
    PostgresServer::start().unwrap_or_else(|why| panic!("{why}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_worker_loses_and_repeats_nothing() {
    killed::soak("fleet_killed_worker", &start_server()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopped_worker_stores_and_answers_nothing_after_its_lease() {
    zombie::soak("fleet_zombie", &start_server()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelled_prompt_ends_its_cli_before_the_next_begins() {
    cancelled::soak("fleet_cancelled", &start_server()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_database_loses_and_repeats_nothing() {
    database::soak_crashes("fleet_database_killed", &mut start_server()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn worker_without_its_database_loses_and_repeats_nothing() {
    database::soak_cuts("fleet_database_cut", &start_server()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silent_turn_survives_many_leases() {
    silent::soak("fleet_silent_turn", &start_server()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn poison_is_parked_and_its_neighbours_are_not_charged() {
    poison::soak("fleet_poison", &start_server()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn prompts_have_the_order_of_their_commits() {
    order::soak("fleet_commit_order", &start_server()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn terminated_worker_takes_no_work_and_hands_over() {
    deploy::soak("fleet_deploy", &start_server()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn question_of_a_killed_worker_is_answered_on_another() {
    deferred::soak("fleet_deferred", &start_server()).await;
}
