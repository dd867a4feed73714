use super::event::hook_event;
use crate::open::open_enum;

hook_event! {
    /// A prompt is about to reach the model.
    ///
    /// Also one that the CLI wrote itself, such as the news that a background task is done.
    pub struct UserPromptSubmit {
        /// The prompt.
        pub prompt: String,
        /// Who wrote it.
        pub source: Option<PromptSource>,
        /// The title of the session.
        pub session_title: Option<String>,
    }
}

hook_event! {
    /// A slash command or a prompt of an MCP server is about to become a prompt.
    pub struct UserPromptExpansion {
        /// What is expanded.
        pub expansion_type: ExpansionType,
        /// The name of the command, without the slash.
        pub command_name: String,
        /// What stood behind it.
        pub command_args: String,
        /// Where the command comes from.
        pub command_source: Option<String>,
        /// The prompt as it was sent.
        pub prompt: String,
    }
}

open_enum! {
    /// Who wrote a prompt.
    pub enum PromptSource {
        /// A person at the terminal.
        User = "user",
        /// A host.
        Sdk = "sdk",
        /// The CLI.
        System = "system",
        /// A loop of the CLI.
        LoopWakeup = "loop_wakeup",
        /// A schedule of the CLI.
        ScheduleWakeup = "schedule_wakeup",
        /// Something that the CLI watches.
        PollEvent = "poll_event",
    }
}

open_enum! {
    /// What becomes a prompt.
    pub enum ExpansionType {
        /// A slash command.
        SlashCommand = "slash_command",
        /// A prompt of an MCP server.
        McpPrompt = "mcp_prompt",
    }
}
