use inhouse_macros::Open;

/// Message sent when files were uploaded.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct FilesPersistedMessage {
    /// The files that were uploaded.
    pub files: Vec<PersistedFile>,
    /// The files that could not be uploaded.
    pub failed: Option<Vec<PersistFailure>>,
    /// Time of the upload in ISO 8601 format.
    pub processed_at: Option<String>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}

/// File that was uploaded.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct PersistedFile {
    /// The name of the file.
    pub filename: String,
    /// The id that the API assigned to the file.
    pub file_id: Option<String>,
}

/// File that could not be uploaded.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct PersistFailure {
    /// The name of the file.
    pub filename: String,
    /// Reason why the upload failed.
    pub error: Option<String>,
}
