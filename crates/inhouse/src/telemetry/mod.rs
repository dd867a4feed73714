//! The spans of sessions and turns, the trace context that the CLI gets, and metrics.
//!
//! | file | what it holds |
//! |---|---|
//! | `session` | the span `inhouse::session`, and the state of one session's telemetry |
//! | `turn` | the span `inhouse::turn` |
//! | `usage` | tokens and cost of a turn, from its result |
//! | `trace_context` | `TRACEPARENT` and `TRACESTATE` for the CLI, with the feature `opentelemetry` |
//! | `metrics` | the instruments, with the feature `opentelemetry` |
//!
//! The span of a tool call is in `tool/telemetry`.

mod metrics;
mod session;
#[cfg(feature = "opentelemetry")]
mod trace_context;
mod turn;
mod usage;

pub(crate) use self::metrics::{MEASURES, record_tool_call};
pub(crate) use self::session::{SessionTelemetry, session_span};
#[cfg(feature = "opentelemetry")]
pub(crate) use self::trace_context::trace_context;

use tracing::Span;
use tracing::field::{Value, debug};

use crate::error::ErrorKind;

/// Sets the status of a span to an error of this type.
///
/// The type is a short name from a fixed set: the text of an error may quote arguments or answers.
pub(crate) fn record_error(span: &Span, error_type: impl Value + Copy) {
    span.record("error.type", error_type);
    span.record("otel.status_code", "ERROR");
    // Recorded last: `tracing-opentelemetry` overwrites the status with each of the two.
    span.record("otel.status_description", error_type);
}

/// Sets the status of a span to an error of this kind.
pub(crate) fn record_error_kind(span: &Span, kind: ErrorKind) {
    record_error(span, &debug(kind));
}
