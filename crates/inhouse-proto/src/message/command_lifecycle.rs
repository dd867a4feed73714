use inhouse_macros::Open;

/// How a prompt with an id of the host's fares in the queue. Not declared by the CLI.
#[derive(Clone, Debug, PartialEq, Open)]
#[non_exhaustive]
pub struct CommandLifecycleMessage {
    /// The id of the prompt.
    pub command_uuid: String,
    /// How far it has come.
    pub state: CommandState,
    /// The id of this message.
    pub uuid: Option<String>,
    /// The session.
    pub session_id: Option<String>,
}

/// How far a prompt has come.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CommandState {
    /// It waits.
    Queued,
    /// A turn works on it.
    Started,
    /// Its turn is over.
    Completed,
    /// It was taken back before it ran.
    Cancelled,
    /// A value that this version does not know.
    Unknown(String),
}
