use crate::open::Unknown;
use inhouse_macros::Open;
use serde::Serialize;

/// Where a message comes from.
///
/// Treat a kind that you do not know as "not a person".
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum MessageOrigin {
    /// A person.
    Human,
    /// A channel of an MCP server.
    Channel(ChannelOrigin),
    /// Another session.
    Peer(PeerOrigin),
    /// A background task or a trigger.
    TaskNotification(TaskNotificationOrigin),
    /// The coordinator of several agents.
    Coordinator,
    /// Nobody knows.
    Unclassified,
    /// An observer of the session.
    Observer(ObserverOrigin),
    /// The CLI, which went on by itself.
    AutoContinuation,
    /// Something that an observer did.
    ObserverActivity,
    /// A value with an unknown tag, or with a known tag and an unexpected shape.
    #[serde(untagged)]
    Unknown(Unknown),
}

impl MessageOrigin {
    /// A person at a keyboard: what a host that forwards typed text should say.
    #[must_use]
    pub fn human() -> Self {
        Self::Human
    }

    /// Whether a person wrote the message.
    #[must_use]
    pub fn is_human(&self) -> bool {
        matches!(self, Self::Human)
    }
}

/// A channel of an MCP server.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[non_exhaustive]
pub struct ChannelOrigin {
    /// The server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
}

/// Another session.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PeerOrigin {
    /// The sender's address. It can be forged: do not trust it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Whether the sender asks for permissions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_mode: Option<PeerMode>,
    /// The sender's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The sender's session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_session: Option<String>,
    /// The sender's task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sender_task_id: Option<String>,
    /// The message as it was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The sender's process, verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified_peer_pid: Option<u64>,
}

/// Whether a peer asks for permissions.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PeerMode {
    /// It does not.
    Bypass,
    /// It does.
    Prompting,
    /// A value that this version does not know.
    Unknown(String),
}

/// A background task or a trigger.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TaskNotificationOrigin {
    /// What kind of notification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subkind: Option<TaskNotificationSubkind>,
    /// Why a trigger fired.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fire_reason: Option<String>,
    /// The run of the trigger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
}

/// The kinds of notifications.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum TaskNotificationSubkind {
    /// A scheduled trigger fired.
    ScheduledTrigger,
    /// A peer sent a message.
    PeerSendMessage,
    /// A project passed something on.
    ProjectsRelay,
    /// Something lay in the session's inbox.
    SessionInbox,
    /// A value that this version does not know.
    Unknown(String),
}

/// An observer of the session.
#[derive(Clone, Debug, PartialEq, Serialize, Open)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ObserverOrigin {
    /// The observer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Its task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sender_task_id: Option<String>,
}
