use std::time::Duration;

use inhouse_testkit::servers::PostgresServer;

use crate::scene::Scene;
use crate::{cancelled, database, deferred, deploy, killed, poison, silent, suspended, zombie};

/// Starts the server of the sessions. Each scenario has its own Restate server.
fn start_database() -> PostgresServer {
    PostgresServer::start().unwrap_or_else(|why| panic!("{why}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_worker_loses_and_repeats_nothing() {
    killed::soak("restate_killed_worker", &start_database()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopped_worker_stores_and_answers_nothing_after_its_lease() {
    zombie::soak("restate_zombie", &start_database()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelled_prompt_ends_its_cli_before_the_next_begins() {
    cancelled::soak("restate_cancelled", &start_database()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_server_loses_and_repeats_nothing() {
    let crash = async |scene: &Scene, _: &mut PostgresServer, down: Duration| {
        scene.engine.crash(down).await
    };
    database::soak_crashes_of("restate_killed", &mut start_database(), crash).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_database_loses_and_repeats_nothing() {
    database::soak_crashes("restate_database_killed", &mut start_database()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn worker_without_its_database_loses_and_repeats_nothing() {
    database::soak_cuts("restate_database_cut", &start_database()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silent_turn_survives_many_leases_and_timeouts() {
    silent::soak("restate_silent_turn", &start_database()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silent_turn_is_cut_off_with_the_timeouts_of_the_server() {
    suspended::soak("restate_suspended_turn", &start_database()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn poison_is_parked_and_its_neighbours_are_not_charged() {
    poison::soak("restate_poison", &start_database()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn terminated_worker_takes_no_work_and_hands_over() {
    deploy::soak("restate_deploy", &start_database()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn question_of_a_killed_worker_is_answered_on_another() {
    deferred::soak("restate_deferred", &start_database()).await;
}
