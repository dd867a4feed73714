use super::event::hook_event;
use crate::open::open_enum;

hook_event! {
    /// A conversation begins.
    ///
    /// The CLI begins its first one before it knows the hooks of a host: those only see what begins
    /// with `/clear` and after a compaction (2.1.325). A first prompt or a title, which an answer
    /// may hold according to the protocol, has no effect then; use
    /// [`specific`](super::HookOutput::specific) where it has.
    pub struct SessionStart {
        /// Why it begins.
        pub source: SessionSource,
        /// The model.
        pub model: Option<String>,
        /// The title of the session.
        pub session_title: Option<String>,
        /// How long ago the last answer was, when a session is resumed or forked.
        pub seconds_since_last_response: Option<f64>,
        /// How long the conversation is, when it is resumed or forked.
        pub context_tokens: Option<u64>,
        /// Whether the model has forgotten what it had cached of it.
        pub prompt_cache_likely_expired: Option<bool>,
        /// What it costs to cache it anew.
        pub estimated_cache_write_usd: Option<f64>,
    }
}

hook_event! {
    /// A conversation ends.
    ///
    /// A host's hooks see the end by `/clear`, and not that of the CLI (2.1.325).
    pub struct SessionEnd {
        /// Why it ends.
        pub reason: SessionEndReason,
    }
}

hook_event! {
    /// A repository is prepared for sessions.
    ///
    /// It happens before the CLI knows the hooks of a host, which never see it (2.1.325).
    pub struct Setup {
        /// What is done.
        pub trigger: SetupTrigger,
    }
}

open_enum! {
    /// Why a conversation begins.
    pub enum SessionSource {
        /// The CLI starts.
        Startup = "startup",
        /// An earlier one goes on.
        Resume = "resume",
        /// The one before was cleared.
        Clear = "clear",
        /// The one before was compacted.
        Compact = "compact",
        /// It branches off an earlier one.
        Fork = "fork",
    }
}

open_enum! {
    /// Why a conversation ends.
    pub enum SessionEndReason {
        /// It was cleared.
        Clear = "clear",
        /// Another one is resumed.
        Resume = "resume",
        /// The user logged out.
        Logout = "logout",
        /// The user left.
        PromptInputExit = "prompt_input_exit",
        /// Something else.
        Other = "other",
    }
}

open_enum! {
    /// How a repository is prepared.
    pub enum SetupTrigger {
        /// For the first time.
        Init = "init",
        /// Again.
        Maintenance = "maintenance",
    }
}
