use std::collections::VecDeque;

use inhouse_proto::engine::Frame;
use inhouse_proto::message::{Message, ResultMessage, SystemMessage};
use tokio::time::Instant;
use tracing::Span;
use tracing::field::Empty;

use super::turn::OpenTurn;
use super::usage::{Usage, UsageReader};
use super::{metrics, record_error_kind};
use crate::driver::SessionEnd;
use crate::error::{Error, ErrorKind};
use crate::options::Options;

/// Opens the span of a session in the current span.
pub(crate) fn session_span() -> Span {
    tracing::info_span!(
        "inhouse::session",
        "gen_ai.provider.name" = "anthropic",
        "gen_ai.conversation.id" = Empty,
        "gen_ai.request.model" = Empty,
        "gen_ai.usage.input_tokens" = Empty,
        "gen_ai.usage.output_tokens" = Empty,
        "gen_ai.usage.cache_read.input_tokens" = Empty,
        "gen_ai.usage.cache_creation.input_tokens" = Empty,
        pid = Empty,
        cost_usd = Empty,
        turns = Empty,
        duration_ms = Empty,
        "error.type" = Empty,
        otel.status_code = Empty,
        otel.status_description = Empty,
    )
}

/// The spans and totals of a session, owned by its driver.
///
/// The driver and not the reader of the messages keeps them: a session may have no reader. Nothing is decoded or kept if no span is
/// enabled and there are no metrics.
pub(crate) struct SessionTelemetry {
    session: Span,
    started: Instant,
    session_id: Option<String>,
    model: Option<String>,
    /// Whether the next message has the model.
    awaits_init: bool,
    /// In the order in which the prompts were sent.
    open: VecDeque<OpenTurn>,
    /// Whether the last result has reported that no prompt is queued. CLI 2.1.197 reports nothing about that.
    is_queue_empty: bool,
    turns: u64,
    usage: UsageReader,
    total: Usage,
}

impl SessionTelemetry {
    pub(crate) fn new(session: Span, options: &Options) -> Self {
        metrics::use_global_provider();
        Self {
            session,
            started: Instant::now(),
            session_id: None,
            model: None,
            awaits_init: false,
            open: VecDeque::new(),
            is_queue_empty: false,
            turns: 0,
            usage: UsageReader::new(options.session.resumes()),
            total: Usage::default(),
        }
    }

    /// Opens the span of a turn, in the span of the caller that sent the prompt if there is one.
    pub(crate) fn begin_turn(&mut self, prompt_id: String, caller: &Span) {
        let turn = OpenTurn::begin(prompt_id, caller);
        if turn.span.is_disabled() && !metrics::MEASURES {
            return;
        }
        if let Some(id) = &self.session_id {
            turn.span.record("gen_ai.conversation.id", &**id);
        }
        if let Some(model) = &self.model {
            turn.span.record("gen_ai.request.model", &**model);
        }
        self.open.push_back(turn);
    }

    /// Returns the span that a request of the CLI belongs to: that of the oldest prompt without a result.
    ///
    /// The CLI does not say to which turn a request belongs, and runs one turn at a time.
    pub(crate) fn current_turn(&self) -> Option<&Span> {
        self.open.front().map(|turn| &turn.span)
    }

    /// Records the id of the session. The next message is the one that has it.
    pub(crate) fn note_session(&mut self, id: &str) {
        if !self.is_observed() {
            return;
        }
        self.session_id = Some(id.to_owned());
        self.awaits_init = true;
        for span in self.spans() {
            span.record("gen_ai.conversation.id", id);
        }
    }

    /// Records the model, or the result of a turn, if the message has one of them.
    pub(crate) fn note_message(&mut self, frame: &Frame) {
        if std::mem::take(&mut self.awaits_init)
            && let Message::System(SystemMessage::Init(init)) = frame.decode()
            && let Some(model) = &init.model
        {
            for span in self.spans() {
                span.record("gen_ai.request.model", &**model);
            }
            self.model = Some(model.clone());
        }
        // A result that cannot be decoded ends its turn when the run ends.
        if frame.ends_turn()
            && self.is_observed()
            && let Message::Result(result) = frame.decode()
        {
            self.end_turn(&result);
        }
    }

    /// Ends the turns without a result, unless their prompts may be queued. The run has ended, so none of them gets one.
    pub(crate) fn end_run(&mut self) {
        if !self.is_queue_empty {
            return;
        }
        for turn in self.open.drain(..) {
            turn.end_without_result(None, self.model.as_deref());
        }
    }

    /// Records totals, and the error of a session that failed.
    pub(crate) fn end_session(&mut self, end: &SessionEnd) {
        let cause = end.failure.as_ref().map(Error::kind);
        for turn in self.open.drain(..) {
            let cause = cause.unwrap_or(ErrorKind::Closed);
            turn.end_without_result(Some(cause), self.model.as_deref());
        }
        let duration = self.started.elapsed().as_millis() as u64;
        self.session.record("duration_ms", duration);
        self.session.record("turns", self.turns);
        if self.turns > 0 {
            self.total.record(&self.session);
        }
        if let Some(kind) = cause {
            record_error_kind(&self.session, kind);
        }
    }

    fn end_turn(&mut self, result: &ResultMessage) {
        let models = self.usage.read(result);
        metrics::record_usage(&models);
        let mut usage = Usage::default();
        for (_, of_model) in &models {
            usage.add(of_model);
        }
        self.turns += 1;
        self.is_queue_empty = result.queued_turn_count == Some(0);
        self.total.add(&usage);

        let named: Vec<&str> = result.prompt_ids().collect();
        let answers = |turn: &OpenTurn| match named.is_empty() {
            true => result.is_prompted(),
            false => named.contains(&&*turn.prompt_id),
        };
        let mut usage = Some(&usage);
        // A prompt that joined a running turn is answered by the same result. CLI 2.1.197 names no prompts; its
        // result ends every turn, because no message says which prompts have joined.
        while let Some(index) = self.open.iter().position(answers)
            && let Some(turn) = self.open.remove(index)
        {
            turn.end(result, usage.take(), self.model.as_deref());
        }
    }

    fn is_observed(&self) -> bool {
        metrics::MEASURES || !self.session.is_disabled() || !self.open.is_empty()
    }

    fn spans(&self) -> impl Iterator<Item = &Span> {
        let turns = self.open.iter().map(|turn| &turn.span);
        turns.chain([&self.session])
    }
}
