use serde::Serialize;

use super::{
    Answer, CanUseTool, ElicitationAnswer, ElicitationRequest, IncomingRequest, RequestKind,
};
use crate::mcp::{ErrorCode, Rpc, RpcError, acknowledgement, error_payload};

/// Requests of remote sessions. Another client answers them.
const REMOTE: [&str; 4] = [
    "remote_tool_call",
    "remote_plumbing_call",
    "remote_tools_probe",
    "remote_tools_reannounce",
];

impl IncomingRequest {
    /// Returns the answer of a host that has no handler for the request.
    ///
    /// The answer never lets a tool run. Dialogs and requests of remote sessions get no answer, as the CLI expects;
    /// every other request gets one, so the CLI does not wait forever.
    #[must_use]
    pub fn unhandled(&self) -> Answer {
        match &self.kind {
            RequestKind::CanUseTool => match self.decode::<CanUseTool>() {
                Ok(request) => Answer::error(format!(
                    "no handler decides about {}: set a permission handler, or allow the tool by a rule",
                    request.tool_name
                )),
                Err(error) => malformed("can_use_tool", &error.to_string()),
            },
            RequestKind::Hook(callback) => Answer::error(format!(
                "no hook has the id {}: register it in `initialize`",
                &*callback.callback_id
            )),
            RequestKind::ToolCall {
                server_name, id, ..
            } => no_server(server_name, id),
            RequestKind::Mcp {
                server_name,
                message,
            } => no_server_for(server_name, message),
            RequestKind::Elicitation => match self.decode::<ElicitationRequest>() {
                Ok(_) => success(&ElicitationAnswer::Decline),
                Err(error) => malformed("elicitation", &error.to_string()),
            },
            // The CLI treats a refusal as a decision of the user.
            RequestKind::UserDialog => Answer::Silence,
            RequestKind::Other { subtype } => match &**subtype {
                "oauth_token_refresh" | "host_auth_token_refresh" => Answer::error(format!(
                    "this host has no tokens: {} has no handler",
                    self.subtype()
                )),
                remote if REMOTE.contains(&remote) => Answer::Silence,
                other => Answer::Error {
                    message: format!("Unsupported control request subtype: {other}"),
                    code: Some("unsupported_request".to_owned()),
                },
            },
            RequestKind::Malformed { subtype, reason } => malformed(subtype, reason),
        }
    }
}

fn malformed(subtype: &str, reason: &str) -> Answer {
    Answer::error(format!("malformed control request {subtype}: {reason}"))
}

fn no_server_for(server_name: &str, message: &str) -> Answer {
    match Rpc::parse(message) {
        Ok(Rpc::Request { id, .. }) => no_server(server_name, id),
        Ok(_) => Answer::Success(acknowledgement()),
        Err((error, _)) => Answer::error(format!(
            "malformed message for the MCP server {server_name}: {}",
            error.message
        )),
    }
}

fn no_server(server_name: &str, id: &str) -> Answer {
    let text = format!("there is no MCP server named {server_name}");
    let error = RpcError::new(ErrorCode::METHOD_NOT_FOUND, text);
    Answer::Success(error_payload(Some(id), &error))
}

fn success(payload: &impl Serialize) -> Answer {
    Answer::success(payload).expect("these payloads are objects with string keys")
}
