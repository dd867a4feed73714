use crate::open::{Extra, open_enum, open_struct, open_union};

open_union! {
    /// Where a message comes from.
    ///
    /// Treat a kind that you do not know as "not a person".
    pub enum MessageOrigin by "kind" {
        /// A person.
        Human(HumanOrigin) = "human",
        /// A channel of an MCP server.
        Channel(ChannelOrigin) = "channel",
        /// Another session.
        Peer(PeerOrigin) = "peer",
        /// A background task or a trigger.
        TaskNotification(TaskNotificationOrigin) = "task-notification",
        /// The coordinator of several agents.
        Coordinator(CoordinatorOrigin) = "coordinator",
        /// Nobody knows.
        Unclassified(UnclassifiedOrigin) = "unclassified",
        /// An observer of the session.
        Observer(ObserverOrigin) = "observer",
        /// The CLI, which went on by itself.
        AutoContinuation(AutoContinuationOrigin) = "auto-continuation",
        /// Something that an observer did.
        ObserverActivity(ObserverActivityOrigin) = "observer-activity",
    }
}

impl MessageOrigin {
    /// A person at a keyboard: what a host that forwards typed text should say.
    #[must_use]
    pub fn human() -> Self {
        Self::Human(HumanOrigin {
            extra: Extra::default(),
        })
    }

    /// Whether a person wrote the message.
    #[must_use]
    pub fn is_human(&self) -> bool {
        matches!(self, Self::Human(_))
    }
}

open_struct! {
    /// A person.
    pub struct HumanOrigin ["kind" = "human"] {}
}

open_struct! {
    /// A channel of an MCP server.
    pub struct ChannelOrigin ["kind" = "channel"] {
        /// The server.
        pub server: Option<String>,
    }
}

open_struct! {
    /// Another session.
    pub struct PeerOrigin ["kind" = "peer"] {
        /// The sender's address. It can be forged: do not trust it.
        pub from: Option<String>,
        /// Whether the sender asks for permissions.
        pub from_mode as "fromMode": Option<PeerMode>,
        /// The sender's name.
        pub name: Option<String>,
        /// The sender's session.
        pub from_session as "fromSession": Option<String>,
        /// The sender's task.
        pub sender_task_id as "senderTaskId": Option<String>,
        /// The message as it was sent.
        pub body: Option<String>,
        /// The sender's process, verified.
        pub verified_peer_pid as "verifiedPeerPid": Option<u64>,
    }
}

open_enum! {
    /// Whether a peer asks for permissions.
    pub enum PeerMode {
        /// It does not.
        Bypass = "bypass",
        /// It does.
        Prompting = "prompting",
    }
}

open_struct! {
    /// A background task or a trigger.
    pub struct TaskNotificationOrigin ["kind" = "task-notification"] {
        /// What kind of notification.
        pub subkind: Option<TaskNotificationSubkind>,
        /// Why a trigger fired.
        pub fire_reason as "fireReason": Option<String>,
        /// The run of the trigger.
        pub run_id as "runId": Option<String>,
    }
}

open_enum! {
    /// The kinds of notifications.
    pub enum TaskNotificationSubkind {
        /// A scheduled trigger fired.
        ScheduledTrigger = "scheduled-trigger",
        /// A peer sent a message.
        PeerSendMessage = "peer-send-message",
        /// A project passed something on.
        ProjectsRelay = "projects-relay",
        /// Something lay in the session's inbox.
        SessionInbox = "session-inbox",
    }
}

open_struct! {
    /// The coordinator of several agents.
    pub struct CoordinatorOrigin ["kind" = "coordinator"] {}
}

open_struct! {
    /// Nobody knows.
    pub struct UnclassifiedOrigin ["kind" = "unclassified"] {}
}

open_struct! {
    /// An observer of the session.
    pub struct ObserverOrigin ["kind" = "observer"] {
        /// The observer.
        pub from: Option<String>,
        /// Its task.
        pub sender_task_id as "senderTaskId": Option<String>,
    }
}

open_struct! {
    /// The CLI, which went on by itself.
    pub struct AutoContinuationOrigin ["kind" = "auto-continuation"] {}
}

open_struct! {
    /// Something that an observer did.
    pub struct ObserverActivityOrigin ["kind" = "observer-activity"] {}
}
