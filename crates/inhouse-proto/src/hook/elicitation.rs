use super::HookCommon;
use inhouse_macros::Open;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::control::incoming::ElicitationMode;

/// Event that fires before the elicitation of an MCP server is shown to the user.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Elicitation {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The name of the MCP server.
    pub mcp_server_name: String,
    /// Question that the server asks.
    pub message: String,
    /// The way in which the user answers: a form or a web page.
    pub mode: Option<ElicitationMode>,
    /// The URL of the web page to open.
    pub url: Option<String>,
    /// The id of the elicitation.
    pub elicitation_id: Option<String>,
    /// JSON schema of the answer.
    pub requested_schema: Option<Map<String, Value>>,
}

/// Event that fires after the user has answered the elicitation of an MCP server.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct ElicitationResult {
    /// The members that all hook events share.
    #[serde(flatten)]
    pub common: HookCommon,
    /// The name of the MCP server.
    pub mcp_server_name: String,
    /// The id of the elicitation.
    pub elicitation_id: Option<String>,
    /// The way in which the user answered: a form or a web page.
    pub mode: Option<ElicitationMode>,
    /// Action that the user took.
    pub action: ElicitationAction,
    /// The values of the submitted form.
    pub content: Option<Map<String, Value>>,
}

/// Action of the user on the elicitation of an MCP server.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Open)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ElicitationAction {
    /// The user answered the question.
    Accept,
    /// The user declined to answer.
    Decline,
    /// The user dismissed the question without a decision.
    Cancel,
    /// A value that this version of the crate does not know.
    Unknown(String),
}
