//! The feature `opentelemetry`: the trace context of the CLI, status and parents of exported spans, and metrics.

mod metrics;
mod status;
mod trace_context;

use std::sync::LazyLock;

use opentelemetry::global;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_sdk::metrics::{InMemoryMetricExporter, SdkMeterProvider};
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider, SpanData};
use tracing::Dispatch;
use tracing::subscriber::{DefaultGuard, NoSubscriber};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::Registry;

/// The meter provider of all tests but one.
static METERS: LazyLock<(SdkMeterProvider, InMemoryMetricExporter)> = LazyLock::new(|| {
    let meters = meters();
    global::set_meter_provider(meters.0.clone());
    meters
});

/// Creates a meter provider with its exporter.
fn meters() -> (SdkMeterProvider, InMemoryMetricExporter) {
    let exporter = InMemoryMetricExporter::default();
    let provider = SdkMeterProvider::builder()
        .with_periodic_exporter(exporter.clone())
        .build();
    (provider, exporter)
}

/// The spans that the current thread exports.
struct Exported {
    exporter: InMemorySpanExporter,
    _provider: SdkTracerProvider,
    _guard: DefaultGuard,
}

impl Exported {
    fn install() -> Self {
        // With a single dispatcher, `tracing` caches its interest for all threads, also those of tests
        // without a subscriber. A second dispatcher disables that cache.
        static SECOND: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(NoSubscriber::new()));
        LazyLock::force(&SECOND);
        LazyLock::force(&METERS);
        let exporter = InMemorySpanExporter::default();
        let provider = SdkTracerProvider::builder()
            .with_simple_exporter(exporter.clone())
            .build();
        let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("test"));
        let guard = tracing::subscriber::set_default(Registry::default().with(layer));
        Self {
            exporter,
            _provider: provider,
            _guard: guard,
        }
    }

    /// Returns the only span with this name that has ended.
    fn span(&self, name: &str) -> SpanData {
        let spans = self.exporter.get_finished_spans().unwrap();
        let mut named = spans.iter().filter(|span| span.name == name);
        let span = named.next();
        let span = span.unwrap_or_else(|| panic!("no span {name} in {spans:#?}"));
        assert!(named.next().is_none(), "several spans {name} in {spans:#?}");
        span.clone()
    }
}
