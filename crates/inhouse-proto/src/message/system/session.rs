use crate::open::{open_enum, open_struct};

open_struct! {
    /// The session went idle, busy, or waits for the user.
    ///
    /// `idle` after a result is the real end of a run; on some hosts it comes just before the result.
    pub struct SessionStateChangedMessage
        ["type" = "system", "subtype" = "session_state_changed"]
    {
        /// The state.
        pub state: SessionState,
        /// Whether the message is for the SDK alone; then it is not shown to the reader of the
        /// stream.
        pub sdk_host_only: Option<bool>,
        /// The id of this message.
        pub uuid: Option<String>,
        /// The session.
        pub session_id: Option<String>,
    }
}

open_enum! {
    /// The state of a session.
    pub enum SessionState {
        /// Nothing is going on.
        Idle = "idle",
        /// A turn is running.
        Running = "running",
        /// The user must decide something.
        RequiresAction = "requires_action",
    }
}

open_struct! {
    /// A remote worker shuts down.
    pub struct WorkerShuttingDownMessage ["type" = "system", "subtype" = "worker_shutting_down"] {
        /// Why.
        pub reason: Option<String>,
        /// The id of this message.
        pub uuid: Option<String>,
        /// The session.
        pub session_id: Option<String>,
    }
}

open_struct! {
    /// The disk is full, and something could not be written.
    ///
    /// At most once, when the CLI exits, after the last result.
    pub struct SessionWritesLostMessage ["type" = "system", "subtype" = "session_writes_lost"] {
        /// How the disk is full.
        pub error_code: Option<WritesLostCode>,
        /// What could not be written.
        pub lost: Vec<LostWrites>,
        /// The sessions whose transcripts have a hole.
        pub transcript_session_ids: Option<Vec<String>>,
        /// The id of this message.
        pub uuid: Option<String>,
        /// The session.
        pub session_id: Option<String>,
    }
}

open_enum! {
    /// How a disk is full.
    pub enum WritesLostCode {
        /// There is no space.
        Enospc = "ENOSPC",
        /// The quota is used up.
        Edquot = "EDQUOT",
    }
}

open_enum! {
    /// What can fail to be written.
    pub enum LostWrites {
        /// A transcript.
        Transcript = "transcript",
        /// The user's global settings.
        GlobalConfig = "global_config",
    }
}

open_struct! {
    /// Facts about the session.
    ///
    /// Not declared by the CLI: all that is known of it is its name, so everything is in `extra`.
    pub struct SessionMetadataMessage ["type" = "system", "subtype" = "session_metadata"] {
        /// The id of this message.
        pub uuid: Option<String>,
        /// The session.
        pub session_id: Option<String>,
    }
}

open_struct! {
    /// The session has a new title. Not declared by the CLI.
    pub struct SessionTitleChangedMessage ["type" = "system", "subtype" = "session_title_changed"] {
        /// The title.
        pub title: String,
        /// The id of this message.
        pub uuid: Option<String>,
        /// The session.
        pub session_id: Option<String>,
    }
}
