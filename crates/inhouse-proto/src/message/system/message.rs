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

/// Message about an event around the conversation, discriminated by its `subtype`.
///
/// A subtype that this version does not know arrives as [`Message::Unknown`](crate::message::Message::Unknown) with the
/// tag `system/<subtype>`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SystemMessage {
    /// A turn starts. The message describes the session.
    Init(Received<InitMessage>),
    /// The conversation was compacted at this point.
    CompactBoundary(Received<CompactBoundaryMessage>),
    /// The activity of the CLI changed.
    Status(Received<StatusMessage>),
    /// An API call failed and will be retried.
    ApiRetry(Received<ApiRetryMessage>),
    /// A long-running control request of the host makes progress.
    ControlRequestProgress(Received<ControlRequestProgressMessage>),
    /// The model refused, and the CLI switched to a fallback model.
    ModelRefusalFallback(Received<ModelRefusalFallbackMessage>),
    /// The model refused, and there is no fallback model.
    ModelRefusalNoFallback(Received<ModelRefusalNoFallbackMessage>),
    /// A local slash command printed output.
    LocalCommandOutput(Received<LocalCommandOutputMessage>),
    /// A hook was started.
    HookStarted(Received<HookStartedMessage>),
    /// A running hook printed output.
    HookProgress(Received<HookProgressMessage>),
    /// A hook has finished.
    HookResponse(Received<HookResponseMessage>),
    /// The installation of plugins makes progress.
    PluginInstall(Received<PluginInstallMessage>),
    /// A task was started.
    TaskStarted(Received<TaskStartedMessage>),
    /// The state of a task changed.
    TaskUpdated(Received<TaskUpdatedMessage>),
    /// A task makes progress.
    TaskProgress(Received<TaskProgressMessage>),
    /// A task has ended.
    TaskNotification(Received<TaskNotificationMessage>),
    /// The set of background tasks changed.
    BackgroundTasksChanged(Received<BackgroundTasksChangedMessage>),
    /// The model is thinking. The message counts the tokens.
    ThinkingTokens(Received<ThinkingTokensMessage>),
    /// The session became idle, became busy, or waits for the user.
    SessionStateChanged(Received<SessionStateChangedMessage>),
    /// A remote worker is shutting down.
    WorkerShuttingDown(Received<WorkerShuttingDownMessage>),
    /// The set of slash commands changed.
    CommandsChanged(Received<CommandsChangedMessage>),
    /// A notification is to be shown to the user for a limited time.
    Notification(Received<NotificationMessage>),
    /// Files were uploaded, or could not be uploaded.
    FilesPersisted(Received<FilesPersistedMessage>),
    /// Memories of earlier sessions were added to the conversation.
    MemoryRecall(Received<MemoryRecallMessage>),
    /// An elicitation of an MCP server was completed outside of the session.
    ElicitationComplete(Received<ElicitationCompleteMessage>),
    /// A tool call was denied.
    PermissionDenied(Received<PermissionDeniedMessage>),
    /// A text is to be shown in the conversation.
    Informational(Received<InformationalMessage>),
    /// The disk is full, and the transcript is incomplete.
    SessionWritesLost(Received<SessionWritesLostMessage>),
    /// A batch of entries is missing from a session store. Created by the official SDKs.
    MirrorError(Received<MirrorErrorMessage>),
    /// A turn was summarized. Not in the official SDK's types.
    PostTurnSummary(Received<PostTurnSummaryMessage>),
    /// A task was summarized. Not in the official SDK's types.
    TaskSummary(Received<TaskSummaryMessage>),
    /// The message holds metadata of the session. Not in the official SDK's types.
    SessionMetadata(Received<SessionMetadataMessage>),
    /// The title of the session changed. Not in the official SDK's types.
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
