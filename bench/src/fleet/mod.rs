//! A fleet on PostgreSQL, with the CLI in memory and workers that are processes.

mod claims;
mod cli;
mod database;
mod idle;
mod pgbench;
mod simulation;
mod turns;
mod worker;

pub use self::claims::claims;
pub use self::database::Database;
pub use self::idle::idle;
pub use self::pgbench::{Script, pgbench};
pub use self::simulation::simulation;
pub use self::turns::{begin, turns};
pub use self::worker::{WorkerReport, WorkerSettings, work};
