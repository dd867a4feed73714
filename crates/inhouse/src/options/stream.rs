use super::Options;

#[derive(Clone, Debug, Default)]
pub(crate) struct StreamOptions {
    pub(crate) partial_messages: bool,
    pub(crate) hook_events: bool,
    pub(crate) subagent_text: bool,
    pub(crate) replay_user_messages: bool,
    pub(crate) prompt_suggestions: Option<bool>,
    pub(crate) agent_progress_summaries: Option<bool>,
    pub(crate) max_line_bytes: Option<usize>,
    pub(crate) backlog: Backlog,
}

/// Options for content and buffering of the message stream.
impl Options {
    /// Sets whether the stream contains partial messages while the model writes.
    ///
    /// Default: `false`.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().include_partial_messages(true));
    /// assert!(cli.has_arg("--include-partial-messages"));
    /// ```
    pub fn include_partial_messages(mut self, include: bool) -> Self {
        self.stream.partial_messages = include;
        self
    }

    /// Sets whether the stream contains a message for each start and end of a hook.
    ///
    /// Default: `false`.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().include_hook_events(true));
    /// assert!(cli.has_arg("--include-hook-events"));
    /// ```
    pub fn include_hook_events(mut self, include: bool) -> Self {
        self.stream.hook_events = include;
        self
    }

    /// Sets whether the stream contains the text and thinking of subagents.
    ///
    /// Default: `false`, which shows only their tool calls.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().forward_subagent_text(true));
    /// assert_eq!(cli.initialize()["forwardSubagentText"], true);
    /// ```
    pub fn forward_subagent_text(mut self, forward: bool) -> Self {
        self.stream.subagent_text = forward;
        self
    }

    /// Sets whether the CLI repeats each prompt when it starts to process it, with the UUID that the
    /// prompt has in the session.
    ///
    /// Default: `false`.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().replay_user_messages(true));
    /// assert!(cli.has_arg("--replay-user-messages"));
    /// ```
    pub fn replay_user_messages(mut self, replay: bool) -> Self {
        self.stream.replay_user_messages = replay;
        self
    }

    /// Sets whether the CLI suggests the next prompt after each turn.
    ///
    /// Default: `false`.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().prompt_suggestions(true));
    /// assert_eq!(cli.initialize()["promptSuggestions"], true);
    /// ```
    pub fn prompt_suggestions(mut self, suggest: bool) -> Self {
        self.stream.prompt_suggestions = Some(suggest);
        self
    }

    /// Sets whether the CLI adds short summaries to the progress messages of subagents.
    ///
    /// Default: `false`.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse_testkit::fake::launch;
    ///
    /// let cli = launch(Options::new().agent_progress_summaries(true));
    /// assert_eq!(cli.initialize()["agentProgressSummaries"], true);
    /// ```
    pub fn agent_progress_summaries(mut self, summarize: bool) -> Self {
        self.stream.agent_progress_summaries = Some(summarize);
        self
    }

    /// Sets the maximum length of a line that the CLI writes.
    ///
    /// A longer line is skipped and reported in the stream; the session continues. Default: 256 MiB.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::launch::Plan;
    ///
    /// let plan = Plan::for_transport(&Options::new().max_line_bytes(1024))?;
    /// assert_eq!(plan.max_line_bytes, 1024);
    /// # Ok::<(), inhouse::Error>(())
    /// ```
    pub fn max_line_bytes(mut self, bytes: usize) -> Self {
        self.stream.max_line_bytes = Some(bytes);
        self
    }

    /// Sets how many bytes of unread messages are kept, with those that wait for a [store](Self::store).
    ///
    /// Default: 256 MiB.
    ///
    /// ```
    /// use inhouse::launch::Plan;
    /// use inhouse::options::{Backlog, Options};
    ///
    /// let plan = Plan::for_transport(&Options::new().backlog(Backlog::bytes(4096)))?;
    /// assert_eq!(plan.backlog.limit(), Some(4096));
    /// # Ok::<(), inhouse::Error>(())
    /// ```
    pub fn backlog(mut self, backlog: Backlog) -> Self {
        self.stream.backlog = backlog;
        self
    }
}

/// A limit on the messages that the host has not read yet.
///
/// The driver always reads the output of the CLI, whether the host reads its messages or not:
/// otherwise a slow reader would block its own tools and control requests. Unread messages are kept
/// as lines. When the lines together exceed the limit, new messages are dropped, except for results;
/// one `Message::Gap` replaces each run of dropped messages. A reader that falls behind can therefore
/// see that messages are missing, and still gets every result. A message is always kept if no other
/// message is unread, whatever its size.
///
/// Default: 256 MiB.
///
/// ```
/// use inhouse::options::Backlog;
///
/// assert_eq!(Backlog::default(), Backlog::bytes(256 * 1024 * 1024));
/// assert_eq!(Backlog::unbounded().limit(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "set it with `Options::backlog`"]
pub struct Backlog {
    limit: Option<usize>,
}

impl Backlog {
    /// Limits the backlog to this many bytes.
    ///
    /// The memory that a line occupies counts: its length, and for a long line up to twice that,
    /// because the line stays in its read buffer. The queue adds about 50 bytes for each line.
    ///
    /// ```
    /// use inhouse::options::Backlog;
    ///
    /// const SMALL: Backlog = Backlog::bytes(1024 * 1024);
    /// assert_eq!(SMALL.limit(), Some(1_048_576));
    /// ```
    pub const fn bytes(limit: usize) -> Self {
        Self { limit: Some(limit) }
    }

    /// Keeps every message, without a limit on memory.
    ///
    /// ```
    /// use inhouse::launch::Plan;
    /// use inhouse::options::{Backlog, Options};
    ///
    /// let plan = Plan::for_transport(&Options::new().backlog(Backlog::unbounded()))?;
    /// assert_eq!(plan.backlog.limit(), None);
    /// # Ok::<(), inhouse::Error>(())
    /// ```
    pub const fn unbounded() -> Self {
        Self { limit: None }
    }

    /// Returns the limit in bytes; `None` if there is no limit.
    ///
    /// ```
    /// use inhouse::options::Backlog;
    ///
    /// assert_eq!(Backlog::default().limit(), Some(256 * 1024 * 1024));
    /// assert_eq!(Backlog::unbounded().limit(), None);
    /// ```
    #[must_use]
    pub const fn limit(self) -> Option<usize> {
        self.limit
    }
}

impl Default for Backlog {
    fn default() -> Self {
        Self::bytes(256 * 1024 * 1024)
    }
}
