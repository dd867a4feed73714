use serde::Serialize;
use serde_json::value::RawValue;

use self::sealed::Sealed;
use super::{CallToolResult, RpcError};
use crate::control::incoming::Payload;

/// Creates the payload that answers an `mcp_message` with a result, and returns the position of the result in it.
///
/// The id is JSON text. The result is encoded only once, even if it is large.
///
/// # Errors
/// If the result cannot be serialized, or if the id is not JSON.
pub fn result_payload(
    id: &str,
    result: impl WriteResult,
) -> serde_json::Result<(Payload, ResultPlace)> {
    // Large enough for a short answer.
    let mut json = Vec::with_capacity(256);
    json.extend_from_slice(br#"{"mcp_response":{"jsonrpc":"2.0","id":"#);
    json.extend_from_slice(checked_id(id)?.as_bytes());
    json.extend_from_slice(br#","result":"#);
    let place = ResultPlace { start: json.len() };
    result.write(&mut json)?;
    json.extend_from_slice(END);
    Ok((Payload::of_json(json), place))
}

/// The JSON text that follows a result in a payload.
const END: &[u8] = b"}}";

/// The position of the result in a payload of [`result_payload`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultPlace {
    start: usize,
}

impl ResultPlace {
    /// Returns the size of the result in bytes.
    #[must_use]
    pub fn size(self, payload: &Payload) -> usize {
        payload.size() - self.start - END.len()
    }

    /// Returns the JSON text of the result, given the [text](Payload::as_str) of the payload.
    #[must_use]
    pub fn within(self, payload: &str) -> &str {
        &payload[self.start..payload.len() - END.len()]
    }
}

/// A result of an MCP request: [`CallToolResult`] or [`AnyResult`]. The trait is sealed.
pub trait WriteResult: Sealed {}

/// The result of any MCP request, as serde serializes it.
#[derive(Clone, Copy, Debug)]
pub struct AnyResult<'a, T>(
    /// The value to serialize as the result.
    pub &'a T,
);

#[doc(hidden)]
impl WriteResult for CallToolResult {}

impl<T: Serialize> WriteResult for AnyResult<'_, T> {}

/// Prevents other implementations of [`WriteResult`], which could write invalid JSON. The CLI exits at invalid JSON.
mod sealed {
    use serde::Serialize;

    pub trait Sealed {
        /// Appends the result as JSON. After an error the content of the buffer is unspecified.
        fn write(&self, json: &mut Vec<u8>) -> serde_json::Result<()>;
    }

    impl Sealed for super::CallToolResult {
        fn write(&self, json: &mut Vec<u8>) -> serde_json::Result<()> {
            self.write_json(json)
        }
    }

    impl<T: Serialize> Sealed for super::AnyResult<'_, T> {
        fn write(&self, json: &mut Vec<u8>) -> serde_json::Result<()> {
            serde_json::to_writer(json, self.0)
        }
    }
}

/// Creates the payload that answers an `mcp_message` with an error.
///
/// The id is JSON text; pass `None` if the id of the message could not be read.
#[must_use]
pub fn error_payload(id: Option<&str>, error: &RpcError) -> Payload {
    #[derive(Serialize)]
    struct Response<'a> {
        jsonrpc: &'static str,
        id: Option<&'a RawValue>,
        error: &'a RpcError,
    }
    #[derive(Serialize)]
    struct McpResponse<'a> {
        mcp_response: Response<'a>,
    }
    Payload::new(&McpResponse {
        mcp_response: Response {
            jsonrpc: "2.0",
            id: id.and_then(|id| serde_json::from_str(id).ok()),
            error,
        },
    })
    .expect("an error response can be serialized")
}

/// Returns the payload that acknowledges an `mcp_message` without a response.
///
/// The CLI does not read its content. It has an id in case a version of the CLI requires one.
#[must_use]
pub fn acknowledgement() -> Payload {
    Payload::of_constant(r#"{"mcp_response":{"jsonrpc":"2.0","result":{},"id":0}}"#)
}

/// Checks that an id is JSON, because the CLI exits at invalid JSON.
///
/// The fast path accepts positive integers, which the CLI uses.
fn checked_id(id: &str) -> serde_json::Result<&str> {
    let is_number =
        matches!(id.as_bytes(), [b'1'..=b'9', rest @ ..] if rest.iter().all(u8::is_ascii_digit));
    if !is_number {
        serde_json::from_str::<&RawValue>(id)?;
    }
    Ok(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::ErrorCode;

    #[test]
    fn id_that_is_not_json_is_rejected() {
        let result_payload = |id| result_payload(id, AnyResult(&"ok"));
        for id in ["1x", "01", "-", "\"a", "1 2", ""] {
            assert!(result_payload(id).is_err(), "{id}");
        }
        for id in ["0", "7", "-3", "1e5", "\"a\""] {
            assert!(result_payload(id).is_ok(), "{id}");
        }
    }

    #[test]
    fn answer_echoes_the_id_unchanged() {
        let (answer, place) = result_payload("1.50", AnyResult(&"ok")).expect("JSON");
        assert_eq!(
            answer.as_str(),
            r#"{"mcp_response":{"jsonrpc":"2.0","id":1.50,"result":"ok"}}"#
        );
        assert_eq!(place.within(answer.as_str()), r#""ok""#);
        let error = RpcError::new(ErrorCode::METHOD_NOT_FOUND, "no");
        assert_eq!(
            error_payload(None, &error).as_str(),
            r#"{"mcp_response":{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}}"#
        );
    }

    #[test]
    fn long_text_is_encoded_like_a_short_one() {
        for length in [0, 1, 200_000] {
            for is_error in [false, true] {
                let result = CallToolResult {
                    is_error,
                    ..CallToolResult::text("\n".repeat(length))
                };
                let expected = serde_json::to_string(&result).expect("JSON");
                let (answer, place) = result_payload("7", result).expect("JSON");
                assert_eq!(place.size(&answer), expected.len());
                let answer = answer.as_str();
                assert_eq!(place.within(answer), expected);
                let whole =
                    format!(r#"{{"mcp_response":{{"jsonrpc":"2.0","id":7,"result":{expected}}}}}"#);
                assert_eq!(answer, whole);
            }
        }
    }
}
