use std::ops::Range;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::RpcError;

/// What stands before the id and after it in a [`result_payload`], and what ends it.
const FRAME: [usize; 2] = [
    r#"{"mcp_response":{"jsonrpc":"2.0","id":,"result":"#.len(),
    "}}".len(),
];

/// The payload that answers an `mcp_message` which went well, and where the result stands in it.
///
/// The id is JSON text. Everything is written once, however large the result is.
///
/// # Errors
/// When the result has no JSON form.
pub fn result_payload(
    id: &str,
    result: &impl Serialize,
) -> serde_json::Result<(Box<RawValue>, Range<usize>)> {
    #[derive(Serialize)]
    struct Response<'a, R> {
        jsonrpc: &'static str,
        id: &'a RawValue,
        result: &'a R,
    }
    let payload = to_raw_value(&Payload {
        mcp_response: Response {
            jsonrpc: "2.0",
            id: serde_json::from_str(id)?,
            result,
        },
    })?;
    let [before, behind] = FRAME;
    let place = before + id.len()..payload.get().len() - behind;
    Ok((payload, place))
}

/// The payload that answers an `mcp_message` which did not; the id is JSON text, absent when it could
/// not be read.
#[must_use]
pub fn error_payload(id: Option<&str>, error: &RpcError) -> Box<RawValue> {
    #[derive(Serialize)]
    struct Response<'a> {
        jsonrpc: &'static str,
        id: Option<&'a RawValue>,
        error: &'a RpcError,
    }
    to_raw_value(&Payload {
        mcp_response: Response {
            jsonrpc: "2.0",
            id: id.and_then(|id| serde_json::from_str(id).ok()),
            error,
        },
    })
    .expect("strings and numbers always have a JSON form")
}

/// The payload that acknowledges an `mcp_message` which wants no response.
///
/// The CLI looks at nothing in it, but some version might want an id.
#[must_use]
pub fn acknowledgement() -> Box<RawValue> {
    const ACKNOWLEDGED: &str = r#"{"mcp_response":{"jsonrpc":"2.0","result":{},"id":0}}"#;
    RawValue::from_string(ACKNOWLEDGED.to_owned()).expect("a constant that is JSON")
}

#[derive(Serialize)]
struct Payload<R> {
    mcp_response: R,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::ErrorCode;

    #[test]
    fn answers_echo_the_id_as_it_stood() {
        let (answer, place) = result_payload("1.50", &"ok").expect("JSON");
        assert_eq!(
            answer.get(),
            r#"{"mcp_response":{"jsonrpc":"2.0","id":1.50,"result":"ok"}}"#
        );
        assert_eq!(&answer.get()[place], r#""ok""#);
        let error = RpcError::new(ErrorCode::METHOD_NOT_FOUND, "no");
        assert_eq!(
            error_payload(None, &error).get(),
            r#"{"mcp_response":{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}}"#
        );
    }
}
