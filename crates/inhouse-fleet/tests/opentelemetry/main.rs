//! The feature `opentelemetry`: the metrics of a host.

use std::collections::BTreeMap;
use std::sync::Mutex;

use inhouse::{HandlerError, Options};
use inhouse_fleet::{Host, Outcome, Work};
use inhouse_store::memory::MemoryStore;
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use opentelemetry::{KeyValue, global};
use opentelemetry_sdk::metrics::data::{AggregatedMetrics, MetricData, ScopeMetrics};
use opentelemetry_sdk::metrics::{InMemoryMetricExporter, SdkMeterProvider};
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// Returns the values of all metrics, by name and attributes. Of durations it is their number.
fn measured(exporter: &InMemoryMetricExporter) -> BTreeMap<String, f64> {
    let name = |metric: &str, attributes: Vec<&KeyValue>| {
        let attributes = attributes.iter();
        let attributes = attributes.map(|pair| format!(" {}={}", pair.key, pair.value));
        format!("{metric}{}", attributes.collect::<String>())
    };
    let mut measured = BTreeMap::new();
    for resource in exporter.get_finished_metrics().unwrap() {
        for metric in resource.scope_metrics().flat_map(ScopeMetrics::metrics) {
            let mut add = |attributes: Vec<&KeyValue>, value: f64| {
                measured.insert(name(metric.name(), attributes), value);
            };
            match metric.data() {
                AggregatedMetrics::F64(MetricData::Histogram(data)) => data
                    .data_points()
                    .for_each(|point| add(point.attributes().collect(), point.count() as f64)),
                AggregatedMetrics::F64(MetricData::Sum(data)) => data
                    .data_points()
                    .for_each(|point| add(point.attributes().collect(), point.value())),
                AggregatedMetrics::U64(MetricData::Sum(data)) => data
                    .data_points()
                    .for_each(|point| add(point.attributes().collect(), point.value() as f64)),
                AggregatedMetrics::I64(MetricData::Sum(data)) => data
                    .data_points()
                    .for_each(|point| add(point.attributes().collect(), point.value() as f64)),
                _ => {}
            }
        }
    }
    // The spans and metrics of sessions have their own tests.
    measured.retain(|name, _| name.starts_with("inhouse.fleet."));
    measured
}

#[tokio::test]
async fn turns_of_a_host_are_measured_by_outcome() {
    let exporter = InMemoryMetricExporter::default();
    let provider = SdkMeterProvider::builder()
        .with_periodic_exporter(exporter.clone())
        .build();
    global::set_meter_provider(provider.clone());
    let sessions = tempfile::tempdir().unwrap();
    let path = sessions.path().to_owned();
    let (transport, mut cli) = FakeCli::new();
    let transport = Mutex::new(Some(transport));
    let host = Host::new(MemoryStore::new(), async move |work: &Work| {
        match &*work.prompt {
            "fails" => Err(HandlerError::new("no options")),
            _ => Ok(Options::new().session_root(&path)),
        }
    })
    .transport(move |_: &Work| transport.lock().unwrap().take().unwrap());

    let mut work = Work::new("a", "answered");
    work.taken_over = true;
    let turn = host.run_turn(&work, CancellationToken::new());
    let play = async {
        cli.accept().await;
        cli.expect_prompt().await;
        provider.force_flush().unwrap();
        assert_eq!(measured(&exporter)["inhouse.fleet.active"], 1.0);
        let path = format!("/c/projects/inhouse-fleet/{}.jsonl", work.session_id());
        let entry = json!({"type": "user", "uuid": work.id.to_string(), "message": {"role": "user", "content": "answered"}});
        cli.send(json!({"type": "transcript_mirror", "filePath": path, "entries": [entry]}))
            .await;
        cli.turn("done").await;
        cli.expect_end_of_input().await;
    };
    let (outcome, ()) = join(turn, play).await;
    assert!(matches!(outcome, Ok(Outcome::Done(_))), "{outcome:?}");

    let failing = Work::new("b", "fails");
    let failed = host.run_turn(&failing, CancellationToken::new()).await;
    failed.unwrap_err();
    let stopped = CancellationToken::new();
    stopped.cancel();
    for session in ["c", "d"] {
        let work = Work::new(session, "cancelled");
        let cancelled = host.run_turn(&work, stopped.clone()).await;
        assert!(matches!(cancelled, Ok(Outcome::Cancelled)), "{cancelled:?}");
    }

    provider.force_flush().unwrap();
    let cost = host.stats().cost_usd;
    let expected = [
        ("inhouse.fleet.active", 0.0),
        ("inhouse.fleet.cost", cost),
        ("inhouse.fleet.takeovers", 1.0),
        ("inhouse.fleet.turn.duration outcome=cancelled", 2.0),
        ("inhouse.fleet.turn.duration outcome=done", 1.0),
        ("inhouse.fleet.turn.duration outcome=failed", 1.0),
        ("inhouse.fleet.turns outcome=cancelled", 2.0),
        ("inhouse.fleet.turns outcome=done", 1.0),
        ("inhouse.fleet.turns outcome=failed", 1.0),
    ];
    let expected = expected.map(|(name, value)| (name.to_owned(), value));
    assert_eq!(measured(&exporter), BTreeMap::from(expected));
    assert!(cost > 0.0);
}
