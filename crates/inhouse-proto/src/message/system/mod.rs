//! System messages: events around the conversation, discriminated by `subtype`.
//!
//! System messages can arrive at any time, including before the first prompt is answered and after a result. Some carry
//! a complete state instead of a change ([`BackgroundTasksChangedMessage`], [`CommandsChangedMessage`],
//! [`InitMessage`]): the newest one replaces all earlier ones.

mod command;
mod compact;
mod control_progress;
mod elicitation;
mod files;
mod hook;
mod init;
mod memory;
mod message;
mod mirror;
mod notification;
mod permission;
mod plugin;
mod refusal;
mod retry;
mod session;
mod status;
mod summary;
mod task;
mod task_notification;
mod thinking;

pub use self::command::{CommandsChangedMessage, LocalCommandOutputMessage};
pub use self::compact::{
    CompactBoundaryMessage, CompactMetadata, CompactTrigger, PreservedMessages, PreservedSegment,
};
pub use self::control_progress::{ControlRequestProgressMessage, ControlRequestProgressStatus};
pub use self::elicitation::ElicitationCompleteMessage;
pub use self::files::{FilesPersistedMessage, PersistFailure, PersistedFile};
pub use self::hook::{HookOutcome, HookProgressMessage, HookResponseMessage, HookStartedMessage};
pub use self::init::{
    ApiKeySource, InitMcpServer, InitMessage, InitPlugin, InitPluginError, ManagedLock, ViewMode,
};
pub use self::memory::{MemoryRecallMessage, MemoryRecallMode, MemoryScope, RecalledMemory};
pub use self::message::SystemMessage;
pub use self::mirror::{MirrorErrorMessage, MirrorKey};
pub use self::notification::{
    InformationalLevel, InformationalMessage, NotificationMessage, NotificationPriority,
};
pub use self::permission::PermissionDeniedMessage;
pub use self::plugin::{PluginInstallMessage, PluginInstallStatus};
pub use self::refusal::{
    ModelRefusalFallbackMessage, ModelRefusalNoFallbackMessage, RefusalDirection, RefusalScope,
};
pub use self::retry::{ApiRetryMessage, NoResponse};
pub use self::session::{
    LostWrites, SessionMetadataMessage, SessionState, SessionStateChangedMessage,
    SessionTitleChangedMessage, SessionWritesLostMessage, WorkerShuttingDownMessage,
    WritesLostCode,
};
pub use self::status::{CompactResult, StatusActivity, StatusMessage};
pub use self::summary::{PostTurnSummaryMessage, TaskSummaryMessage};
pub use self::task::{
    BackgroundTask, BackgroundTasksChangedMessage, TaskPatch, TaskProgressMessage,
    TaskStartedMessage, TaskStatus, TaskUpdatedMessage, TaskUsage,
};
pub use self::task_notification::{
    TaskNotificationMessage, TaskNotificationStatus, TaskResourceLink,
};
pub use self::thinking::ThinkingTokensMessage;
