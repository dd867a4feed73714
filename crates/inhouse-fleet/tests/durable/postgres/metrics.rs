//! The metrics of a queue.

use std::collections::BTreeMap;

use inhouse_fleet::Work;
use opentelemetry::global;
use opentelemetry_sdk::metrics::data::{AggregatedMetrics, MetricData, ScopeMetrics};
use opentelemetry_sdk::metrics::{InMemoryMetricExporter, SdkMeterProvider};

use super::support::{CHECK_INTERVAL, Database, answer, within};

const DAY: f64 = 86_400.0;

/// Returns the greatest values of the gauges: the hosts of other tests have the same meter provider.
fn gauges(exporter: &InMemoryMetricExporter) -> BTreeMap<String, f64> {
    let mut gauges = BTreeMap::new();
    for resource in exporter.get_finished_metrics().unwrap() {
        for metric in resource.scope_metrics().flat_map(ScopeMetrics::metrics) {
            if let AggregatedMetrics::F64(MetricData::Gauge(gauge)) = metric.data() {
                for point in gauge.data_points() {
                    let greatest = gauges.entry(metric.name().to_owned()).or_insert(0.0);
                    *greatest = f64::max(*greatest, point.value());
                }
            }
        }
    }
    gauges
}

#[tokio::test(flavor = "multi_thread")]
async fn ages_of_the_queue_are_measured() {
    let exporter = InMemoryMetricExporter::default();
    let provider = SdkMeterProvider::builder()
        .with_periodic_exporter(exporter.clone())
        .build();
    global::set_meter_provider(provider.clone());
    let database = Database::create().await;
    database.fleet.enqueue(Work::new("a", "old")).await.unwrap();
    for statement in [
        "update inhouse.work set created = created - interval '3 days'",
        "update inhouse.session set ready_at = ready_at - interval '1 day'",
    ] {
        database.execute(statement).await;
    }
    // Takes no work, so the prompt waits.
    let _host = database.host(0, answer);
    let measured = async {
        let mut checks = tokio::time::interval(CHECK_INTERVAL);
        loop {
            checks.tick().await;
            provider.force_flush().unwrap();
            let gauges = gauges(&exporter);
            let days = |name: &str| gauges.get(name).map_or(0.0, |age| age / DAY);
            let oldest = days("inhouse.fleet.oldest_prompt.age");
            let waiting = days("inhouse.fleet.queue.age");
            if oldest >= 3.0 && waiting >= 1.0 {
                return (oldest, waiting);
            }
        }
    };
    let (oldest, waiting) = within(measured).await;
    assert!((3.0..3.1).contains(&oldest), "{oldest} days");
    assert!((1.0..1.1).contains(&waiting), "{waiting} days");
}
