use ::rmcp::model::{
    CancelledNotification, ClientJsonRpcMessage, ClientNotification, CustomNotification, ErrorData,
    InitializedNotification, JsonRpcMessage, ProgressNotification, RequestId,
    RootsListChangedNotification,
};
use inhouse_proto::mcp::Rpc;
use inhouse_proto::wire::parse_json;
use serde::de::DeserializeOwned;

/// Parses a message for `rmcp`'s service loop: a notification of the CLI, or its response to a request
/// of the server. Returns `None` for requests and invalid messages.
pub(super) fn parse(message: &str) -> Option<ClientJsonRpcMessage> {
    match Rpc::parse(message).ok()? {
        Rpc::Notification { method, .. } => {
            notification(&method, message).map(JsonRpcMessage::notification)
        }
        Rpc::Response { id, outcome } => {
            let id = request_id(id);
            Some(match outcome {
                Ok(result) => JsonRpcMessage::response(from_raw(result)?, id),
                Err(error) => JsonRpcMessage::error(from_raw::<ErrorData>(error)?, Some(id)),
            })
        }
        Rpc::Request { .. } => None,
    }
}

/// Converts an id; one that is neither a number nor a string becomes its JSON text.
pub(super) fn request_id(id: &str) -> RequestId {
    from_raw(id).unwrap_or_else(|| RequestId::String(id.into()))
}

fn notification(method: &str, message: &str) -> Option<ClientNotification> {
    Some(match method {
        "notifications/initialized" => from_raw::<InitializedNotification>(message)?.into(),
        "notifications/cancelled" => from_raw::<CancelledNotification>(message)?.into(),
        "notifications/progress" => from_raw::<ProgressNotification>(message)?.into(),
        "notifications/roots/list_changed" => {
            from_raw::<RootsListChangedNotification>(message)?.into()
        }
        _ => from_raw::<CustomNotification>(message)?.into(),
    })
}

fn from_raw<T: DeserializeOwned>(json: &str) -> Option<T> {
    parse_json(json)
        .inspect_err(|error| tracing::debug!(%error, "invalid message from the CLI"))
        .ok()
}
