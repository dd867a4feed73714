use super::Options;
use super::redacted::Redacted;

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
    pub(crate) title: Option<Redacted<String>>,
}

impl SessionOptions {
    /// Returns whether the session continues an earlier one.
    pub(crate) fn resumes(&self) -> bool {
        self.resume.is_some() || self.continue_latest
    }
}

/// Options for new, resumed and forked sessions.
impl Options {
    /// Continues the newest session of the working directory, or starts one if there is none.
    ///
    /// With a [store](Self::store), the newest session that the store has for this directory.
    /// Excludes [`resume`](Self::resume).
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().continue_latest());
    /// assert!(cli.has_arg("--continue"));
    /// ```
    pub fn continue_latest(mut self) -> Self {
        self.session.continue_latest = true;
        self
    }

    /// Resumes the session with this id or title; with a [store](Self::store), only with this id.
    ///
    /// Default: a new session.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().resume("Port scan"));
    /// assert!(cli.has_arg("--resume=Port scan"));
    /// ```
    pub fn resume(mut self, session: impl Into<String>) -> Self {
        self.session.resume = Some(session.into());
        self
    }

    /// Sets the id of the new session, a UUID.
    ///
    /// With [`resume`](Self::resume) or [`continue_latest`](Self::continue_latest), only a
    /// [fork](Self::fork_session) may have a new id. Default: the CLI chooses an id.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().session_id("0b9c6f6e-7a46-4f0c-9d5e-3f6f1f1c2a11"));
    /// assert!(cli.has_arg("--session-id=0b9c6f6e-7a46-4f0c-9d5e-3f6f1f1c2a11"));
    /// ```
    pub fn session_id(mut self, id: impl Into<String>) -> Self {
        self.session.id = Some(id.into());
        self
    }

    /// Sets whether to resume into a new session, which leaves the old session unchanged.
    ///
    /// Needs [`resume`](Self::resume) or [`continue_latest`](Self::continue_latest). Default:
    /// `false`.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().continue_latest().fork_session(true));
    /// assert!(cli.has_arg("--fork-session"));
    /// ```
    pub fn fork_session(mut self, fork: bool) -> Self {
        self.session.fork = fork;
        self
    }

    /// Resumes the conversation up to the message with this UUID, and drops the messages after it.
    ///
    /// Needs [`resume`](Self::resume). Default: the whole conversation.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let message = "11111111-2222-4333-8444-555555555555";
    /// let cli = launch(Options::new().resume("Port scan").resume_at(message));
    /// assert!(cli.has_arg(&format!("--resume-session-at={message}")));
    /// ```
    pub fn resume_at(mut self, message: impl Into<String>) -> Self {
        self.session.resume_at = Some(message.into());
        self
    }

    /// Restricts [`resume_at`](Self::resume_at) to drop only the turn of the prompt with this UUID.
    ///
    /// The CLI refuses to start if it would drop more; a retry does not help. CLI 2.1.197 does not
    /// support it and refuses to start. Default: no restriction.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let prompt = "66666666-7777-4888-9999-000000000000";
    /// let options = Options::new().resume("Port scan").resume_at("11111111-2222-4333-8444-555555555555");
    /// let cli = launch(options.resume_drops_turn(prompt));
    /// assert!(cli.has_arg(&format!("--resume-drops-turn={prompt}")));
    /// ```
    pub fn resume_drops_turn(mut self, prompt: impl Into<String>) -> Self {
        self.session.resume_drops_turn = Some(prompt.into());
        self
    }

    /// Sets whether the CLI saves the session, so that it can be resumed.
    ///
    /// Default: `true`.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().persist_session(false));
    /// assert!(cli.has_arg("--no-session-persistence"));
    /// ```
    pub fn persist_session(mut self, persist: bool) -> Self {
        self.session.persist = Some(persist);
        self
    }

    /// Sets whether the CLI backs up files before tools change them, so that a rewind can restore
    /// them.
    ///
    /// A [store](Self::store) keeps the backups, too, so that a session which is resumed on another machine can rewind. Default:
    /// `false`.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().file_checkpointing(true));
    /// assert_eq!(cli.env("CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING"), Some("true"));
    /// ```
    pub fn file_checkpointing(mut self, enabled: bool) -> Self {
        self.session.file_checkpointing = enabled;
        self
    }

    /// Sets the title of a new session; a resumed session keeps its title.
    ///
    /// Default: none.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().title("Port scan"));
    /// assert_eq!(cli.initialize()["title"], "Port scan");
    /// ```
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.session.title = Some(Redacted(title.into()));
        self
    }
}
