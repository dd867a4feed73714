use crate::message::HookEvent;
use crate::open::{open_enum, open_struct};

open_struct! {
    /// A hook begins.
    ///
    /// Hooks on the start and the setup of a session are always reported, even before `initialize`
    /// is answered; all others only when hook events were asked for.
    pub struct HookStartedMessage ["type" = "system", "subtype" = "hook_started"] {
        /// This run of the hook.
        pub hook_id: String,
        /// The hook's name.
        pub hook_name: Option<String>,
        /// The moment at which it runs.
        pub hook_event: Option<HookEvent>,
        /// The id of this message.
        pub uuid: Option<String>,
        /// The session.
        pub session_id: Option<String>,
    }
}

open_struct! {
    /// A hook printed something.
    pub struct HookProgressMessage ["type" = "system", "subtype" = "hook_progress"] {
        /// This run of the hook.
        pub hook_id: String,
        /// The hook's name.
        pub hook_name: Option<String>,
        /// The moment at which it runs.
        pub hook_event: Option<HookEvent>,
        /// What it wrote to its standard output.
        pub stdout: Option<String>,
        /// What it wrote to its standard error.
        pub stderr: Option<String>,
        /// Both together.
        pub output: Option<String>,
        /// The id of this message.
        pub uuid: Option<String>,
        /// The session.
        pub session_id: Option<String>,
    }
}

open_struct! {
    /// A hook is done.
    pub struct HookResponseMessage ["type" = "system", "subtype" = "hook_response"] {
        /// This run of the hook.
        pub hook_id: String,
        /// The hook's name.
        pub hook_name: Option<String>,
        /// The moment at which it ran.
        pub hook_event: Option<HookEvent>,
        /// What it wrote to its standard output.
        pub stdout: Option<String>,
        /// What it wrote to its standard error.
        pub stderr: Option<String>,
        /// Both together.
        pub output: Option<String>,
        /// The exit code; absent when it was not a program or was killed.
        pub exit_code: Option<i64>,
        /// How it ended.
        pub outcome: Option<HookOutcome>,
        /// The id of this message.
        pub uuid: Option<String>,
        /// The session.
        pub session_id: Option<String>,
    }
}

open_enum! {
    /// How a hook ended.
    pub enum HookOutcome {
        /// Well.
        Success = "success",
        /// Badly.
        Error = "error",
        /// It was stopped.
        Cancelled = "cancelled",
    }
}
