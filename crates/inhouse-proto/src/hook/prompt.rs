use super::{HookCommon, HookEvent};
use inhouse_macros::Open;
use serde::Deserialize;

/// A prompt is about to reach the model.
///
/// Also one that the CLI wrote itself, such as the news that a background task is done.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct UserPromptSubmit {
    /// The members that all events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The prompt.
    pub prompt: String,
    /// Who wrote it.
    pub source: Option<PromptSource>,
    /// The title of the session.
    pub session_title: Option<String>,
}

impl HookEvent for UserPromptSubmit {
    const NAME: &'static str = "UserPromptSubmit";
}

/// A slash command or a prompt of an MCP server is about to become a prompt.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct UserPromptExpansion {
    /// The members that all events share.
    #[serde(flatten)]
    pub common: HookCommon,
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

impl HookEvent for UserPromptExpansion {
    const NAME: &'static str = "UserPromptExpansion";
}

/// Who wrote a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PromptSource {
    /// A person at the terminal.
    User,
    /// A host.
    Sdk,
    /// The CLI.
    System,
    /// A loop of the CLI.
    LoopWakeup,
    /// A schedule of the CLI.
    ScheduleWakeup,
    /// Something that the CLI watches.
    PollEvent,
    /// A value that this version does not know.
    Unknown(String),
}

/// What becomes a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ExpansionType {
    /// A slash command.
    SlashCommand,
    /// A prompt of an MCP server.
    McpPrompt,
    /// A value that this version does not know.
    Unknown(String),
}
