//! Fleets of worker processes with the real CLI and a real database, repeated, for races that one run rarely shows.
//!
//! Each test repeats its scenario `inhouse_testkit::soak::runs` times and prints one report line. `cargo xtask soak --runs N` collects these
//! lines; `cargo xtask test` runs each scenario once.
//!
//! | file | what it holds |
//! |---|---|
//! | `engine` | the engine under test |
//! | `worker` | a worker as a separate process, and the points at which it waits to be killed |
//! | `scene` | both ends: the model, the database and the workers |
//! | `notes` | prompts whose turns change a file and call a tool, and what must be true of them |
//! | `proxy` | a connection to the database that can be cut |
//! | `postgres` | the tests; the ring skips this module by its name if there is no server |
#![cfg(all(feature = "postgres", target_os = "linux"))]

mod cancelled;
mod database;
mod deferred;
mod deploy;
mod engine;
mod killed;
mod notes;
mod order;
mod poison;
mod postgres;
mod proxy;
mod scene;
mod silent;
mod worker;
mod zombie;
