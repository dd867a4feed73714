use inhouse_macros::Open;

/// Message sent when the session became idle, became busy, or waits for the user.
///
/// `idle` after a result is the end of the run. On some hosts it arrives just before the result.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct SessionStateChangedMessage {
    /// The new state of the session.
    pub state: SessionState,
    /// Whether the message is meant for the SDK only. If so, the SDK does not yield it to the consumer of the message
    /// stream.
    pub sdk_host_only: Option<bool>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}

/// State of a session, as the CLI reports it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SessionState {
    /// No turn is running; the session waits for a prompt.
    Idle,
    /// A turn is running.
    Running,
    /// The session waits for an answer of the host, such as a permission decision.
    RequiresAction,
    /// A value that this version of the crate does not know, as the CLI wrote it.
    Unknown(String),
}

/// Message sent when a remote worker is shutting down.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct WorkerShuttingDownMessage {
    /// Reason for the shutdown.
    pub reason: Option<String>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}

/// Message sent when data could not be written because the disk is full.
///
/// Sent at most once, when the CLI exits, after the last result.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct SessionWritesLostMessage {
    /// Error code of the failed write.
    pub error_code: Option<WritesLostCode>,
    /// Kinds of data that could not be written.
    pub lost: Vec<LostWrites>,
    /// The sessions whose transcripts are incomplete.
    pub transcript_session_ids: Option<Vec<String>>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}

/// Error code of a write that failed because the disk is full.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[non_exhaustive]
pub enum WritesLostCode {
    /// No space is left on the device.
    #[serde(rename = "ENOSPC")]
    Enospc,
    /// The disk quota is exceeded.
    #[serde(rename = "EDQUOT")]
    Edquot,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// Kind of data that could not be written.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LostWrites {
    /// The transcript of a session.
    Transcript,
    /// The user's global settings.
    GlobalConfig,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// Message about metadata of the session.
///
/// Not in the official SDK's types. Only the name of the message is known, so its members are available only in the
/// line that [`Received::raw`](crate::message::Received::raw) returns.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct SessionMetadataMessage {
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}

/// Message sent when the title of the session changed. Not in the official SDK's types.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct SessionTitleChangedMessage {
    /// The new title of the session.
    pub title: String,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}
