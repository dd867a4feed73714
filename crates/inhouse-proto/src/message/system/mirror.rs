use inhouse_macros::Open;

/// Message sent when a batch of entries could not be written to a session store, which is incomplete from then on.
///
/// The official SDKs write it into recordings. Neither this SDK nor the CLI sends it.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct MirrorErrorMessage {
    /// Reason why the batch could not be written.
    pub error: String,
    /// The transcript that the batch belongs to.
    pub key: Option<MirrorKey>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}

/// Identifies a transcript in a session store.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct MirrorKey {
    /// The project that the session belongs to.
    pub project_key: String,
    /// The session that the transcript belongs to.
    pub session_id: String,
    /// The part of the session, such as the transcript of a subagent. `None` for the main transcript.
    pub subpath: Option<String>,
}
