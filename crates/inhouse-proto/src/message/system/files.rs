use crate::open::open_struct;

open_struct! {
    /// Files were uploaded.
    pub struct FilesPersistedMessage ["type" = "system", "subtype" = "files_persisted"] {
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
}

open_struct! {
    /// A file that was uploaded.
    pub struct PersistedFile {
        /// Its name.
        pub filename: String,
        /// Its id at the API.
        pub file_id: Option<String>,
    }
}

open_struct! {
    /// A file that could not be uploaded.
    pub struct PersistFailure {
        /// Its name.
        pub filename: String,
        /// Why not.
        pub error: Option<String>,
    }
}
