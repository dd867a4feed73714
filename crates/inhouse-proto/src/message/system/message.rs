use super::{
    ApiRetryMessage, BackgroundTasksChangedMessage, CommandsChangedMessage, CompactBoundaryMessage,
    ControlRequestProgressMessage, ElicitationCompleteMessage, FilesPersistedMessage,
    HookProgressMessage, HookResponseMessage, HookStartedMessage, InformationalMessage,
    InitMessage, LocalCommandOutputMessage, MemoryRecallMessage, MirrorErrorMessage,
    ModelRefusalFallbackMessage, ModelRefusalNoFallbackMessage, NotificationMessage,
    PermissionDeniedMessage, PluginInstallMessage, PostTurnSummaryMessage, SessionMetadataMessage,
    SessionStateChangedMessage, SessionTitleChangedMessage, SessionWritesLostMessage,
    StatusMessage, TaskNotificationMessage, TaskProgressMessage, TaskStartedMessage,
    TaskSummaryMessage, TaskUpdatedMessage, ThinkingTokensMessage, WorkerShuttingDownMessage,
};
use crate::open::open_union;

open_union! {
    /// A message about what happens around the conversation.
    ///
    /// A subtype that this version does not know arrives as
    /// [`Message::Unknown`](crate::message::Message::Unknown) with the tag `system/<subtype>`;
    /// the variant `Unknown` here is only for values that are decoded on their own.
    pub enum SystemMessage by "subtype" {
        /// A turn begins: what the session consists of.
        Init(Box<InitMessage>) = "init",
        /// The conversation was compacted here.
        CompactBoundary(Box<CompactBoundaryMessage>) = "compact_boundary",
        /// What the CLI is busy with.
        Status(Box<StatusMessage>) = "status",
        /// A call of the API failed and will be repeated.
        ApiRetry(Box<ApiRetryMessage>) = "api_retry",
        /// A request of the host takes long.
        ControlRequestProgress(Box<ControlRequestProgressMessage>) = "control_request_progress",
        /// The model refused and another took over.
        ModelRefusalFallback(Box<ModelRefusalFallbackMessage>) = "model_refusal_fallback",
        /// The model refused and no other took over.
        ModelRefusalNoFallback(Box<ModelRefusalNoFallbackMessage>) = "model_refusal_no_fallback",
        /// What a slash command printed.
        LocalCommandOutput(Box<LocalCommandOutputMessage>) = "local_command_output",
        /// A hook begins.
        HookStarted(Box<HookStartedMessage>) = "hook_started",
        /// A hook printed something.
        HookProgress(Box<HookProgressMessage>) = "hook_progress",
        /// A hook is done.
        HookResponse(Box<HookResponseMessage>) = "hook_response",
        /// Plugins are installed.
        PluginInstall(Box<PluginInstallMessage>) = "plugin_install",
        /// A task begins.
        TaskStarted(Box<TaskStartedMessage>) = "task_started",
        /// A task changed.
        TaskUpdated(Box<TaskUpdatedMessage>) = "task_updated",
        /// A task made progress.
        TaskProgress(Box<TaskProgressMessage>) = "task_progress",
        /// A task ended.
        TaskNotification(Box<TaskNotificationMessage>) = "task_notification",
        /// The set of background tasks changed.
        BackgroundTasksChanged(Box<BackgroundTasksChangedMessage>) = "background_tasks_changed",
        /// The model thinks.
        ThinkingTokens(Box<ThinkingTokensMessage>) = "thinking_tokens",
        /// The session went idle, busy, or waits for the user.
        SessionStateChanged(Box<SessionStateChangedMessage>) = "session_state_changed",
        /// A remote worker shuts down.
        WorkerShuttingDown(Box<WorkerShuttingDownMessage>) = "worker_shutting_down",
        /// The set of slash commands changed.
        CommandsChanged(Box<CommandsChangedMessage>) = "commands_changed",
        /// Something to show to the user for a while.
        Notification(Box<NotificationMessage>) = "notification",
        /// Files were uploaded.
        FilesPersisted(Box<FilesPersistedMessage>) = "files_persisted",
        /// Memories were recalled.
        MemoryRecall(Box<MemoryRecallMessage>) = "memory_recall",
        /// A question of an MCP server was answered elsewhere.
        ElicitationComplete(Box<ElicitationCompleteMessage>) = "elicitation_complete",
        /// A tool call was denied.
        PermissionDenied(Box<PermissionDeniedMessage>) = "permission_denied",
        /// Something to show in the conversation.
        Informational(Box<InformationalMessage>) = "informational",
        /// The disk is full and the transcript has a hole.
        SessionWritesLost(Box<SessionWritesLostMessage>) = "session_writes_lost",
        /// A session store has a hole. Made by the SDK.
        MirrorError(Box<MirrorErrorMessage>) = "mirror_error",
        /// What a turn came to. Not declared by the CLI.
        PostTurnSummary(Box<PostTurnSummaryMessage>) = "post_turn_summary",
        /// What a task is about. Not declared by the CLI.
        TaskSummary(Box<TaskSummaryMessage>) = "task_summary",
        /// Facts about the session. Not declared by the CLI.
        SessionMetadata(Box<SessionMetadataMessage>) = "session_metadata",
        /// The session has a new title. Not declared by the CLI.
        SessionTitleChanged(Box<SessionTitleChangedMessage>) = "session_title_changed",
    }
}

