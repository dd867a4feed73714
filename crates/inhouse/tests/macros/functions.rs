//! Functions: name, description, result, and the function itself.

use inhouse::tool;
use inhouse::tool::{CallToolResult, Content, IntoToolResult, Json, Tool, ToolError, ToolServer};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json, to_value};

/// Add two numbers.
#[tool(read_only)]
async fn add(
    /** First number */
    a: f64,
    /// Second number
    b: f64,
) -> f64 {
    a + b
}

/// Tell the time.
///
/// In words:
/// - long ones
///   - or short ones
#[tool]
fn now() -> &'static str {
    "noon"
}

/// Echo a text.
#[tool]
async fn r#match(r#type: String) -> String {
    r#type
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    /// All of it
    total: f64,
}

/// Add up.
#[tool]
async fn sum(numbers: Vec<f64>) -> Result<Json<Sum>, ToolError> {
    if numbers.is_empty() {
        return Err(ToolError::new("there is nothing to add up"));
    }
    let total = numbers.iter().sum();
    Ok(Json(Sum { total }))
}

/// Read a number.
#[tool]
fn read(text: String) -> Result<i64, std::num::ParseIntError> {
    text.parse()
}

/// Show anything.
#[tool]
async fn show() -> impl IntoToolResult {
    vec![Content::text("one"), Content::text("two")]
}

/// Panic.
#[tool]
async fn panic(word: String) {
    panic!("{word}!");
}

fn server() -> ToolServer {
    ToolServer::new("test")
        .tool(add::tool())
        .tool(now::tool())
        .tool(r#match::tool())
        .tool(sum::tool())
        .tool(read::tool())
        .tool(show::tool())
        .tool(panic::tool())
}

async fn call(tool: &str, arguments: Value) -> CallToolResult {
    server().call(tool, arguments).await
}

fn definition(tool: &Tool) -> Value {
    to_value(tool.definition()).unwrap()
}

#[tokio::test]
async fn function_is_called_with_the_arguments() {
    let result = call("add", json!({"a": 40, "b": 2.5})).await;
    assert_eq!(
        to_value(result).unwrap(),
        json!({"content": [{"type": "text", "text": "42.5"}]})
    );
}

#[test]
fn definition_is_inferred_from_the_function() {
    let expected = json!({
        "name": "add",
        "description": "Add two numbers.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "a": {"type": "number", "description": "First number"},
                "b": {"type": "number", "description": "Second number"},
            },
            "required": ["a", "b"],
        },
        "annotations": {"readOnlyHint": true},
    });
    assert_eq!(definition(&add::tool()), expected);
}

#[tokio::test]
async fn function_stays_callable() {
    assert_eq!(add(1.0, 2.0).await, 3.0);
    assert_eq!(now(), "noon");
    assert!(sum(Vec::new()).await.is_err());
}

#[tokio::test]
async fn function_that_is_not_async_is_a_tool() {
    assert_eq!(call("now", json!({})).await.all_text(), "noon");
    let no_arguments = json!({"type": "object", "properties": {}});
    assert_eq!(now::tool::<()>().definition().input_schema, no_arguments);
}

#[test]
fn description_keeps_its_paragraphs() {
    let tool: Tool = now::tool();
    let text = "Tell the time.\n\nIn words:\n- long ones\n  - or short ones";
    assert_eq!(tool.definition().description.as_deref(), Some(text));
}

#[tokio::test]
async fn raw_identifiers_lose_their_prefix() {
    assert_eq!(call("match", json!({"type": "x"})).await.all_text(), "x");
}

#[tokio::test]
async fn results_are_structured_content_or_lists() {
    let sum = call("sum", json!({"numbers": [1, 2]})).await;
    assert_eq!(sum.structured_content, Some(json!({"total": 3.0})));
    assert_eq!(call("show", json!({})).await.content.len(), 2);
    let schema = definition(&sum::tool())["outputSchema"].take();
    assert_eq!(schema["properties"]["total"]["description"], "All of it");
}

#[tokio::test]
async fn errors_are_error_results() {
    let own = call("sum", json!({"numbers": []})).await;
    assert!(own.is_error);
    assert_eq!(own.all_text(), "there is nothing to add up");
    let any = call("read", json!({"text": "x"})).await;
    assert!(any.is_error);
    assert_eq!(any.all_text(), "invalid digit found in string");
}

#[tokio::test]
async fn panic_is_an_error() {
    let result = call("panic", json!({"word": "oops"})).await;
    assert!(result.is_error);
    assert_eq!(result.all_text(), "the tool `panic` failed: it panicked");
}
