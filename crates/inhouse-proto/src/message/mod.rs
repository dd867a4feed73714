//! Messages of the CLI, and prompts: one [`Message`] for each line of the CLI's output, and [`Prompt`], which the host
//! sends.
//!
//! # Order of messages
//!
//! The host sends a prompt, and a **turn** runs:
//!
//! ```text
//! system/init          the tools, servers and settings of the session; at the start of every turn
//! stream_event …       the answer while it is being written, if enabled
//! assistant …          the answer, one message for each finished content block
//! user …               the results of the tools that the answer called
//! assistant …          and so on, until the model calls no more tools
//! result               the end of the turn
//! ```
//!
//! [System messages](SystemMessage) report everything else, such as tasks, hooks, retries and compaction. Note:
//!
//! - A [`ResultMessage`] ends a turn, not the run. Further messages may follow, and so may further turns (queued
//!   prompts, background tasks that wake the session).
//! - One message of the API arrives as several [`AssistantMessage`]s with the same [`ApiMessage::id`]. Their stop
//!   reason and token counts are provisional; those of the result are final.
//! - A message with a `parent_tool_use_id` belongs to the subagent that this tool call started, not to the main
//!   conversation.
//! - [`AssistantMessage::supersedes`] and [`ModelRefusalFallbackMessage::retracted_message_uuids`] name earlier
//!   messages to remove.
//!
//! # Forward compatibility
//!
//! No JSON object is rejected. [`Message::raw`] returns the complete line, including members without a field. Values
//! outside of an enum are in its `Unknown` variant, and a message that cannot be decoded into a typed form is
//! [`Message::Unknown`]. Encoding a message writes the line that was decoded. Nearly all fields are `Option`: a member
//! is required only if the message is useless without it.
//!
//! Some members and messages are *not in the official SDK's types*: they were seen on the wire, but the official
//! TypeScript SDK does not declare them. They may change with any version of the CLI.
//!
//! # Names
//!
//! A type is named after the tag of the message on the wire: `tool_progress` is [`ToolProgressMessage`], the system
//! subtype `init` is [`InitMessage`]. The two tags that end in `event` have no `Message` suffix: [`StreamEvent`] and
//! [`RateLimitEvent`].

mod active_goal;
mod api_message;
mod assistant;
mod assistant_error;
mod attachment;
mod auth_status;
mod autocompact_state;
mod command_lifecycle;
mod content;
mod context_usage;
mod conversation_reset;
mod fast_mode;
mod gap;
mod hook_event_name;
#[allow(clippy::module_inception, reason = "the module of the type `Message`")]
mod message;
mod model_usage;
mod origin;
mod priority;
mod prompt;
mod prompt_suggestion;
mod rate_limit;
mod received;
mod result;
mod startup_failure;
mod stream_event;
mod system;
mod terminal_reason;
mod tool_progress;
mod tool_use_summary;
mod transcript_mirror;
mod usage;
mod usage_report;
mod user;

pub use self::active_goal::{ActiveGoal, ActiveGoalMessage};
pub use self::api_message::{
    ApiMessage, ApiMessageKind, Container, ContextManagement, Diagnostics, RefusalCategory, Role,
    StopDetails, StopReason,
};
pub use self::assistant::AssistantMessage;
pub use self::assistant_error::AssistantError;
pub use self::attachment::AttachmentMessage;
pub use self::auth_status::AuthStatusMessage;
pub use self::autocompact_state::AutocompactStateMessage;
pub use self::command_lifecycle::{CommandLifecycleMessage, CommandState};
pub use self::content::*;
pub use self::context_usage::{
    ContextCategoryKind, ContextLimitKind, ContextOverLimit, ContextUsage, ContextUsageAgent,
    ContextUsageCategory, ContextUsageMcpTool, ContextUsageMemoryFile, ContextUsageSkill,
};
pub use self::conversation_reset::{ConversationResetMessage, ConversationResetTrigger};
pub use self::fast_mode::{FastModeDisabledReason, FastModeState};
pub use self::gap::{Gap, GapReason};
pub use self::hook_event_name::HookEventName;
pub use self::message::{Message, UnknownMessage};
pub use self::model_usage::{CostBasis, ModelUsage};
pub use self::origin::{
    ChannelOrigin, MessageOrigin, ObserverOrigin, PeerMode, PeerOrigin, TaskNotificationOrigin,
    TaskNotificationSubkind,
};
pub use self::priority::Priority;
pub use self::prompt::Prompt;
pub use self::prompt_suggestion::PromptSuggestionMessage;
pub use self::rate_limit::{
    LimitScope, OverageDisabledReason, RateLimitErrorCode, RateLimitEvent, RateLimitInfo,
    RateLimitStatus, RateLimitType,
};
pub use self::received::Received;
use self::received::received_variants;
pub use self::result::{DeferredToolUse, PermissionDenial, ResultMessage, ResultSubtype};
pub use self::startup_failure::{InvalidConfigFile, StartupFailureReason};
pub use self::stream_event::{
    ApiEvent, CitationsDelta, CompactionDelta, ContentBlockDelta, ContentBlockStart,
    ContentBlockStop, ContentDelta, InputJsonDelta, MessageChange, MessageDelta, MessageStart,
    SignatureDelta, StreamEvent, TextDelta, ThinkingDelta,
};
pub use self::system::*;
pub use self::terminal_reason::{PostQueuedBehind, TerminalReason};
pub use self::tool_progress::{SubagentRetry, ToolProgressMessage};
pub use self::tool_use_summary::ToolUseSummaryMessage;
pub use self::transcript_mirror::TranscriptMirror;
pub use self::usage::{
    CacheCreation, FallbackCredit, OutputTokensDetails, ServerToolUsage, ServiceTier, Speed, Usage,
    UsageIteration, UsageIterationKind,
};
pub use self::usage_report::{
    ExtraUsage, PlanLimit, PlanLimitScope, PlanLimitTarget, PlanLimits, SessionUsage, UsageReport,
};
pub use self::user::{ApiUserMessage, UserMessage};
#[doc(inline)]
pub use crate::open::Unknown;
