use inhouse_macros::Open;

/// The session went idle, busy, or waits for the user.
///
/// `idle` after a result is the real end of a run; on some hosts it comes just before the result.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct SessionStateChangedMessage {
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

/// The state of a session.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SessionState {
    /// Nothing is going on.
    Idle,
    /// A turn is running.
    Running,
    /// The user must decide something.
    RequiresAction,
    /// A value that this version does not know.
    Unknown(String),
}

/// A remote worker shuts down.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct WorkerShuttingDownMessage {
    /// Why.
    pub reason: Option<String>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}

/// The disk is full, and something could not be written.
///
/// At most once, when the CLI exits, after the last result.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct SessionWritesLostMessage {
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

/// How a disk is full.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[non_exhaustive]
pub enum WritesLostCode {
    /// There is no space.
    #[serde(rename = "ENOSPC")]
    Enospc,
    /// The quota is used up.
    #[serde(rename = "EDQUOT")]
    Edquot,
    /// A value that this version does not know.
    Unknown(String),
}

/// What can fail to be written.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LostWrites {
    /// A transcript.
    Transcript,
    /// The user's global settings.
    GlobalConfig,
    /// A value that this version does not know.
    Unknown(String),
}

/// Facts about the session.
///
/// Not declared by the CLI: all that is known of it is its name, so everything is in `extra`.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct SessionMetadataMessage {
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}

/// The session has a new title. Not declared by the CLI.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct SessionTitleChangedMessage {
    /// The title.
    pub title: String,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}
