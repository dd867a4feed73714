use inhouse_macros::Open;

/// Files were uploaded.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct FilesPersistedMessage {
    /// The files.
    pub files: Vec<PersistedFile>,
    /// Files that could not be uploaded.
    pub failed: Option<Vec<PersistFailure>>,
    /// When, as an ISO 8601 time.
    pub processed_at: Option<String>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}

/// A file that was uploaded.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct PersistedFile {
    /// Its name.
    pub filename: String,
    /// Its id at the API.
    pub file_id: Option<String>,
}

/// A file that could not be uploaded.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct PersistFailure {
    /// Its name.
    pub filename: String,
    /// Why not.
    pub error: Option<String>,
}
