use inhouse_macros::Open;

/// A session store has a hole, because a batch of entries could not be written to it.
///
/// Written by the official SDKs into recordings; this SDK and the CLI never send it.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct MirrorErrorMessage {
    /// Why it could not be written.
    pub error: String,
    /// Where it should have been written.
    pub key: Option<MirrorKey>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}

/// A transcript in a session store.
#[derive(Clone, Debug, PartialEq, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct MirrorKey {
    /// The project.
    pub project_key: String,
    /// The session.
    pub session_id: String,
    /// The part of the session, such as a subagent's transcript; `None` for the main one.
    pub subpath: Option<String>,
}
