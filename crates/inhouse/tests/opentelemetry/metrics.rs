use std::collections::BTreeMap;

use inhouse::tool::{Tool, ToolError, ToolServer};
use inhouse::{Options, query};
use inhouse_testkit::FakeCli;
use inhouse_testkit::fake::join;
use opentelemetry::{KeyValue, global};
use opentelemetry_sdk::metrics::InMemoryMetricExporter;
use opentelemetry_sdk::metrics::data::{AggregatedMetrics, MetricData, ScopeMetrics};
use serde_json::json;
use tokio::sync::Mutex;

use crate::{METERS, meters};

/// The values of each metric, by its attributes.
type Measured = BTreeMap<String, BTreeMap<String, f64>>;

/// Returns the attributes in the order of their keys, as `a=1,b=2`.
fn key<'a>(attributes: impl Iterator<Item = &'a KeyValue>) -> String {
    let mut pairs: Vec<_> = attributes
        .map(|pair| format!("{}={}", pair.key, pair.value))
        .collect();
    pairs.sort();
    pairs.join(",")
}

fn measured(exporter: &InMemoryMetricExporter) -> Measured {
    let mut measured = Measured::new();
    for resource in exporter.get_finished_metrics().unwrap() {
        let metrics = resource.scope_metrics().flat_map(ScopeMetrics::metrics);
        for metric in metrics {
            let values = measured.entry(metric.name().to_owned()).or_default();
            match metric.data() {
                AggregatedMetrics::F64(MetricData::Histogram(histogram)) => {
                    // Durations differ, so the number of measurements is compared.
                    values.extend(
                        histogram
                            .data_points()
                            .map(|point| (key(point.attributes()), point.count() as f64)),
                    );
                }
                AggregatedMetrics::U64(MetricData::Histogram(histogram)) => {
                    values.extend(
                        histogram
                            .data_points()
                            .map(|point| (key(point.attributes()), point.sum() as f64)),
                    );
                }
                AggregatedMetrics::F64(MetricData::Sum(sum)) => {
                    values.extend(
                        sum.data_points()
                            .map(|point| (key(point.attributes()), point.value())),
                    );
                }
                _ => panic!("{} has another type", metric.name()),
            }
        }
    }
    measured
}

/// Held by the tests that need one meter provider to be the global one.
static GLOBAL: Mutex<()> = Mutex::const_new(());

#[tokio::test]
async fn provider_that_is_set_later_is_used_by_the_next_session() {
    let _guard = GLOBAL.lock().await;
    let tool = async |name: &'static str| {
        let server = ToolServer::new("later").tool(Tool::new(name, "Work", async || "done"));
        let options = Options::new().tool_server(server);
        FakeCli::play_cli(options, async |cli| {
            cli.call_tool("later", name, json!({})).await;
        })
        .await;
    };
    let (first, _) = &*METERS;
    tool("before").await;
    let (second, exporter) = meters();
    global::set_meter_provider(second.clone());
    tool("after").await;
    global::set_meter_provider(first.clone());
    second.force_flush().unwrap();
    let measured = measured(&exporter);
    let calls = &measured["gen_ai.execute_tool.duration"];
    assert_eq!(calls.get("gen_ai.tool.name=after,server=later"), Some(&1.0));
    assert_eq!(calls.get("gen_ai.tool.name=before,server=later"), None);
}

/// The names differ from those of other tests, which measure with the same provider.
#[tokio::test]
async fn calls_failures_tokens_and_cost_are_measured() {
    let _guard = GLOBAL.lock().await;
    let (provider, exporter) = &*METERS;
    let server = ToolServer::new("meters")
        .tool(Tool::new("measured", "Work", async || "done"))
        .tool(Tool::new("broken", "Fail", async || {
            Err::<&str, _>(ToolError::new("no"))
        }));
    let options = Options::new().tool_server(server);
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let messages = query("Hi").options(options).transport(transport).await;
        messages.unwrap().finish().await.unwrap();
    };
    let cli = async move {
        cli.accept().await;
        let prompt = cli.expect_prompt().await;
        for tool in ["measured", "measured", "broken"] {
            cli.call_tool("meters", tool, json!({})).await;
        }
        let usage = json!({"inputTokens": 1, "cacheReadInputTokens": 20, "outputTokens": 7, "costUSD": 0.25});
        cli.send(json!({
            "type": "result", "subtype": "error_of_this_test", "is_error": true, "session_id": cli.session_id(),
            "user_message_uuid": prompt.uuid(), "model_usage_since_last_result": {"measured-model": usage},
        }))
        .await;
        cli.expect_end_of_input().await;
    };
    join(host, cli).await;
    provider.force_flush().unwrap();

    let measured = measured(exporter);
    let of = |metric: &str, attributes: &str| measured[metric].get(attributes).copied();
    let tools = "gen_ai.execute_tool.duration";
    assert_eq!(
        of(tools, "gen_ai.tool.name=measured,server=meters"),
        Some(2.0),
        "{measured:#?}"
    );
    let failed = "error.type=error,gen_ai.tool.name=broken,server=meters";
    assert_eq!(of(tools, failed), Some(1.0));
    let turn = "error.type=error_of_this_test";
    assert_eq!(
        of("gen_ai.invoke_agent.duration", turn),
        Some(1.0),
        "{measured:#?}"
    );
    let model = "gen_ai.operation.name=invoke_agent,gen_ai.provider.name=anthropic,gen_ai.response.model=measured-model";
    assert_eq!(of("inhouse.cost", model), Some(0.25), "{measured:#?}");
    let tokens = "gen_ai.client.token.usage";
    assert_eq!(
        of(tokens, &format!("{model},gen_ai.token.type=input")),
        Some(21.0)
    );
    assert_eq!(
        of(tokens, &format!("{model},gen_ai.token.type=output")),
        Some(7.0)
    );
}
