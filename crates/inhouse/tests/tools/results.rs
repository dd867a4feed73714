use inhouse::tool::{CallToolResult, Content, IntoToolResult, Json, Tool, ToolError, ToolServer};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

/// Returns the JSON of a result that a tool returns.
async fn wire<R: IntoToolResult + Clone + Send + Sync + 'static>(value: R) -> Value {
    let tool = Tool::new("it", "It", async move || value);
    let result = ToolServer::new("s").tool(tool).call("it", json!({})).await;
    serde_json::to_value(result).expect("JSON")
}

fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

#[tokio::test]
async fn text_numbers_and_bool_are_text() {
    assert_eq!(wire("five").await, text("five"));
    assert_eq!(wire(String::from("5")).await, text("5"));
    assert_eq!(wire(5).await, text("5"));
    assert_eq!(wire(5_u64).await, text("5"));
    assert_eq!(wire(0.5).await, text("0.5"));
    assert_eq!(wire(42.0).await, text("42"));
    assert_eq!(wire(true).await, text("true"));
}

#[tokio::test]
async fn unit_and_none_are_empty_content() {
    assert_eq!(wire(()).await, json!({"content": []}));
    assert_eq!(wire(None::<String>).await, json!({"content": []}));
    assert_eq!(wire(Some("x")).await, text("x"));
}

#[derive(Clone, Serialize, JsonSchema)]
struct Point {
    x: i32,
    y: i32,
}

#[tokio::test]
async fn json_is_structured_content_without_other_content() {
    assert_eq!(
        wire(Json(Point { x: 1, y: 2 })).await,
        json!({"content": [], "structuredContent": {"x": 1, "y": 2}})
    );
    assert_eq!(
        wire(Json(vec![1, 2])).await,
        text("[1,2]"),
        "only objects may be structured"
    );
}

#[tokio::test]
async fn content_is_sent_unchanged() {
    assert_eq!(
        wire(vec![
            Content::text("look"),
            Content::image("image/png", "AAAA"),
            Content::audio("audio/wav", "BBBB"),
            Content::resource_text("file:///a", "text"),
            Content::resource_blob("file:///b", "application/pdf", "CCCC"),
            Content::resource_link("file:///c", "c"),
        ])
        .await,
        json!({"content": [
            {"type": "text", "text": "look"},
            {"type": "image", "data": "AAAA", "mimeType": "image/png"},
            {"type": "audio", "data": "BBBB", "mimeType": "audio/wav"},
            {"type": "resource", "resource": {"uri": "file:///a", "text": "text"}},
            {"type": "resource", "resource": {"uri": "file:///b", "mimeType": "application/pdf", "blob": "CCCC"}},
            {"type": "resource_link", "uri": "file:///c", "name": "c"},
        ]})
    );
    let mut raw = CallToolResult::text("raw");
    raw.meta = Some(serde_json::Map::from_iter([("k".to_owned(), json!(1))]));
    assert_eq!(
        wire(raw).await,
        json!({"content": [{"type": "text", "text": "raw"}], "_meta": {"k": 1}})
    );
}

#[tokio::test]
async fn errors_are_error_results() {
    let tool = Tool::new("read", "Read", async || -> Result<String, ToolError> {
        let number: u32 = "seven".parse()?;
        Ok(number.to_string())
    });
    let result = ToolServer::new("s")
        .tool(tool)
        .call("read", json!({}))
        .await;
    assert_eq!(
        serde_json::to_value(result).expect("JSON"),
        json!({"content": [{"type": "text", "text": "invalid digit found in string"}], "isError": true})
    );
}

#[tokio::test]
async fn error_text_has_the_chain_of_causes() {
    #[derive(Debug)]
    struct Outer(std::num::ParseIntError);
    impl std::fmt::Display for Outer {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("the port is wrong")
        }
    }
    impl std::error::Error for Outer {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(&self.0)
        }
    }
    let tool = Tool::new("port", "Port", async || {
        "x".parse::<u16>().map_err(Outer).map(drop)
    });
    let result = ToolServer::new("s")
        .tool(tool)
        .call("port", json!({}))
        .await;
    assert_eq!(
        result.all_text(),
        "the port is wrong: invalid digit found in string"
    );
}

#[tokio::test]
async fn boxed_errors_and_strings_convert_to_tool_errors() {
    type Boxed = Box<dyn std::error::Error + Send + Sync>;
    let boxed = Tool::new("boxed", "Boxed", async || -> Result<(), ToolError> {
        Err(Boxed::from("out of paper"))?
    });
    let words = Tool::new("words", "Words", async || -> Result<(), ToolError> {
        Err("out of ink")?
    });
    let server = ToolServer::new("s").tool(boxed).tool(words);
    let result = server.call("boxed", json!({})).await;
    assert_eq!(result.all_text(), "out of paper");
    let result = server.call("words", json!({})).await;
    assert_eq!(result.all_text(), "out of ink");
}
