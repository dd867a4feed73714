use inhouse_proto::message::ResultMessage;
use tokio::time::Instant;
use tracing::Span;
use tracing::field::Empty;

use super::metrics;
use super::usage::Usage;
use super::{record_error, record_error_kind};
use crate::error::ErrorKind;

/// A turn whose prompt was sent and has no result yet.
pub(super) struct OpenTurn {
    pub(super) prompt_id: String,
    pub(super) span: Span,
    started: Instant,
}

impl OpenTurn {
    /// Opens the span of a turn in the span of the caller, or else in the current one.
    pub(super) fn begin(prompt_id: String, caller: &Span) -> Self {
        let span = caller.in_scope(|| {
            tracing::info_span!(
                "inhouse::turn",
                otel.name = "invoke_agent",
                "gen_ai.operation.name" = "invoke_agent",
                "gen_ai.provider.name" = "anthropic",
                "gen_ai.conversation.id" = Empty,
                "gen_ai.request.model" = Empty,
                "gen_ai.usage.input_tokens" = Empty,
                "gen_ai.usage.output_tokens" = Empty,
                "gen_ai.usage.cache_read.input_tokens" = Empty,
                "gen_ai.usage.cache_creation.input_tokens" = Empty,
                prompt_id,
                cost_usd = Empty,
                model_calls = Empty,
                outcome = Empty,
                duration_ms = Empty,
                "error.type" = Empty,
                otel.status_code = Empty,
                otel.status_description = Empty,
            )
        });
        span.in_scope(|| tracing::debug!("turn started"));
        Self {
            prompt_id,
            span,
            started: Instant::now(),
        }
    }

    /// Records the result, and the usage unless another prompt of the same turn has it.
    pub(super) fn end(self, result: &ResultMessage, usage: Option<&Usage>, model: Option<&str>) {
        let Self { span, started, .. } = &self;
        span.record("gen_ai.conversation.id", &*result.session_id);
        span.record("model_calls", result.num_turns);
        if let Some(usage) = usage {
            usage.record(span);
        }
        let failure = failure_of(result);
        match failure {
            Some(failure) => {
                span.record("outcome", "error");
                record_error(span, failure);
            }
            None => drop(span.record("outcome", "success")),
        }
        span.in_scope(|| {
            tracing::info!(
                subtype = result.subtype.as_str(),
                is_error = result.is_error,
                duration_ms = result.duration_ms,
                num_turns = result.num_turns,
                "turn ended"
            );
        });
        self.record_duration();
        metrics::record_turn(started.elapsed(), failure, model);
    }

    /// Records that there is no result: the prompt was cancelled, its result could not be read, or the session ended.
    pub(super) fn end_without_result(self, cause: Option<ErrorKind>, model: Option<&str>) {
        self.span.record("outcome", "unanswered");
        if let Some(kind) = cause {
            record_error_kind(&self.span, kind);
        }
        self.span
            .in_scope(|| tracing::warn!(?cause, "turn ended without a result"));
        self.record_duration();
        let failure = cause.map(|kind| format!("{kind:?}"));
        metrics::record_turn(self.started.elapsed(), failure.as_deref(), model);
    }

    fn record_duration(&self) {
        let duration = self.started.elapsed().as_millis() as u64;
        self.span.record("duration_ms", duration);
    }
}

/// Returns the type of the error that a result reports; `None` if it reports a success.
fn failure_of(result: &ResultMessage) -> Option<&str> {
    if result.is_success() {
        None
    } else if result.subtype.as_str() == "success" {
        // A turn that ended in an API error has the subtype of a success.
        Some(result.api_error_type.as_deref().unwrap_or("api_error"))
    } else {
        Some(result.subtype.as_str())
    }
}
