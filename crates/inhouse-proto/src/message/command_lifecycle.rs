use inhouse_macros::Open;

/// Reports the state of a queued prompt for which the host chose an id. Not in the official SDK's types.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct CommandLifecycleMessage {
    /// The id of the prompt.
    pub command_uuid: String,
    /// The state of the prompt.
    pub state: CommandState,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session that the message belongs to.
    pub session_id: Option<String>,
}

/// The state of a prompt in the queue.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CommandState {
    /// The prompt waits in the queue.
    Queued,
    /// A turn is processing the prompt.
    Started,
    /// The turn of the prompt has ended.
    Completed,
    /// The prompt was cancelled before its turn started.
    Cancelled,
    /// A value that this version of the crate does not know.
    Unknown(String),
}
