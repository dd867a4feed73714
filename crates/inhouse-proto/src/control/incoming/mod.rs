//! Requests that the CLI makes of the host.
//!
//! [`Incoming::decode`] never fails: what cannot be typed is [`Incoming::Unknown`]. Each request has
//! a handler in the host, or [`Incoming::unhandled`] says what to answer without one.
//!
//! ```
//! use inhouse_proto::control::Incoming;
//!
//! let request = r#"{"subtype": "elicitation", "mcp_server_name": "crm", "message": "Which region?"}"#;
//! let incoming = Incoming::decode(request);
//! assert_eq!(incoming.subtype(), "elicitation");
//! let Incoming::Elicitation(elicitation) = &incoming else { unreachable!() };
//! assert_eq!(elicitation.message, "Which region?");
//! ```

mod answer;
mod ask_user_question;
mod can_use_tool;
mod elicitation;
mod exit_plan_mode;
mod hook_callback;
mod mcp_message;
mod payload;
mod permission_decision;
mod shallow;
mod token_refresh;
mod unhandled;
mod user_dialog;

use std::borrow::Cow;

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

pub use self::answer::Answer;
pub use self::ask_user_question::{
    AskUserQuestion, Question, QuestionAnnotation, QuestionAnswers, QuestionOption,
};
pub use self::can_use_tool::{AskRule, CanUseTool, ComputerFolder, DecisionReasonType, ToolServer};
pub use self::elicitation::{Elicitation, ElicitationAnswer, ElicitationMode};
pub use self::exit_plan_mode::ExitPlanMode;
pub use self::hook_callback::HookCallback;
pub use self::mcp_message::McpMessage;
pub use self::payload::Payload;
pub(crate) use self::permission_decision::drop_nulls;
pub use self::permission_decision::{
    AllowDecision, DecisionClassification, DenyDecision, PermissionDecision,
};
pub use self::token_refresh::{HostAuthTokenRefresh, OauthTokenRefresh, RefusedCall, TokenState};
pub use self::user_dialog::{DialogAnswer, RequestUserDialog};

use self::shallow::Shallow;
use crate::open::{self, Mismatch};

/// What the CLI asks of the host.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Incoming<'a> {
    /// May this tool run?
    CanUseTool(Box<CanUseTool>),
    /// Something happened that a hook was registered for.
    HookCallback(HookCallback<'a>),
    /// A message for an MCP server in the host's process.
    McpMessage(McpMessage<'a>),
    /// An MCP server wants to know something from a person.
    Elicitation(Box<Elicitation>),
    /// A dialog is to be shown to a person.
    RequestUserDialog(RequestUserDialog),
    /// The CLI needs a new OAuth token.
    OauthTokenRefresh(OauthTokenRefresh),
    /// The CLI needs a new token from the host.
    HostAuthTokenRefresh(HostAuthTokenRefresh),
    /// A subtype that this version does not know, or one that it cannot read.
    Unknown(UnknownRequest<'a>),
}

/// A request that this version cannot type, kept whole.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct UnknownRequest<'a> {
    /// The subtype; empty when there was none.
    pub subtype: Cow<'a, str>,
    /// The request as it came.
    pub raw: &'a str,
    /// Why a request with a known subtype could not be typed; `None` when the subtype is unknown.
    pub reason: Option<String>,
}

impl<'a> Incoming<'a> {
    /// Types the `request` object of a control request.
    #[must_use]
    pub fn decode(request: &'a str) -> Self {
        let unknown = |subtype, reason| {
            Self::Unknown(UnknownRequest {
                subtype,
                raw: request,
                reason,
            })
        };
        let mut members: Shallow<'a> = match serde_json::from_str(request) {
            Ok(members) => members,
            Err(error) => return unknown(Cow::Borrowed(""), Some(error.to_string())),
        };
        let subtype = match members.take_string("subtype") {
            Ok(subtype) => subtype,
            Err(mismatch) => return unknown(Cow::Borrowed(""), Some(mismatch.to_string())),
        };
        let typed = match &*subtype {
            // serde reads it as an empty object, and nobody must approve what nobody has seen.
            "can_use_tool" if members.is_null("input") => Err(Mismatch::new("input: it is null")),
            "can_use_tool" => open::decode(request).map(Self::CanUseTool),
            "hook_callback" => HookCallback::from_members(members).map(Self::HookCallback),
            "mcp_message" => McpMessage::from_members(members).map(Self::McpMessage),
            "elicitation" => open::decode(request).map(Self::Elicitation),
            "request_user_dialog" => open::decode(request).map(Self::RequestUserDialog),
            "oauth_token_refresh" => open::decode(request).map(Self::OauthTokenRefresh),
            "host_auth_token_refresh" => open::decode(request).map(Self::HostAuthTokenRefresh),
            _ => return unknown(subtype, None),
        };
        typed.unwrap_or_else(|mismatch| unknown(subtype, Some(mismatch.to_string())))
    }

    /// What the wire calls the request.
    #[must_use]
    pub fn subtype(&self) -> &str {
        match self {
            Self::CanUseTool(_) => "can_use_tool",
            Self::HookCallback(_) => "hook_callback",
            Self::McpMessage(_) => "mcp_message",
            Self::Elicitation(_) => "elicitation",
            Self::RequestUserDialog(_) => "request_user_dialog",
            Self::OauthTokenRefresh(_) => "oauth_token_refresh",
            Self::HostAuthTokenRefresh(_) => "host_auth_token_refresh",
            Self::Unknown(unknown) => &unknown.subtype,
        }
    }
}

impl Serialize for Incoming<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::CanUseTool(request) => request.serialize(serializer),
            Self::HookCallback(request) => request.serialize(serializer),
            Self::McpMessage(request) => request.serialize(serializer),
            Self::Elicitation(request) => request.serialize(serializer),
            Self::RequestUserDialog(request) => request.serialize(serializer),
            Self::OauthTokenRefresh(request) => request.serialize(serializer),
            Self::HostAuthTokenRefresh(request) => request.serialize(serializer),
            Self::Unknown(unknown) => unknown.serialize(serializer),
        }
    }
}

impl Serialize for UnknownRequest<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(self.raw).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}
