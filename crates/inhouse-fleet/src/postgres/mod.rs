//! The engine on PostgreSQL: prompts are queued in the database that has the sessions.
#![doc = include_str!("postgres.md")]

mod backoff;
mod error;
mod failing;
mod fleet;
mod health;
mod heartbeat;
mod listen;
mod schema;
mod serve;
mod settings;
mod statement;
mod status;
mod sweep;
mod turn;
mod waiting;
mod watch;

pub use self::error::{FleetError, FleetErrorKind};
pub use self::fleet::Fleet;
pub use self::health::FleetHealth;
pub use self::settings::StoredMessages;
pub use self::status::{
    FleetStatus, HostStatus, OldestWork, OpenQuestion, ParkedWork, QueueStatus, SessionState,
    SessionStatus, WorkState, WorkStatus,
};
pub use self::watch::{Event, Watch};
