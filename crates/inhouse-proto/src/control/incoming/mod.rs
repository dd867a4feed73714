//! Requests that the CLI sends to the host, and the answers to them.
//!
//! [`IncomingRequest::read`] never fails: a request that cannot be read is [`RequestKind::Malformed`]. A host answers a
//! request for which it has no handler with [`IncomingRequest::unhandled`].

mod answer;
mod ask_user_question;
mod can_use_tool;
mod elicitation;
mod exit_plan_mode;
mod hook_callback;
mod payload;
mod permission_decision;
mod request;
mod token_refresh;
mod unhandled;
mod user_dialog;

pub use self::answer::Answer;
pub use self::ask_user_question::{
    AskUserQuestion, Question, QuestionAnnotation, QuestionAnswers, QuestionOption,
};
pub use self::can_use_tool::{AskRule, CanUseTool, ComputerFolder, DecisionReasonType, ToolOrigin};
pub use self::elicitation::{ElicitationAnswer, ElicitationMode, ElicitationRequest};
pub use self::exit_plan_mode::ExitPlanMode;
pub use self::hook_callback::HookCallback;
pub use self::payload::Payload;
pub(crate) use self::permission_decision::drop_nulls;
pub use self::permission_decision::{
    AllowDecision, DecisionClassification, DenyDecision, PermissionDecision,
};
pub(crate) use self::request::RequestMembers;
pub use self::request::{IncomingRequest, RequestKind};
pub use self::token_refresh::{HostAuthTokenRefresh, OauthTokenRefresh, RefusedCall, TokenState};
pub use self::user_dialog::{DialogAnswer, DialogRequest};
