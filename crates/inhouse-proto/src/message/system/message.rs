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
use crate::message::{Received, received_variants};

/// An event around the conversation, told apart by its `subtype`.
///
/// A subtype that this version does not know arrives as [`Message::Unknown`](crate::message::Message::Unknown) with the
/// tag `system/<subtype>`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SystemMessage {
    /// A turn begins: what the session consists of.
    Init(Received<InitMessage>),
    /// The conversation was compacted here.
    CompactBoundary(Received<CompactBoundaryMessage>),
    /// What the CLI is busy with.
    Status(Received<StatusMessage>),
    /// A call of the API failed and will be repeated.
    ApiRetry(Received<ApiRetryMessage>),
    /// A request of the host takes long.
    ControlRequestProgress(Received<ControlRequestProgressMessage>),
    /// The model refused and another took over.
    ModelRefusalFallback(Received<ModelRefusalFallbackMessage>),
    /// The model refused and no other took over.
    ModelRefusalNoFallback(Received<ModelRefusalNoFallbackMessage>),
    /// What a slash command printed.
    LocalCommandOutput(Received<LocalCommandOutputMessage>),
    /// A hook begins.
    HookStarted(Received<HookStartedMessage>),
    /// A hook printed something.
    HookProgress(Received<HookProgressMessage>),
    /// A hook is done.
    HookResponse(Received<HookResponseMessage>),
    /// Plugins are installed.
    PluginInstall(Received<PluginInstallMessage>),
    /// A task begins.
    TaskStarted(Received<TaskStartedMessage>),
    /// A task changed.
    TaskUpdated(Received<TaskUpdatedMessage>),
    /// A task made progress.
    TaskProgress(Received<TaskProgressMessage>),
    /// A task ended.
    TaskNotification(Received<TaskNotificationMessage>),
    /// The set of background tasks changed.
    BackgroundTasksChanged(Received<BackgroundTasksChangedMessage>),
    /// The model thinks.
    ThinkingTokens(Received<ThinkingTokensMessage>),
    /// The session went idle, busy, or waits for the user.
    SessionStateChanged(Received<SessionStateChangedMessage>),
    /// A remote worker shuts down.
    WorkerShuttingDown(Received<WorkerShuttingDownMessage>),
    /// The set of slash commands changed.
    CommandsChanged(Received<CommandsChangedMessage>),
    /// Something to show to the user for a while.
    Notification(Received<NotificationMessage>),
    /// Files were uploaded.
    FilesPersisted(Received<FilesPersistedMessage>),
    /// Memories were recalled.
    MemoryRecall(Received<MemoryRecallMessage>),
    /// A question of an MCP server was answered elsewhere.
    ElicitationComplete(Received<ElicitationCompleteMessage>),
    /// A tool call was denied.
    PermissionDenied(Received<PermissionDeniedMessage>),
    /// Something to show in the conversation.
    Informational(Received<InformationalMessage>),
    /// The disk is full and the transcript has a hole.
    SessionWritesLost(Received<SessionWritesLostMessage>),
    /// A session store has a hole. Made by the SDK.
    MirrorError(Received<MirrorErrorMessage>),
    /// What a turn came to. Not declared by the CLI.
    PostTurnSummary(Received<PostTurnSummaryMessage>),
    /// What a task is about. Not declared by the CLI.
    TaskSummary(Received<TaskSummaryMessage>),
    /// Facts about the session. Not declared by the CLI.
    SessionMetadata(Received<SessionMetadataMessage>),
    /// The session has a new title. Not declared by the CLI.
    SessionTitleChanged(Received<SessionTitleChangedMessage>),
}

received_variants! { SystemMessage {
    "init" => Init,
    "compact_boundary" => CompactBoundary,
    "status" => Status,
    "api_retry" => ApiRetry,
    "control_request_progress" => ControlRequestProgress,
    "model_refusal_fallback" => ModelRefusalFallback,
    "model_refusal_no_fallback" => ModelRefusalNoFallback,
    "local_command_output" => LocalCommandOutput,
    "hook_started" => HookStarted,
    "hook_progress" => HookProgress,
    "hook_response" => HookResponse,
    "plugin_install" => PluginInstall,
    "task_started" => TaskStarted,
    "task_updated" => TaskUpdated,
    "task_progress" => TaskProgress,
    "task_notification" => TaskNotification,
    "background_tasks_changed" => BackgroundTasksChanged,
    "thinking_tokens" => ThinkingTokens,
    "session_state_changed" => SessionStateChanged,
    "worker_shutting_down" => WorkerShuttingDown,
    "commands_changed" => CommandsChanged,
    "notification" => Notification,
    "files_persisted" => FilesPersisted,
    "memory_recall" => MemoryRecall,
    "elicitation_complete" => ElicitationComplete,
    "permission_denied" => PermissionDenied,
    "informational" => Informational,
    "session_writes_lost" => SessionWritesLost,
    "mirror_error" => MirrorError,
    "post_turn_summary" => PostTurnSummary,
    "task_summary" => TaskSummary,
    "session_metadata" => SessionMetadata,
    "session_title_changed" => SessionTitleChanged,
} }

impl SystemMessage {
    /// Returns the line as the CLI wrote it.
    #[must_use]
    pub fn raw(&self) -> &str {
        self.received_line()
    }
}
