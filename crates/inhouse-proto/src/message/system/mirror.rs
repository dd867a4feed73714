use crate::open::{Extra, open_struct};

open_struct! {
    /// A session store has a hole, because a batch of entries could not be written to it.
    ///
    /// Made by the SDK, which writes the store; the CLI never sends it.
    pub struct MirrorErrorMessage ["type" = "system", "subtype" = "mirror_error"] {
        /// Why it could not be written.
        pub error: String,
        /// Where it should have been written.
        pub key: Option<MirrorKey>,
        /// The id of this message.
        pub uuid: Option<String>,
        /// The session.
        pub session_id: Option<String>,
    }
}

impl MirrorErrorMessage {
    /// A batch for `key` was dropped because of `error`.
    #[must_use]
    pub fn new(key: MirrorKey, error: impl Into<String>) -> Self {
        Self {
            error: error.into(),
            session_id: Some(key.session_id.clone()),
            key: Some(key),
            uuid: None,
            extra: Extra::default(),
        }
    }
}

open_struct! {
    /// A transcript in a session store.
    pub struct MirrorKey {
        /// The project.
        pub project_key as "projectKey": String,
        /// The session.
        pub session_id as "sessionId": String,
        /// The part of the session, such as a subagent's transcript; `None` for the main one.
        pub subpath: Option<String>,
    }
}

impl MirrorKey {
    /// The main transcript of a session.
    #[must_use]
    pub fn new(project_key: impl Into<String>, session_id: impl Into<String>) -> Self {
        Self {
            project_key: project_key.into(),
            session_id: session_id.into(),
            subpath: None,
            extra: Extra::default(),
        }
    }

    /// A part of the session.
    #[must_use]
    pub fn subpath(mut self, subpath: impl Into<String>) -> Self {
        self.subpath = Some(subpath.into());
        self
    }
}
