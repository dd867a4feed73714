use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::wire::{MessageText, Skim, unquote};

/// A JSON-RPC message, read in place.
#[derive(Clone, Debug)]
pub enum Rpc<'a> {
    /// It wants an answer under its id.
    Request {
        /// The id as it stood there: a number or a string.
        id: &'a str,
        /// What is wanted.
        method: Cow<'a, str>,
        /// With what.
        params: Option<&'a str>,
    },
    /// It only tells something.
    Notification {
        /// What is told.
        method: Cow<'a, str>,
        /// With what.
        params: Option<&'a str>,
    },
    /// It answers a request of the server.
    Response {
        /// The id of that request.
        id: &'a str,
        /// The result, or the error object.
        outcome: Result<&'a str, &'a str>,
    },
}

/// Why a message or a request failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RpcError {
    /// The kind of failure.
    pub code: i32,
    /// What went wrong, for people. The model may read it.
    pub message: String,
    /// What went wrong, for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<serde_json::Value>,
}

/// The codes of JSON-RPC and of MCP.
pub struct ErrorCode;

impl ErrorCode {
    /// It is not JSON.
    pub const PARSE: i32 = -32700;
    /// It is JSON, but no message.
    pub const INVALID_REQUEST: i32 = -32600;
    /// There is no such method, or no such server.
    pub const METHOD_NOT_FOUND: i32 = -32601;
    /// What the method needs is missing or wrong.
    pub const INVALID_PARAMS: i32 = -32602;
    /// The server failed.
    pub const INTERNAL: i32 = -32603;
    /// The request was cancelled.
    pub const CANCELLED: i32 = -32800;
}

impl<'a> Rpc<'a> {
    /// Reads a message.
    ///
    /// # Errors
    /// With the code for what is wrong with it, and its id if it has one.
    pub fn parse(text: &'a str) -> Result<Self, (RpcError, Option<&'a str>)> {
        let mut skim = Skim::new(text);
        let message = MessageText::read(&mut skim).flatten();
        match message.filter(|_| skim.end().is_some()) {
            Some(message) => Self::of(message),
            // This way tells what is wrong.
            None => Self::new(Fields::with_care(text).map_err(|error| (error, None))?),
        }
    }

    /// Reads a message whose members are known already.
    pub(crate) fn of(message: MessageText<'a>) -> Result<Self, (RpcError, Option<&'a str>)> {
        let fields = match Fields::of(message) {
            Some(fields) => fields,
            None => Fields::with_care(message.text).map_err(|error| (error, None))?,
        };
        Self::new(fields)
    }

    fn new(fields: Fields<'a>) -> Result<Self, (RpcError, Option<&'a str>)> {
        // `null` is not an id that could be answered.
        let id = fields.id;
        if id.is_some_and(|id| !matches!(id.as_bytes()[0], b'"' | b'-' | b'0'..=b'9')) {
            let error = RpcError::new(ErrorCode::INVALID_REQUEST, "an id is a string or a number");
            return Err((error, None));
        }
        if fields.method.as_deref() == Some("") {
            let error = RpcError::new(ErrorCode::INVALID_REQUEST, "the method is empty");
            return Err((error, id));
        }
        match (fields.method, id, fields.result, fields.error) {
            (Some(method), Some(id), _, _) => Ok(Self::Request {
                id,
                method,
                params: fields.params,
            }),
            (Some(method), None, _, _) => Ok(Self::Notification {
                method,
                params: fields.params,
            }),
            (None, Some(id), Some(result), _) => Ok(Self::Response {
                id,
                outcome: Ok(result),
            }),
            (None, Some(id), None, Some(error)) => Ok(Self::Response {
                id,
                outcome: Err(error),
            }),
            (None, id, _, _) => {
                let text = "neither a method nor a result: this is no message";
                Err((RpcError::new(ErrorCode::INVALID_REQUEST, text), id))
            }
        }
    }
}

impl RpcError {
    /// A failure of a kind.
    #[must_use]
    pub fn new(code: i32, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }
}

/// The members of a message.
struct Fields<'a> {
    id: Option<&'a str>,
    method: Option<Cow<'a, str>>,
    params: Option<&'a str>,
    result: Option<&'a str>,
    error: Option<&'a str>,
}

impl<'a> Fields<'a> {
    /// `None` when something about them is odd.
    fn of(message: MessageText<'a>) -> Option<Self> {
        if !message.text.starts_with('{') {
            return None;
        }
        let method = match message.method {
            Some(method) => Some(unquote(method)?),
            None => None,
        };
        Some(Self {
            id: message.id,
            method,
            params: message.params,
            result: message.result,
            error: message.error,
        })
    }

    fn with_care(text: &'a str) -> Result<Self, RpcError> {
        #[derive(Deserialize)]
        struct Raw<'a> {
            #[serde(borrow)]
            id: Option<&'a RawValue>,
            #[serde(borrow)]
            method: Option<Cow<'a, str>>,
            #[serde(borrow)]
            params: Option<&'a RawValue>,
            #[serde(borrow)]
            result: Option<&'a RawValue>,
            #[serde(borrow)]
            error: Option<&'a RawValue>,
        }
        let raw: Raw<'a> = serde_json::from_str(text).map_err(|error| {
            let code = match error.classify() {
                serde_json::error::Category::Data => ErrorCode::INVALID_REQUEST,
                _ => ErrorCode::PARSE,
            };
            RpcError::new(code, error.to_string())
        })?;
        // serde would take a list for the members in order.
        if !text.trim_start().starts_with('{') {
            let text = "a message is an object";
            return Err(RpcError::new(ErrorCode::INVALID_REQUEST, text));
        }
        Ok(Self {
            id: raw.id.map(RawValue::get),
            method: raw.method,
            params: raw.params.map(RawValue::get),
            result: raw.result.map(RawValue::get),
            error: raw.error.map(RawValue::get),
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
    fn messages_are_told_apart_by_method_first() {
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
    fn a_null_id_is_a_notification() {
        assert!(matches!(
            Rpc::parse(r#"{"id":null,"method":"ping"}"#),
            Ok(Rpc::Notification { .. })
        ));
    }

    #[test]
    fn each_kind_of_nonsense_has_its_code() {
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
