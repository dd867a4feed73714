//! The engine on PostgreSQL: prompts are queued in the database that has the sessions.
#![doc = include_str!("postgres.md")]

mod backoff;
mod error;
mod fleet;
mod heartbeat;
mod listen;
mod schema;
mod serve;
mod settings;
mod statement;
mod status;
mod turn;
mod watch;

pub use self::error::{FleetError, FleetErrorKind};
pub use self::fleet::Fleet;
pub use self::settings::StoredMessages;
pub use self::status::{
    FleetStatus, HostStatus, OldestWork, OpenQuestion, ParkedWork, QueueStatus, SessionState,
    SessionStatus, WorkState, WorkStatus,
};
pub use self::watch::{Event, Watch};
