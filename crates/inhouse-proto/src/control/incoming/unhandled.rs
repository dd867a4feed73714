use serde::Serialize;

use super::{Answer, ElicitationAnswer, Incoming, McpMessage, UnknownRequest};
use crate::mcp::{ErrorCode, Rpc, RpcError, acknowledgement, error_payload};

/// Requests of remote sessions, which belong to another client.
const NOT_FOR_US: [&str; 4] = [
    "remote_tool_call",
    "remote_plumbing_call",
    "remote_tools_probe",
    "remote_tools_reannounce",
];

impl Incoming<'_> {
    /// What a host answers that has no handler for the request.
    ///
    /// No tool runs because of it, and the CLI never waits for an answer that does not come, with
    /// two exceptions where silence is what it expects: dialogs, and requests of remote sessions.
    #[must_use]
    pub fn unhandled(&self) -> Answer {
        match self {
            Self::CanUseTool(request) => Answer::error(format!(
                "nobody decides about {}: set a permission handler, or allow the tool by a rule",
                request.tool_name
            )),
            Self::HookCallback(request) => Answer::error(format!(
                "no hook has the id {}: register it in `initialize`",
                request.callback_id
            )),
            Self::McpMessage(request) => no_server(request),
            Self::Elicitation(_) => success(&ElicitationAnswer::Decline),
            // A refusal would be taken for the decision of a person.
            Self::RequestUserDialog(_) => Answer::Silence,
            Self::OauthTokenRefresh(_) | Self::HostAuthTokenRefresh(_) => Answer::error(format!(
                "this host has no tokens to give: {} has no handler",
                self.subtype()
            )),
            Self::Unknown(request) => not_understood(request),
        }
    }
}

fn not_understood(request: &UnknownRequest<'_>) -> Answer {
    let subtype = &*request.subtype;
    match &request.reason {
        _ if NOT_FOR_US.contains(&subtype) || subtype == "request_user_dialog" => Answer::Silence,
        Some(reason) => Answer::error(format!("malformed control request {subtype}: {reason}")),
        None => Answer::Error {
            message: format!("Unsupported control request subtype: {subtype}"),
            code: Some("unsupported_request".to_owned()),
        },
    }
}

/// Answers for a server that is not there.
fn no_server(request: &McpMessage<'_>) -> Answer {
    let server = &request.server_name;
    match request.rpc() {
        Ok(Rpc::Request { id, .. }) => {
            let text = format!("there is no MCP server named {server}");
            let error = RpcError::new(ErrorCode::METHOD_NOT_FOUND, text);
            Answer::Success(error_payload(Some(id), &error))
        }
        Ok(_) => Answer::Success(acknowledgement()),
        Err((error, _)) => Answer::error(format!(
            "malformed message for the MCP server {server}: {}",
            error.message
        )),
    }
}

fn success(payload: &impl Serialize) -> Answer {
    Answer::success(payload).expect("these payloads are objects with string keys")
}
