use std::time::Instant;

use inhouse_proto::mcp::CallToolResult;
use tracing::Span;
use tracing::field::Empty;

/// What the span of a call tells, whichever way the call ends.
pub(crate) struct CallRecord {
    span: Span,
    /// `None` when nobody listens.
    came: Option<Instant>,
    outcome: &'static str,
}

/// The result of a call, and the span in which its size is noted when it is known.
pub(crate) struct Finished {
    pub(crate) result: CallToolResult,
    pub(crate) span: Span,
}

impl CallRecord {
    /// Whether anybody listens.
    #[cfg(feature = "rmcp")]
    pub(crate) fn is_wanted() -> bool {
        tracing::span_enabled!(tracing::Level::INFO)
    }

    /// Begins when the call comes. What it is about is told at `TRACE` only.
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
        span.in_scope(|| tracing::trace!(arguments, "the tool is called"));
        Self {
            came: (!span.is_disabled()).then(Instant::now),
            span,
            // Until it is told otherwise: a call that is cancelled is dropped without a word.
            outcome: "cancelled",
        }
    }

    pub(crate) fn span(&self) -> &Span {
        &self.span
    }

    /// Notes how the call has ended.
    pub(crate) fn end(mut self, outcome: &'static str) {
        self.outcome = outcome;
    }

    /// Notes how the call has ended, and with what.
    pub(super) fn finish(self, outcome: &'static str, result: CallToolResult) -> Finished {
        let span = self.span.clone();
        self.end(outcome);
        Finished { result, span }
    }
}

impl Drop for CallRecord {
    fn drop(&mut self) {
        if let Some(came) = self.came {
            self.span.record("outcome", self.outcome);
            let duration = came.elapsed().as_micros() as u64;
            self.span.record("duration_us", duration);
        }
    }
}

impl Finished {
    /// The result of a call that had no tool to run.
    pub(super) fn without_a_call(result: CallToolResult) -> Self {
        let span = Span::none();
        Self { result, span }
    }
}

/// Notes what a call is answered with. The text is made for those who look closely, and for nobody else.
pub(crate) fn note_answer<T: AsRef<str>>(span: &Span, bytes: usize, result: impl FnOnce() -> T) {
    span.record("result_bytes", bytes);
    span.in_scope(|| tracing::trace!(result = result().as_ref(), "the tool has answered"));
}

/// Notes that the code behind a call has panicked.
pub(crate) fn note_panic(text: &str) {
    tracing::error!("the tool panicked");
    // It may quote the arguments.
    tracing::trace!(panic = text, "what the panic said");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_an_answer_is_made_for_nobody_but_who_looks_closely() {
        note_answer(&Span::none(), 7, || -> String {
            panic!("nobody looks");
        });
    }
}
