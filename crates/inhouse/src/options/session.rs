use super::Options;
use super::hidden::Hidden;

#[derive(Clone, Debug, Default)]
pub(crate) struct SessionOptions {
    pub(crate) continue_latest: bool,
    pub(crate) resume: Option<String>,
    pub(crate) id: Option<String>,
    pub(crate) fork: bool,
    pub(crate) resume_at: Option<String>,
    pub(crate) resume_drops_turn: Option<String>,
    pub(crate) persist: Option<bool>,
    pub(crate) file_checkpointing: bool,
    pub(crate) title: Option<Hidden<String>>,
}

impl SessionOptions {
    /// Whether the session goes on with an earlier one.
    pub(crate) fn resumes(&self) -> bool {
        self.resume.is_some() || self.continue_latest
    }
}

/// Sessions: new, resumed, forked.
impl Options {
    /// Continues the newest conversation of the working directory, or starts one if there is none.
    #[must_use]
    pub fn continue_latest(mut self) -> Self {
        self.session.continue_latest = true;
        self
    }

    /// Resumes the session of this id or title.
    #[must_use]
    pub fn resume(mut self, session: impl Into<String>) -> Self {
        self.session.resume = Some(session.into());
        self
    }

    /// The id of the new session, a UUID.
    ///
    /// Together with [`resume`](Self::resume) or [`continue_latest`](Self::continue_latest) only
    /// for a [fork](Self::fork_session), which has an id of its own.
    #[must_use]
    pub fn session_id(mut self, id: impl Into<String>) -> Self {
        self.session.id = Some(id.into());
        self
    }

    /// Resumes into a new session, and leaves the old one as it is.
    #[must_use]
    pub fn fork_session(mut self, fork: bool) -> Self {
        self.session.fork = fork;
        self
    }

    /// Resumes the conversation only up to the message of this uuid, and forgets the rest.
    #[must_use]
    pub fn resume_at(mut self, message: impl Into<String>) -> Self {
        self.session.resume_at = Some(message.into());
        self
    }

    /// Lets [`resume_at`](Self::resume_at) forget only the turn of the prompt with this uuid.
    ///
    /// If more would be lost the CLI refuses to start; trying again does not help. So does one that
    /// is too old for it, such as 2.1.197.
    #[must_use]
    pub fn resume_drops_turn(mut self, prompt: impl Into<String>) -> Self {
        self.session.resume_drops_turn = Some(prompt.into());
        self
    }

    /// Whether the CLI saves the session, so that it can be resumed; it does unless told otherwise.
    #[must_use]
    pub fn persist_session(mut self, persist: bool) -> Self {
        self.session.persist = Some(persist);
        self
    }

    /// Keeps copies of files before tools change them, so that a rewind can restore them.
    #[must_use]
    pub fn file_checkpointing(mut self, enabled: bool) -> Self {
        self.session.file_checkpointing = enabled;
        self
    }

    /// The title of a new session; a resumed one keeps its own.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.session.title = Some(Hidden(title.into()));
        self
    }
}
