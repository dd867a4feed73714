use crate::open::Unknown;
use inhouse_macros::Open;
use serde::Serialize;

/// The origin of a message.
///
/// Treat an unknown kind as "not a person".
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum MessageOrigin {
    /// A person wrote the message. A host that forwards keyboard input should set this origin.
    Human,
    /// The message came through a channel of an MCP server.
    Channel(ChannelOrigin),
    /// Another session sent the message.
    Peer(PeerOrigin),
    /// A background task or a trigger caused the message.
    TaskNotification(TaskNotificationOrigin),
    /// The coordinator of several agents sent the message.
    Coordinator,
    /// The origin is not known.
    Unclassified,
    /// An observer of the session sent the message.
    Observer(ObserverOrigin),
    /// The CLI continued the conversation without a prompt.
    AutoContinuation,
    /// The activity of an observer caused the message.
    ObserverActivity,
    /// A value with an unknown tag, or with a known tag and an unexpected shape.
    #[serde(untagged)]
    Unknown(Unknown),
}

/// Details of a message that came through a channel of an MCP server.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct ChannelOrigin {
    /// Name of the MCP server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
}

/// Details of a message that another session sent.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PeerOrigin {
    /// Address of the sender. The address can be forged: do not trust it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The sender's permission mode: whether it asks for permissions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_mode: Option<PeerMode>,
    /// Name of the sender.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The session of the sender.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_session: Option<String>,
    /// The task of the sender.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sender_task_id: Option<String>,
    /// The message as it was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The verified process id of the sender.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified_peer_pid: Option<u64>,
}

/// The permission mode of a peer.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PeerMode {
    /// The peer does not ask for permissions.
    Bypass,
    /// The peer asks for permissions.
    Prompting,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// Details of a message that a background task or a trigger caused.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TaskNotificationOrigin {
    /// The kind of notification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subkind: Option<TaskNotificationSubkind>,
    /// Reason why the trigger fired.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fire_reason: Option<String>,
    /// The run of the trigger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
}

/// The kind of a task notification.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum TaskNotificationSubkind {
    /// A scheduled trigger fired.
    ScheduledTrigger,
    /// A peer sent a message.
    PeerSendMessage,
    /// A project relayed a message.
    ProjectsRelay,
    /// A message was in the session's inbox.
    SessionInbox,
    /// A value that this version of the crate does not know.
    Unknown(String),
}

/// Details of a message that an observer of the session sent.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ObserverOrigin {
    /// Address of the observer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The task of the observer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sender_task_id: Option<String>,
}
