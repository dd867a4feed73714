use crate::control::outgoing::SlashCommand;
use inhouse_macros::Open;

/// What a slash command that never reached the model printed.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct LocalCommandOutputMessage {
    /// The text.
    pub content: String,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}

/// The set of slash commands changed.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct CommandsChangedMessage {
    /// The commands that there are now, all of them.
    pub commands: Vec<SlashCommand>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}
