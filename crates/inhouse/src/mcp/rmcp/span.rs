use std::time::Instant;

use ::rmcp::model::{ClientRequest, ErrorData, ServerResult};
use tracing::Span;
use tracing::field::Empty;

/// The span of a tool call, like that of a native one. Other requests have none.
pub(super) fn of_request(server: &str, request: &ClientRequest) -> Span {
    match request {
        ClientRequest::CallToolRequest(call) => tracing::info_span!(
            "inhouse::tool",
            server,
            tool = &*call.params.name,
            outcome = Empty,
            duration_us = Empty,
        ),
        _ => Span::none(),
    }
}

/// Notes in a span how the request ended, and when it had begun.
pub(super) fn record(
    span: &Span,
    begun: Instant,
    outcome: &Result<Result<ServerResult, ErrorData>, String>,
) {
    let outcome = match outcome {
        Ok(Ok(ServerResult::CallToolResult(result))) if result.is_error == Some(true) => "error",
        Ok(Ok(_)) => "success",
        Ok(Err(_)) => "error",
        Err(_) => "panic",
    };
    span.record("outcome", outcome);
    span.record("duration_us", begun.elapsed().as_micros() as u64);
}
