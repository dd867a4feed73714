use super::{Backlog, Options};

#[derive(Clone, Debug)]
pub(crate) struct StreamOptions {
    pub(crate) partial_messages: bool,
    pub(crate) hook_events: bool,
    pub(crate) subagent_text: bool,
    pub(crate) replay_user_messages: bool,
    pub(crate) prompt_suggestions: Option<bool>,
    pub(crate) agent_progress_summaries: Option<bool>,
    pub(crate) max_line_bytes: usize,
    pub(crate) backlog: Backlog,
}

/// A line holds at most one message, and the largest of them carry files and images.
const MAX_LINE_BYTES: usize = 256 * 1024 * 1024;

impl Default for StreamOptions {
    fn default() -> Self {
        Self {
            partial_messages: false,
            hook_events: false,
            subagent_text: false,
            replay_user_messages: false,
            prompt_suggestions: None,
            agent_progress_summaries: None,
            max_line_bytes: MAX_LINE_BYTES,
            backlog: Backlog::default(),
        }
    }
}

/// What the stream of messages contains, and how much of it is kept.
impl Options {
    /// Adds the pieces of a message while the model writes it.
    #[must_use]
    pub fn include_partial_messages(mut self, include: bool) -> Self {
        self.stream.partial_messages = include;
        self
    }

    /// Adds an event for each start and end of a hook.
    #[must_use]
    pub fn include_hook_events(mut self, include: bool) -> Self {
        self.stream.hook_events = include;
        self
    }

    /// Adds what subagents say and think; otherwise only their tool calls are seen.
    #[must_use]
    pub fn forward_subagent_text(mut self, forward: bool) -> Self {
        self.stream.subagent_text = forward;
        self
    }

    /// Adds each prompt again when the CLI takes it up, with the uuid that it has in the session.
    #[must_use]
    pub fn replay_user_messages(mut self, replay: bool) -> Self {
        self.stream.replay_user_messages = replay;
        self
    }

    /// Adds a guess at the next prompt after each turn.
    #[must_use]
    pub fn prompt_suggestions(mut self, suggest: bool) -> Self {
        self.stream.prompt_suggestions = Some(suggest);
        self
    }

    /// Adds a short summary to the progress of subagents, now and then.
    #[must_use]
    pub fn agent_progress_summaries(mut self, summarize: bool) -> Self {
        self.stream.agent_progress_summaries = Some(summarize);
        self
    }

    /// The longest line that is accepted from the CLI; 256 MiB unless set.
    ///
    /// A longer one is skipped and reported, and the stream goes on.
    #[must_use]
    pub fn max_line_bytes(mut self, bytes: usize) -> Self {
        self.stream.max_line_bytes = bytes;
        self
    }

    /// How much is kept of what the host has not read yet.
    #[must_use]
    pub fn backlog(mut self, backlog: Backlog) -> Self {
        self.stream.backlog = backlog;
        self
    }
}
