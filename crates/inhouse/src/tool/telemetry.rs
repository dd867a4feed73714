use std::time::Instant;

use inhouse_proto::mcp::{CallToolResult, ToolCall};
use tracing::Span;
use tracing::field::Empty;

use crate::telemetry::{MEASURES, record_error, record_tool_call};

/// The `inhouse::tool` span of a call. Outcome and duration are recorded on drop.
pub(crate) struct CallSpan<'a> {
    span: Span,
    server: &'a str,
    tool: &'a str,
    /// `None` if neither a span nor metrics need it.
    started: Option<Instant>,
    outcome: &'static str,
}

/// The result of a call, with the span in which the size of the result is recorded once it is
/// written.
pub(crate) struct FinishedCall {
    pub(crate) result: CallToolResult,
    pub(crate) span: Span,
}

impl<'a> CallSpan<'a> {
    /// Opens the span. The arguments are recorded only at `TRACE`.
    pub(crate) fn begin(server: &'a str, call: &'a ToolCall) -> Self {
        let (tool, arguments) = (&*call.name, &*call.arguments);
        let span = tracing::info_span!(
            "inhouse::tool",
            otel.name = %format_args!("execute_tool {tool}"),
            "gen_ai.operation.name" = "execute_tool",
            "gen_ai.tool.name" = tool,
            "gen_ai.tool.type" = "function",
            "gen_ai.tool.call.id" = call.tool_use_id.as_deref(),
            server,
            arguments_bytes = arguments.len(),
            result_bytes = Empty,
            outcome = Empty,
            duration_us = Empty,
            "error.type" = Empty,
            otel.status_code = Empty,
            otel.status_description = Empty,
        );
        span.in_scope(|| tracing::trace!(arguments, "tool called"));
        Self {
            started: (MEASURES || !span.is_disabled()).then(Instant::now),
            span,
            server,
            tool,
            // Holds unless `end` is called: a cancelled call is dropped.
            outcome: "cancelled",
        }
    }

    pub(crate) fn span(&self) -> &Span {
        &self.span
    }

    /// Records the outcome.
    pub(crate) fn end(mut self, outcome: &'static str) {
        self.outcome = outcome;
    }

    /// Records the outcome, and keeps the span open for the size of the result.
    pub(super) fn finish(self, outcome: &'static str, result: CallToolResult) -> FinishedCall {
        let span = self.span.clone();
        self.end(outcome);
        FinishedCall { result, span }
    }
}

impl Drop for CallSpan<'_> {
    fn drop(&mut self) {
        if let Some(started) = self.started {
            let duration = started.elapsed();
            self.span.record("outcome", self.outcome);
            self.span.record("duration_us", duration.as_micros() as u64);
            // A cancelled call is no failure of the tool.
            let failure =
                Some(self.outcome).filter(|failed| !["success", "cancelled"].contains(failed));
            if let Some(failure) = failure {
                record_error(&self.span, failure);
            }
            record_tool_call(self.server, self.tool, failure, duration);
        }
    }
}

/// Records the result of a call. Its text is rendered only if `TRACE` is enabled.
pub(crate) fn record_result<T: AsRef<str>>(span: &Span, bytes: usize, text: impl FnOnce() -> T) {
    span.record("result_bytes", bytes);
    span.in_scope(|| tracing::trace!(result = text().as_ref(), "tool returned"));
}

/// Records that a handler panicked. The text of the panic may quote arguments: only at `TRACE`.
pub(crate) fn record_panic(text: &str) {
    tracing::error!("tool panicked");
    tracing::trace!(panic = text, "panic payload");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_text_is_rendered_only_at_trace() {
        record_result(&Span::none(), 7, || -> String {
            panic!("rendered without a subscriber");
        });
    }
}
