//! The export of spans and metrics over OTLP.

use opentelemetry::global;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{
    ExporterBuildError, MetricExporter, Protocol, SpanExporter, WithExportConfig as _,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::{Level, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::registry::Registry;

/// The providers of spans and metrics.
pub(crate) struct Export {
    tracers: SdkTracerProvider,
    meters: SdkMeterProvider,
}

impl Export {
    /// Exports to this endpoint, such as `http://127.0.0.1:4318`. Sets the global meter provider, which the sessions that begin later use.
    pub(crate) fn to(endpoint: &str, service: &'static str) -> Result<Self, ExporterBuildError> {
        let resource = Resource::builder().with_service_name(service).build();
        let spans = SpanExporter::builder()
            .with_http()
            .with_protocol(Protocol::HttpJson)
            .with_endpoint(format!("{endpoint}/v1/traces"))
            .build()?;
        let tracers = SdkTracerProvider::builder()
            .with_resource(resource.clone())
            .with_batch_exporter(spans)
            .build();
        let metrics = MetricExporter::builder()
            .with_http()
            .with_protocol(Protocol::HttpJson)
            .with_endpoint(format!("{endpoint}/v1/metrics"))
            .build()?;
        let meters = SdkMeterProvider::builder()
            .with_resource(resource)
            .with_periodic_exporter(metrics)
            .build();
        global::set_meter_provider(meters.clone());
        Ok(Self { tracers, meters })
    }

    /// Returns a subscriber that exports the spans of `inhouse` and of `target`.
    pub(crate) fn subscriber(&self, target: &'static str) -> impl Subscriber + use<> {
        let tracer = self.tracers.tracer(target);
        // Without a filter, the spans of the exporter's HTTP client would be exported, too.
        let wanted = Targets::new()
            .with_target("inhouse", Level::INFO)
            .with_target(target, Level::INFO);
        let layer = tracing_opentelemetry::layer().with_tracer(tracer);
        Registry::default().with(layer.with_filter(wanted))
    }

    /// Exports what is left. Blocks the thread.
    pub(crate) fn shut_down(&self) -> OTelSdkResult {
        self.tracers.shutdown()?;
        self.meters.shutdown()
    }
}