/// Reads one member from whichever message it is; all of them have `uuid` and `session_id`.
macro_rules! member {
    ($message:expr, $member:ident) => {
        match $message {
            SystemMessage::Init(message) => message.$member.as_deref(),
            SystemMessage::CompactBoundary(message) => message.$member.as_deref(),
            SystemMessage::Status(message) => message.$member.as_deref(),
            SystemMessage::ApiRetry(message) => message.$member.as_deref(),
            SystemMessage::ControlRequestProgress(message) => message.$member.as_deref(),
            SystemMessage::ModelRefusalFallback(message) => message.$member.as_deref(),
            SystemMessage::ModelRefusalNoFallback(message) => message.$member.as_deref(),
            SystemMessage::LocalCommandOutput(message) => message.$member.as_deref(),
            SystemMessage::HookStarted(message) => message.$member.as_deref(),
            SystemMessage::HookProgress(message) => message.$member.as_deref(),
            SystemMessage::HookResponse(message) => message.$member.as_deref(),
            SystemMessage::PluginInstall(message) => message.$member.as_deref(),
            SystemMessage::TaskStarted(message) => message.$member.as_deref(),
            SystemMessage::TaskUpdated(message) => message.$member.as_deref(),
            SystemMessage::TaskProgress(message) => message.$member.as_deref(),
            SystemMessage::TaskNotification(message) => message.$member.as_deref(),
            SystemMessage::BackgroundTasksChanged(message) => message.$member.as_deref(),
            SystemMessage::ThinkingTokens(message) => message.$member.as_deref(),
            SystemMessage::SessionStateChanged(message) => message.$member.as_deref(),
            SystemMessage::WorkerShuttingDown(message) => message.$member.as_deref(),
            SystemMessage::CommandsChanged(message) => message.$member.as_deref(),
            SystemMessage::Notification(message) => message.$member.as_deref(),
            SystemMessage::FilesPersisted(message) => message.$member.as_deref(),
            SystemMessage::MemoryRecall(message) => message.$member.as_deref(),
            SystemMessage::ElicitationComplete(message) => message.$member.as_deref(),
            SystemMessage::PermissionDenied(message) => message.$member.as_deref(),
            SystemMessage::Informational(message) => message.$member.as_deref(),
            SystemMessage::SessionWritesLost(message) => message.$member.as_deref(),
            SystemMessage::MirrorError(message) => message.$member.as_deref(),
            SystemMessage::PostTurnSummary(message) => message.$member.as_deref(),
            SystemMessage::TaskSummary(message) => message.$member.as_deref(),
            SystemMessage::SessionMetadata(message) => message.$member.as_deref(),
            SystemMessage::SessionTitleChanged(message) => message.$member.as_deref(),
            SystemMessage::Unknown(unknown) => unknown.raw.get(stringify!($member))?.as_str(),
        }
    };
}

impl SystemMessage {
    /// The session.
    #[must_use]
    pub fn session_id(&self) -> Option<&str> {
        member!(self, session_id)
    }

    /// The id of this message.
    #[must_use]
    pub fn uuid(&self) -> Option<&str> {
        member!(self, uuid)
    }
}
