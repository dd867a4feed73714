use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::error::Category;
use serde_json::value::RawValue;

use crate::wire::unquote;

/// A JSON-RPC message that borrows from its text.
#[derive(Clone, Debug)]
pub enum Rpc<'a> {
    /// A request, which must be answered with its id.
    Request {
        /// The id as JSON text: a number or a string.
        id: &'a str,
        /// The name of the requested method.
        method: Cow<'a, str>,
        /// The parameters as JSON text; `None` if there are none.
        params: Option<&'a str>,
    },
    /// A notification, which has no response.
    Notification {
        /// The name of the notification, such as `notifications/initialized`.
        method: Cow<'a, str>,
        /// The parameters as JSON text; `None` if there are none.
        params: Option<&'a str>,
    },
    /// A response to a request of the server.
    Response {
        /// The id of the request as JSON text.
        id: &'a str,
        /// The result, or the error object, as JSON text.
        outcome: Result<&'a str, &'a str>,
    },
}

/// The error object of a JSON-RPC response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RpcError {
    /// The error code, see [`ErrorCode`].
    pub code: i32,
    /// A description of the error. The CLI may pass it to the model.
    pub message: String,
    /// Machine-readable details of the error; `None` if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<serde_json::Value>,
}

/// The error codes of JSON-RPC and MCP.
pub struct ErrorCode;

impl ErrorCode {
    /// The message is not valid JSON.
    pub const PARSE: i32 = -32700;
    /// The message is valid JSON, but not a JSON-RPC message.
    pub const INVALID_REQUEST: i32 = -32600;
    /// The method or the server does not exist.
    pub const METHOD_NOT_FOUND: i32 = -32601;
    /// A parameter of the method is missing or invalid.
    pub const INVALID_PARAMS: i32 = -32602;
    /// The server failed with an internal error.
    pub const INTERNAL: i32 = -32603;
    /// The request was cancelled.
    pub const CANCELLED: i32 = -32800;
}

impl<'a> Rpc<'a> {
    /// Parses a JSON-RPC message.
    ///
    /// # Errors
    /// If the text is not a JSON-RPC message: the error to answer with, and the id of the message if it has a valid
    /// one.
    pub fn parse(text: &'a str) -> Result<Self, (RpcError, Option<&'a str>)> {
        let members = Members::read(text).map_err(|error| (error, None))?;
        let id = members.id.map(RawValue::get);
        let invalid = |text: &str| RpcError::new(ErrorCode::INVALID_REQUEST, text);
        // A response needs an id that is a string or a number. serde reads `null` as absent.
        if id.is_some_and(|id| !matches!(id.as_bytes()[0], b'"' | b'-' | b'0'..=b'9')) {
            return Err((invalid("an id is a string or a number"), None));
        }
        let method = members.method.map(|method| unquote(method.get()));
        if method == Some(None) {
            return Err((invalid("the method is not a string"), None));
        }
        let params = members.params.map(RawValue::get);
        match (method.flatten(), id, members.result, members.error) {
            (Some(method), id, _, _) if method.is_empty() => {
                Err((invalid("the method is empty"), id))
            }
            (Some(method), Some(id), _, _) => Ok(Self::Request { id, method, params }),
            (Some(method), None, _, _) => Ok(Self::Notification { method, params }),
            (None, Some(id), Some(result), _) => Ok(Self::Response {
                id,
                outcome: Ok(result.get()),
            }),
            (None, Some(id), None, Some(error)) => Ok(Self::Response {
                id,
                outcome: Err(error.get()),
            }),
            (None, id, _, _) => Err((invalid("the message has neither a method nor a result"), id)),
        }
    }
}

impl RpcError {
    /// Creates an error with a code and a message.
    #[must_use]
    pub fn new(code: i32, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }
}

/// The members of a JSON-RPC message.
#[derive(Deserialize)]
struct Members<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<&'a RawValue>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

impl<'a> Members<'a> {
    fn read(text: &'a str) -> Result<Self, RpcError> {
        // serde would read an array as the members of the struct in order.
        if text.trim_start().starts_with('[') {
            return Err(RpcError::new(
                ErrorCode::INVALID_REQUEST,
                "a message is an object",
            ));
        }
        serde_json::from_str(text).map_err(|error| {
            let code = match error.classify() {
                Category::Data => ErrorCode::INVALID_REQUEST,
                _ => ErrorCode::PARSE,
            };
            RpcError::new(code, error.to_string())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> i32 {
        match Rpc::parse(text) {
            Err((error, _)) => error.code,
            Ok(message) => panic!("{text} is {message:?}"),
        }
    }

    #[test]
    fn method_determines_the_kind_of_message() {
        assert!(matches!(
            Rpc::parse(r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"x":1}}"#),
            Ok(Rpc::Request { id, method, params: Some(params) })
                if id == "7" && method == "tools/call" && params == r#"{"x":1}"#
        ));
        assert!(matches!(
            Rpc::parse(r#"{"method":"a\/b","id":"x","result":{}}"#),
            Ok(Rpc::Request { id, method, params: None }) if id == "\"x\"" && method == "a/b"
        ));
        assert!(matches!(
            Rpc::parse(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
            Ok(Rpc::Notification { .. })
        ));
        assert!(matches!(
            Rpc::parse(r#"{"id":1,"result":{}}"#),
            Ok(Rpc::Response { outcome: Ok(_), .. })
        ));
        assert!(matches!(
            Rpc::parse(r#"{"id":1,"error":{"code":1,"message":"no"}}"#),
            Ok(Rpc::Response {
                outcome: Err(_),
                ..
            })
        ));
    }

    #[test]
    fn message_with_a_null_id_is_a_notification() {
        assert!(matches!(
            Rpc::parse(r#"{"id":null,"method":"ping"}"#),
            Ok(Rpc::Notification { .. })
        ));
    }

    #[test]
    fn invalid_messages_have_the_matching_code() {
        assert_eq!(code("{"), ErrorCode::PARSE);
        assert_eq!(code("nonsense"), ErrorCode::PARSE);
        assert_eq!(code("[]"), ErrorCode::INVALID_REQUEST);
        assert_eq!(code(r#"[7, "ping"]"#), ErrorCode::INVALID_REQUEST);
        assert_eq!(code("7"), ErrorCode::INVALID_REQUEST);
        assert_eq!(code("{}"), ErrorCode::INVALID_REQUEST);
        assert_eq!(code(r#"{"id":1}"#), ErrorCode::INVALID_REQUEST);
        assert_eq!(code(r#"{"id":1,"method":7}"#), ErrorCode::INVALID_REQUEST);
        assert_eq!(code(r#"{"id":1,"method":""}"#), ErrorCode::INVALID_REQUEST);
        assert_eq!(code(r#"{"method":""}"#), ErrorCode::INVALID_REQUEST);
        assert_eq!(
            code(r#"{"id":{},"method":"x"}"#),
            ErrorCode::INVALID_REQUEST
        );
    }
}
