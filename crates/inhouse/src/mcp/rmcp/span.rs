use ::rmcp::model::{ErrorData, ServerResult};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::tool::CallSpan;

/// Opens the span of a tool call, like that of a native tool; `None` for other requests.
pub(super) fn of_request(server: &str, method: &str, params: Option<&str>) -> Option<CallSpan> {
    #[derive(Deserialize)]
    struct Call<'a> {
        name: String,
        #[serde(borrow)]
        arguments: Option<&'a RawValue>,
    }
    if method != "tools/call" || !CallSpan::is_enabled() {
        return None;
    }
    let call: Call<'_> = serde_json::from_str(params?).ok()?;
    let arguments = call.arguments.map_or("", RawValue::get);
    Some(CallSpan::begin(server, &call.name, arguments))
}

/// Returns the outcome that the span of a call records.
pub(super) fn outcome_of(
    outcome: &Result<Result<ServerResult, ErrorData>, String>,
) -> &'static str {
    match outcome {
        Ok(Ok(ServerResult::CallToolResult(result))) if result.is_error == Some(true) => "error",
        Ok(Ok(_)) => "success",
        Ok(Err(_)) => "error",
        Err(_) => "panic",
    }
}
