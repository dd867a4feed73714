//! Spans and metrics exported with OTLP, in one trace with those of the CLI.
//!
//! `cargo run --example telemetry --features opentelemetry` needs neither the CLI nor an account: it runs against the fake CLI of the
//! test kit, exports to a collector in its own process, and prints what that received. Set `OTEL_EXPORTER_OTLP_ENDPOINT` to export to
//! another collector that accepts OTLP over HTTP with JSON, such as `http://127.0.0.1:4318`. With `-- --live` it runs against the
//! real CLI, whose spans are in the same trace.

#![expect(clippy::print_stdout, reason = "an example prints its output")]

mod collector;
mod export;

use std::error::Error;

use inhouse::tool::ToolServer;
use inhouse::{Options, query, tool};
use inhouse_testkit::FakeCli;
use serde_json::json;
use tracing::{Instrument as _, info_span};

use crate::collector::{Collector, Span};
use crate::export::Export;

/// Multiply two numbers.
#[tool(read_only)]
async fn multiply(
    /** First factor */
    a: f64,
    /** Second factor */
    b: f64,
) -> f64 {
    a * b
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let collector = Collector::start()?;
    let endpoint = std::env::var("OTEL_EXPORTER_OTLP_ENDPOINT");
    let endpoint = endpoint.unwrap_or_else(|_| collector.endpoint());
    let export = Export::to(&endpoint, "telemetry-example")?;
    tracing::subscriber::set_global_default(export.subscriber("telemetry"))?;

    // The session and all that belongs to it are below this span, also in the CLI.
    println!(
        "{}",
        ask(&endpoint)
            .instrument(info_span!("answer_question"))
            .await?
    );

    tokio::task::spawn_blocking(move || export.shut_down()).await??;
    let spans = collector.spans();
    println!("{} spans at the collector:", spans.len());
    for root in spans.iter().filter(|span| span.parent_id.is_empty()) {
        println!("trace {}", root.trace_id);
        print_tree(root, &spans, 1);
    }
    println!(
        "metrics at the collector: {}",
        collector.metrics().join(", ")
    );
    Ok(())
}

async fn ask(endpoint: &str) -> inhouse::Result<String> {
    let calc = ToolServer::new("calc").always_load().tool(multiply::tool());
    let options = Options::new()
        .tool_server(calc)
        .allow_tools(["mcp__calc"])
        .envs([
            // These make the CLI export its spans.
            ("CLAUDE_CODE_ENABLE_TELEMETRY", "1"),
            ("CLAUDE_CODE_ENHANCED_TELEMETRY_BETA", "1"),
            ("OTEL_TRACES_EXPORTER", "otlp"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint),
        ]);
    let question = query("What is 6 times 7?").options(options);
    if std::env::args().any(|argument| argument == "--live") {
        return question.await?.text().await;
    }
    let (transport, cli) = FakeCli::new();
    let host = async { question.transport(transport).await?.text().await };
    tokio::join!(host, play(cli)).0
}

/// Plays the CLI: one tool call and the answer of a model.
async fn play(mut cli: FakeCli) {
    cli.accept().await;
    let parent = cli.launched().env("TRACEPARENT").unwrap_or_default();
    println!("TRACEPARENT of the CLI: {parent}");
    cli.expect_prompt().await;
    let arguments = json!({"a": 6, "b": 7});
    let product = cli.call_tool("calc", "multiply", arguments).await;
    cli.turn(&product.all_text()).await;
}

fn print_tree(span: &Span, spans: &[Span], depth: usize) {
    let (indent, micros) = ("  ".repeat(depth), (span.end - span.start) / 1000);
    let status = if span.is_error { ", failed" } else { "" };
    println!(
        "{indent}{} ({}, {micros} µs{status})",
        span.name, span.service
    );
    let usage = span
        .attributes
        .iter()
        .filter(|(name, _)| name.starts_with("gen_ai.usage"));
    usage.for_each(|(name, tokens)| println!("{indent}  - {name}: {tokens}"));
    for child in spans.iter().filter(|child| child.parent_id == span.id) {
        print_tree(child, spans, depth + 1);
    }
}
