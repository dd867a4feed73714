use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use inhouse::tool::{Input, State, Tool, ToolServer};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize, JsonSchema)]
struct Divide {
    a: f64,
    b: f64,
}

/// Returns a server, and the number of times that its handler ran.
fn divider() -> (ToolServer<Arc<AtomicU32>>, Arc<AtomicU32>) {
    let ran = Arc::new(AtomicU32::new(0));
    let tool = Tool::new(
        "divide",
        "Divide",
        async |State(ran): State<Arc<AtomicU32>>, Input(Divide { a, b }): Input<Divide>| {
            ran.fetch_add(1, Ordering::Relaxed);
            a / b
        },
    );
    let server = ToolServer::with_state("calc", Arc::clone(&ran)).tool(tool);
    (server, ran)
}

#[tokio::test]
async fn promise_25_tools_are_testable_without_a_cli() {
    let (server, ran) = divider();
    let result = server
        .call("divide", json!({"a": 84, "b": 2, "unknown": "ignored"}))
        .await;
    assert_eq!(result.all_text(), "42");
    assert_eq!(ran.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn invalid_arguments_name_the_field_and_skip_the_handler() {
    let (server, ran) = divider();
    for (arguments, expected) in [
        (json!({"a": 1}), "invalid arguments: missing field `b`"),
        (json!({"a": 1, "b": "two"}), "`b`"),
        (json!({"a": {"deep": ["x"]}, "b": 2}), "`a`"),
        (json!({"b": 2, "a": null}), "`a`"),
        (json!({}), "missing field `a`"),
    ] {
        let result = server.call("divide", arguments.clone()).await;
        let text = result.all_text();
        assert!(result.is_error, "{arguments}");
        assert!(text.starts_with("invalid arguments: "), "{text}");
        assert!(text.contains(expected), "{arguments}: {text}");
        assert!(!text.contains("column"), "{text}");
        let has_position = text.contains("missing") && text.contains("(at");
        assert!(!has_position, "a missing field has no position: {text}");
    }
    assert_eq!(ran.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn custom_schema_is_enforced() {
    let ran = Arc::new(AtomicU32::new(0));
    let schema = json!({
        "type": "object",
        "properties": {"n": {"type": "integer", "minimum": 1, "maximum": 9}},
        "required": ["n"],
        "additionalProperties": false,
    });
    let tool = Tool::with_schema(
        "pick",
        "Pick",
        schema.clone(),
        async |State(ran): State<Arc<AtomicU32>>, Input(arguments): Input<Value>| {
            ran.fetch_add(1, Ordering::Relaxed);
            arguments["n"].to_string()
        },
    );
    assert_eq!(tool.definition().input_schema, schema);
    let server = ToolServer::with_state("s", Arc::clone(&ran)).tool(tool);
    assert_eq!(server.call("pick", json!({"n": 7})).await.all_text(), "7");
    for wrong in [
        json!({"n": 10}),
        json!({"n": "7"}),
        json!({}),
        json!({"n": 1, "m": 2}),
    ] {
        let result = server.call("pick", wrong.clone()).await;
        assert!(result.is_error, "{wrong}");
    }
    let text = server.call("pick", json!({"n": 10})).await.all_text();
    assert!(text.contains("/n"), "{text}");
    assert_eq!(ran.load(Ordering::Relaxed), 1);
}
