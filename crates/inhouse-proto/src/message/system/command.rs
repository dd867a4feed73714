use crate::control::outgoing::SlashCommand;
use inhouse_macros::Open;

/// Message with the output of a slash command that the CLI ran locally, without calling the model.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct LocalCommandOutputMessage {
    /// The text that the command printed.
    pub content: String,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}

/// Message sent when the set of slash commands changed.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct CommandsChangedMessage {
    /// All commands that are available now. The list replaces the previous one; it is not a delta.
    pub commands: Vec<SlashCommand>,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}
