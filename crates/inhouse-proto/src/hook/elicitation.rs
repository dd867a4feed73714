use super::{HookCommon, HookEvent};
use inhouse_macros::Open;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::control::incoming::ElicitationMode;

/// An MCP server is about to ask a person something.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Elicitation {
    /// The members that all events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The server.
    pub mcp_server_name: String,
    /// What it wants to know.
    pub message: String,
    /// How the person answers.
    pub mode: Option<ElicitationMode>,
    /// The page to open.
    pub url: Option<String>,
    /// The id of the question.
    pub elicitation_id: Option<String>,
    /// The JSON schema of the answer.
    pub requested_schema: Option<Map<String, Value>>,
}

impl HookEvent for Elicitation {
    const NAME: &'static str = "Elicitation";
}

/// A person has answered an MCP server.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct ElicitationResult {
    /// The members that all events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The server.
    pub mcp_server_name: String,
    /// The id of the question.
    pub elicitation_id: Option<String>,
    /// How the person answered.
    pub mode: Option<ElicitationMode>,
    /// What the person did.
    pub action: ElicitationAction,
    /// The form that was filled in.
    pub content: Option<Map<String, Value>>,
}

impl HookEvent for ElicitationResult {
    const NAME: &'static str = "ElicitationResult";
}

/// What a person did about the question of an MCP server.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ElicitationAction {
    /// Answered it.
    Accept,
    /// Refused to answer.
    Decline,
    /// Went away.
    Cancel,
    /// A value that this version does not know.
    Unknown(String),
}
