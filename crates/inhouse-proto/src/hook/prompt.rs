use super::HookCommon;
use inhouse_macros::Open;
use serde::Deserialize;

/// Event that fires before a prompt is sent to the model.
///
/// Prompts that the CLI writes itself fire it, too, such as the notice that a background task has ended.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct UserPromptSubmit {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The text of the prompt.
    pub prompt: String,
    /// Origin of the prompt.
    pub source: Option<PromptSource>,
    /// The title of the session.
    pub session_title: Option<String>,
}

/// Event that fires before a slash command or a prompt of an MCP server is expanded into a prompt.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct UserPromptExpansion {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// Kind of input that is expanded.
    pub expansion_type: ExpansionType,
    /// The name of the command, without the slash.
    pub command_name: String,
    /// Text after the name of the command.
    pub command_args: String,
    /// Source of the command, such as `projectSettings`.
    pub command_source: Option<String>,
    /// The prompt as it was submitted, before the expansion.
    pub prompt: String,
}

/// Origin of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PromptSource {
    /// A user wrote the prompt at the terminal.
    User,
    /// A host sent the prompt.
    Sdk,
    /// The CLI wrote the prompt.
    System,
    /// A loop of the CLI sent the prompt.
    LoopWakeup,
    /// A schedule of the CLI sent the prompt.
    ScheduleWakeup,
    /// A change in a source that the CLI polls triggered the prompt.
    PollEvent,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// Kind of input that is expanded into a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ExpansionType {
    /// The input is a slash command.
    SlashCommand,
    /// The input is a prompt of an MCP server.
    McpPrompt,
    /// A value that this version of the crate does not know.
    Unknown(String),
}
