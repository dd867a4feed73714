//! One trace through the host, the CLI and the tools of the host.
//!
//! Metrics have a test target to themselves, because a process has one meter provider for all tests.

use std::path::PathBuf;
use std::time::Duration;

use inhouse::tool::{Tool, ToolServer};
use inhouse::{Client, Options};
use inhouse_testkit::Turn;
use serde_json::json;
use tokio::time::timeout;
use tracing::subscriber::NoSubscriber;
use tracing::{Instrument as _, info_span};

use crate::collector::{Collector, Span};
use crate::export::Export;
use crate::trace_picture::draw;
use crate::world::{World, pinned};

/// The variable with the path of the picture for the guide, which is written if it is set.
const PICTURE: &str = "INHOUSE_TRACE_PICTURE";

/// The name of the CLI's span of a turn.
const INTERACTION: &str = "claude_code.interaction";

/// The time in which the CLI has to export its spans.
const EXPORTED: Duration = Duration::from_secs(60);

/// Makes the CLI export its spans to a collector.
fn exporting(options: Options, collector: &Collector) -> Options {
    options.envs([
        ("OTEL_BSP_SCHEDULE_DELAY", "100"),
        ("CLAUDE_CODE_ENABLE_TELEMETRY", "1"),
        ("CLAUDE_CODE_ENHANCED_TELEMETRY_BETA", "1"),
        ("OTEL_TRACES_EXPORTER", "otlp"),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.endpoint()),
    ])
}

/// Asks twice in one session; in the first turn the model calls a tool of the host.
async fn converse(world: &World, collector: &Collector) {
    let multiply = Tool::new("multiply", "Multiply 6 by 7", async || {
        info_span!("multiplication").in_scope(|| "42")
    });
    let server = ToolServer::new("calc").always_load().tool(multiply);
    let options = world
        .options()
        .tool_server(server)
        .allow_tools(["mcp__calc"]);
    let call = Turn::new().tool_use_with_id("toolu_1", "mcp__calc__multiply", json!({}));
    world.model.turn(call);
    world.model.turn("42.");
    world.model.turn("You are welcome.");
    let mut client = Client::connect(exporting(options, collector))
        .await
        .unwrap();
    assert_eq!(world.ask(&mut client, "What is 6 times 7?").await, "42.");
    assert_eq!(world.ask(&mut client, "Thanks!").await, "You are welcome.");
    // Before the end, at which the CLI exports for two seconds at most.
    let both = collector.wait_for(|spans| named(spans, INTERACTION).len() == 2);
    timeout(EXPORTED, both).await.expect("spans of the CLI");
    client.close().await.unwrap();
}

#[tokio::test]
async fn host_cli_and_tool_are_in_one_trace() {
    pinned(async |world| {
        let collector = Collector::start().unwrap();
        let export = Export::to(&collector.endpoint(), "host").unwrap();
        // With a single subscriber, `tracing` disables a span for good if a thread without it, that of another test, is the first to
        // reach it.
        let _second = tracing::Dispatch::new(NoSubscriber::new());
        let guard = tracing::subscriber::set_default(export.subscriber("real"));
        converse(world, &collector)
            .instrument(info_span!("answer_question"))
            .await;
        drop(guard);
        export.shut_down().unwrap();

        // The end of the model: it has seen the result of the tool.
        let requests = world.model.conversation();
        assert_eq!(requests[1].tool_results()[0].text, "42");
        // The end of the host: what the collector has received from it, and from the CLI.
        let spans = collector.spans();
        check(&spans);
        if let Some(path) = std::env::var_os(PICTURE) {
            // Tests run in the directory of their package.
            let path = PathBuf::from("../..").join(path);
            std::fs::write(path, draw(&spans)).unwrap();
        }
    })
    .await;
}

fn named<'a>(spans: &'a [Span], name: &str) -> Vec<&'a Span> {
    let named = spans.iter().filter(|span| span.name == name);
    named.collect()
}

fn check(spans: &[Span]) {
    let named = |name: &str| named(spans, name);
    let one = |name: &str| match *named(name) {
        [span] => span,
        ref found => panic!("one {name}, not {found:#?} in {spans:#?}"),
    };
    let root = one("answer_question");
    assert_eq!(root.parent_id, "");
    for span in spans {
        assert_eq!(span.trace_id, root.trace_id, "{span:#?}");
        assert!(!span.is_error, "{span:#?}");
    }
    // host → session → interactions of the CLI → the CLI's span of the call
    let session = one("inhouse::session");
    assert_eq!((&session.parent_id, &*session.service), (&root.id, "host"));
    let interactions = named(INTERACTION);
    assert_eq!(interactions.len(), 2);
    for interaction in &interactions {
        assert_eq!(interaction.parent_id, session.id);
        assert_ne!(interaction.service, "host");
    }
    let calling = one("claude_code.tool");
    assert_eq!(calling.parent_id, interactions[0].id);
    // host → turn → the host's span of the same call → the span in the tool
    let turns = named("invoke_agent");
    assert_eq!(turns.len(), 2);
    assert!(turns.iter().all(|turn| turn.parent_id == root.id));
    let called = one("execute_tool multiply");
    assert_eq!(
        (&called.parent_id, &*called.service),
        (&turns[0].id, "host")
    );
    assert_eq!(one("multiplication").parent_id, called.id);
    for call in [calling, called] {
        assert_eq!(call.attributes["gen_ai.tool.call.id"], "toolu_1");
    }
    // The tool runs while the CLI waits for it.
    assert!(calling.start <= called.start && called.end <= calling.end);
    // Both ends agree about the session.
    let id = &session.attributes["gen_ai.conversation.id"];
    assert!(!id.is_empty());
    for span in turns.iter().chain(&interactions) {
        assert_eq!(&span.attributes["gen_ai.conversation.id"], id);
    }
    let model = &session.attributes["gen_ai.request.model"];
    for request in named("claude_code.llm_request") {
        assert_eq!(&request.attributes["gen_ai.request.model"], model);
    }
    for turn in turns {
        for field in [
            "gen_ai.usage.input_tokens",
            "gen_ai.usage.output_tokens",
            "cost_usd",
        ] {
            let value: f64 = turn.attributes[field].parse().unwrap();
            assert!(value > 0.0, "{field} of {turn:#?}");
        }
    }
}
