//! Worker processes with the real CLI, a real Restate server and a real database, repeated, for races that one run rarely shows.
//!
//! Each test repeats its scenario `inhouse_testkit::soak::runs` times and prints one report line. `cargo xtask soak --runs N` collects these
//! lines; `cargo xtask test` runs each scenario once.
//!
//! The scenarios are those of the engine on PostgreSQL: the files of its soak tests, with another `engine`.
//!
//! | file | what it holds |
//! |---|---|
//! | `engine` | the engine under test: a server, its ingress, and the balancer before the workers |
//! | `suspended` | the only scenario that is not one of the engine on PostgreSQL |
//! | `restate` | the tests; the ring skips them by the names of their modules if a server is missing |
#![cfg(target_os = "linux")]

mod engine;
mod restate;
mod suspended;

#[path = "../../../inhouse-fleet/tests/soak/cancelled.rs"]
mod cancelled;
#[path = "../../../inhouse-fleet/tests/soak/database.rs"]
mod database;
#[path = "../../../inhouse-fleet/tests/soak/deferred.rs"]
mod deferred;
#[path = "../../../inhouse-fleet/tests/soak/deploy.rs"]
mod deploy;
#[path = "../../../inhouse-fleet/tests/soak/killed.rs"]
mod killed;
#[path = "../../../inhouse-fleet/tests/soak/notes.rs"]
mod notes;
#[path = "../../../inhouse-fleet/tests/soak/poison.rs"]
mod poison;
#[path = "../../../inhouse-fleet/tests/soak/proxy.rs"]
mod proxy;
#[path = "../../../inhouse-fleet/tests/soak/scene.rs"]
mod scene;
#[path = "../../../inhouse-fleet/tests/soak/silent.rs"]
mod silent;
#[path = "../../../inhouse-fleet/tests/soak/worker.rs"]
mod worker;
#[path = "../../../inhouse-fleet/tests/soak/zombie.rs"]
mod zombie;
