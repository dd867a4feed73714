use crate::open::{open_enum, open_struct};

open_struct! {
    /// How a prompt with an id of the host's fares in the queue. Not declared by the CLI.
    pub struct CommandLifecycleMessage ["type" = "command_lifecycle"] {
        /// The id of the prompt.
        pub command_uuid: String,
        /// How far it has come.
        pub state: CommandState,
        /// The id of this message.
        pub uuid: Option<String>,
        /// The session.
        pub session_id: Option<String>,
    }
}

open_enum! {
    /// How far a prompt has come.
    pub enum CommandState {
        /// It waits.
        Queued = "queued",
        /// A turn works on it.
        Started = "started",
        /// Its turn is over.
        Completed = "completed",
        /// It was taken back before it ran.
        Cancelled = "cancelled",
    }
}
