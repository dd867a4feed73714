use std::time::Instant;

use inhouse_proto::mcp::CallToolResult;
use tracing::Span;
use tracing::field::Empty;

/// The `inhouse::tool` span of a call. Outcome and duration are recorded on drop.
pub(crate) struct CallSpan {
    span: Span,
    /// `None` if the span is disabled.
    started: Option<Instant>,
    outcome: &'static str,
}

/// The result of a call, with the span in which the size of the result is recorded once it is
/// written.
pub(crate) struct FinishedCall {
    pub(crate) result: CallToolResult,
    pub(crate) span: Span,
}

impl CallSpan {
    /// Opens the span. The arguments are recorded only at `TRACE`.
    pub(crate) fn begin(server: &str, tool: &str, arguments: &str) -> Self {
        let span = tracing::info_span!(
            "inhouse::tool",
            server,
            tool,
            arguments_bytes = arguments.len(),
            result_bytes = Empty,
            outcome = Empty,
            duration_us = Empty,
        );
        span.in_scope(|| tracing::trace!(arguments, "tool called"));
        Self {
            started: (!span.is_disabled()).then(Instant::now),
            span,
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

impl Drop for CallSpan {
    fn drop(&mut self) {
        if let Some(started) = self.started {
            self.span.record("outcome", self.outcome);
            let duration = started.elapsed().as_micros() as u64;
            self.span.record("duration_us", duration);
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
