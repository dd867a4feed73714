use crate::control::outgoing::SlashCommand;
use crate::open::open_struct;

open_struct! {
    /// What a slash command that never reached the model printed.
    pub struct LocalCommandOutputMessage ["type" = "system", "subtype" = "local_command_output"] {
        /// The text.
        pub content: String,
        /// The id of this message.
        pub uuid: Option<String>,
        /// The session.
        pub session_id: Option<String>,
    }
}

open_struct! {
    /// The set of slash commands changed.
    pub struct CommandsChangedMessage ["type" = "system", "subtype" = "commands_changed"] {
        /// The commands that there are now, all of them.
        pub commands: Vec<SlashCommand>,
        /// The id of this message.
        pub uuid: Option<String>,
        /// The session.
        pub session_id: Option<String>,
    }
}
