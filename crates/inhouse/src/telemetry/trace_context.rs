use opentelemetry::Context;
use opentelemetry::trace::{SpanContext, TraceContextExt};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// Returns the variables with the trace context of the current span, in the format of the W3C; none outside of a trace.
///
/// The global propagator is not used: the CLI reads these two variables whatever the host uses for HTTP (2.1.325).
pub(crate) fn trace_context() -> Vec<(&'static str, String)> {
    let context = Span::current().context();
    let of_tracing = context.span().span_context().clone();
    let span = match of_tracing.is_valid() {
        true => of_tracing,
        // Without a `tracing` span there may be one of the OpenTelemetry API.
        false => Context::current().span().span_context().clone(),
    };
    if span.is_valid() {
        variables(&span)
    } else {
        Vec::new()
    }
}

fn variables(span: &SpanContext) -> Vec<(&'static str, String)> {
    let parent = format!(
        "00-{}-{}-{:02x}",
        span.trace_id(),
        span.span_id(),
        span.trace_flags()
    );
    let mut variables = vec![("TRACEPARENT", parent)];
    let state = span.trace_state().header();
    if !state.is_empty() {
        variables.push(("TRACESTATE", state));
    }
    variables
}
