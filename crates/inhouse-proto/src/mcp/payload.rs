use serde::Serialize;
use serde_json::value::RawValue;

use self::sealed::Sealed;
use super::{CallToolResult, RpcError};
use crate::control::incoming::Payload;

/// The payload that answers an `mcp_message` which went well, and where the result stands in it.
///
/// The id is JSON text. Everything is written once, however large it is.
///
/// # Errors
/// When the result has no JSON form.
pub fn result_payload(
    id: &str,
    result: impl WriteResult,
) -> serde_json::Result<(Payload, ResultPlace)> {
    // Enough for a short answer.
    let mut json = Vec::with_capacity(256);
    json.extend_from_slice(br#"{"mcp_response":{"jsonrpc":"2.0","id":"#);
    json.extend_from_slice(checked_id(id)?.as_bytes());
    json.extend_from_slice(br#","result":"#);
    let place = ResultPlace { start: json.len() };
    let payload = match result.write(&mut json)? {
        None => {
            json.extend_from_slice(END);
            Payload::of_json(json)
        }
        Some((text, behind)) => Payload::around(json, text, [behind, END].concat()),
    };
    Ok((payload, place))
}

/// What stands behind a result.
const END: &[u8] = b"}}";

/// Where in a payload the result stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultPlace {
    start: usize,
}

impl ResultPlace {
    /// How many bytes the result takes in the payload.
    #[must_use]
    pub fn size(self, payload: &Payload) -> usize {
        payload.size() - self.start - END.len()
    }

    /// The result in the text of the payload.
    #[must_use]
    pub fn within(self, payload: &str) -> &str {
        &payload[self.start..payload.len() - END.len()]
    }
}

/// What can be the result of a request: that of a tool call, or [`AnyResult`].
pub trait WriteResult: Sealed {}

/// The result of any request, as serde writes it.
#[derive(Clone, Copy, Debug)]
pub struct AnyResult<'a, T>(
    /// The result.
    pub &'a T,
);

impl WriteResult for CallToolResult {}

impl<T: Serialize> WriteResult for AnyResult<'_, T> {}

/// Keeps everyone out who might write something that is no JSON: the CLI would end at it.
mod sealed {
    use serde::Serialize;

    use crate::wire::LongText;

    pub trait Sealed {
        /// Appends the JSON form, or as much of it as comes before a long text; then the text and
        /// what stands behind it. What is in the buffer after an error is of no use.
        fn write(self, json: &mut Vec<u8>) -> serde_json::Result<Option<Long>>;
    }

    pub(super) type Long = (LongText, &'static [u8]);

    impl Sealed for super::CallToolResult {
        fn write(self, json: &mut Vec<u8>) -> serde_json::Result<Option<Long>> {
            self.write_json(json)
        }
    }

    impl<T: Serialize> Sealed for super::AnyResult<'_, T> {
        fn write(self, json: &mut Vec<u8>) -> serde_json::Result<Option<Long>> {
            serde_json::to_writer(json, self.0).map(|()| None)
        }
    }
}

/// The payload that answers an `mcp_message` which did not; the id is JSON text, absent when it could
/// not be read.
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
    .expect("strings and numbers always have a JSON form")
}

/// The payload that acknowledges an `mcp_message` which wants no response.
///
/// The CLI looks at nothing in it, but some version might want an id.
#[must_use]
pub fn acknowledgement() -> Payload {
    Payload::of_constant(r#"{"mcp_response":{"jsonrpc":"2.0","result":{},"id":0}}"#)
}

/// An id goes back as it came, but only as JSON: the CLI would end at anything else.
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
    use crate::wire::LongText;

    #[test]
    fn an_id_that_is_no_json_is_not_sent_back() {
        let result_payload = |id| result_payload(id, AnyResult(&"ok"));
        for id in ["1x", "01", "-", "\"a", "1 2", ""] {
            assert!(result_payload(id).is_err(), "{id}");
        }
        for id in ["0", "7", "-3", "1e5", "\"a\""] {
            assert!(result_payload(id).is_ok(), "{id}");
        }
    }

    #[test]
    fn answers_echo_the_id_as_it_stood() {
        let (answer, place) = result_payload("1.50", AnyResult(&"ok")).expect("JSON");
        assert_eq!(
            answer.to_text(),
            r#"{"mcp_response":{"jsonrpc":"2.0","id":1.50,"result":"ok"}}"#
        );
        assert_eq!(place.within(&answer.to_text()), r#""ok""#);
        let error = RpcError::new(ErrorCode::METHOD_NOT_FOUND, "no");
        assert_eq!(
            error_payload(None, &error).to_text(),
            r#"{"mcp_response":{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}}"#
        );
    }

    #[test]
    fn a_long_text_stands_where_a_short_one_would() {
        for length in [LongText::LENGTH - 1, LongText::LENGTH, 200_000] {
            for is_error in [false, true] {
                let result = CallToolResult {
                    is_error,
                    ..CallToolResult::text("\n".repeat(length))
                };
                let expected = serde_json::to_string(&result).expect("JSON");
                let (answer, place) = result_payload("7", result).expect("JSON");
                assert_eq!(place.size(&answer), expected.len());
                let answer = answer.to_text();
                assert_eq!(place.within(&answer), expected);
                let whole =
                    format!(r#"{{"mcp_response":{{"jsonrpc":"2.0","id":7,"result":{expected}}}}}"#);
                assert_eq!(answer, whole);
            }
        }
    }
}
