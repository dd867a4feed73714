//! A `tracing` layer that records spans with their parents and fields.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, LazyLock, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::{DefaultGuard, NoSubscriber};
use tracing::{Dispatch, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
use tracing_subscriber::registry::{LookupSpan, Registry, SpanRef};

/// Records the spans of the current thread, from [`install`](Self::install) until the guard is dropped.
#[derive(Clone, Default)]
pub(crate) struct Recorder {
    spans: Arc<Mutex<Vec<RecordedSpan>>>,
}

#[derive(Clone, Debug)]
pub(crate) struct RecordedSpan {
    id: u64,
    pub(crate) name: &'static str,
    /// The name of the parent.
    pub(crate) parent: Option<&'static str>,
    parent_id: Option<u64>,
    pub(crate) fields: BTreeMap<&'static str, String>,
    pub(crate) is_closed: bool,
}

impl RecordedSpan {
    /// Returns the value of a field, empty if it was not recorded.
    pub(crate) fn field(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", |value| value)
    }

    pub(crate) fn is_child_of(&self, parent: &Self) -> bool {
        self.parent_id == Some(parent.id)
    }
}

impl Recorder {
    pub(crate) fn install() -> (Self, DefaultGuard) {
        // With a single dispatcher, `tracing` caches its interest for all threads, also those of tests
        // without a subscriber. A second dispatcher disables that cache.
        static SECOND: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(NoSubscriber::new()));
        LazyLock::force(&SECOND);
        let recorder = Self::default();
        let subscriber = Registry::default().with(recorder.clone());
        (recorder, tracing::subscriber::set_default(subscriber))
    }

    /// Returns the spans with this name, in the order in which they were opened.
    pub(crate) fn spans(&self, name: &str) -> Vec<RecordedSpan> {
        let spans = self.spans.lock().unwrap();
        spans
            .iter()
            .filter(|span| span.name == name)
            .cloned()
            .collect()
    }

    /// Returns the only span with this name.
    pub(crate) fn span(&self, name: &str) -> RecordedSpan {
        let [span] = <[RecordedSpan; 1]>::try_from(self.spans(name))
            .unwrap_or_else(|spans| panic!("one span {name}, not {spans:#?}"));
        span
    }

    fn change(&self, id: &Id, change: impl FnOnce(&mut RecordedSpan)) {
        let mut spans = self.spans.lock().unwrap();
        // The registry reuses ids of closed spans.
        let span = spans.iter_mut().rfind(|span| span.id == id.into_u64());
        change(span.expect("the span was opened"));
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Recorder {
    fn enabled(&self, metadata: &tracing::Metadata<'_>, _: Context<'_, S>) -> bool {
        *metadata.level() <= Level::DEBUG
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let span = context.span(id).expect("the span exists");
        let parent = span.parent();
        let mut recorded = RecordedSpan {
            id: id.into_u64(),
            name: span.name(),
            parent: parent.as_ref().map(SpanRef::name),
            parent_id: parent.map(|parent| parent.id().into_u64()),
            fields: BTreeMap::new(),
            is_closed: false,
        };
        attributes.record(&mut recorded);
        self.spans.lock().unwrap().push(recorded);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, _: Context<'_, S>) {
        self.change(id, |span| values.record(span));
    }

    fn on_close(&self, id: Id, _: Context<'_, S>) {
        self.change(&id, |span| span.is_closed = true);
    }
}

impl Visit for RecordedSpan {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.fields.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.fields.insert(field.name(), value.to_owned());
    }
}
