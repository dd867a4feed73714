use ::rmcp::model::{ErrorData, ServerResult};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::tool::CallRecord;

/// The record of a tool call, like that of a native one. Other requests have none.
pub(super) fn of_request(server: &str, method: &str, params: Option<&str>) -> Option<CallRecord> {
    #[derive(Deserialize)]
    struct Call<'a> {
        name: String,
        #[serde(borrow)]
        arguments: Option<&'a RawValue>,
    }
    if method != "tools/call" || !CallRecord::is_wanted() {
        return None;
    }
    let call: Call<'_> = serde_json::from_str(params?).ok()?;
    let arguments = call.arguments.map_or("", RawValue::get);
    Some(CallRecord::begin(server, &call.name, arguments))
}

/// How a request has ended.
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
