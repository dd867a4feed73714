//! Named parameters: the arguments of a tool.

use std::collections::BTreeMap;

use inhouse::tool;
use inhouse::tool::{CallToolResult, Tool, ToolServer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

const LANGUAGE: &str = "en";

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Order {
    #[default]
    Newest,
    Oldest,
}

/// Does not implement Serialize, so that the schema has no default.
#[derive(Debug, Default, Deserialize, JsonSchema)]
struct Mark(u8);

/// Show all arguments.
#[tool]
#[allow(clippy::too_many_arguments)]
async fn search(
    /// What to look for
    query: String,
    /// Whom to ask
    who: Option<String>,
    #[default] order: Order,
    #[default = 10] limit: u32,
    #[default = -1.5] offset: f64,
    #[default = "all"] folder: String,
    #[default = LANGUAGE.to_owned()] language: String,
    #[default = vec![1, 2]] pages: Vec<u8>,
    #[default] mark: Mark,
) -> String {
    format!(
        "{query} {who:?} {order:?} {limit} {offset} {folder} {language} {pages:?} {}",
        mark.0
    )
}

/// Rename parameters.
#[tool]
async fn renamed(
    /// The kind
    #[rename = "type"]
    kind: String,
    #[rename = "max-results"]
    #[default = 3]
    most: u8,
) -> String {
    format!("{kind} {most}")
}

/// Copy attributes of serde and schemars.
#[tool]
async fn copied(
    #[schemars(range(min = 1, max = 9))] digit: u8,
    #[serde(alias = "colour")] color: String,
    #[allow(unused_variables, unused_mut)] mut unused: BTreeMap<String, Vec<Value>>,
) -> String {
    format!("{digit} {color}")
}

/// Use parameter names that generated code might use.
#[tool]
async fn clash(clash: u8, this: u8, state: u8, call: u8, parameter_0: u8, __default_0: u8) -> u8 {
    clash + this + state + call + parameter_0 + __default_0
}

async fn call(tool: &str, arguments: Value) -> CallToolResult {
    let server = ToolServer::new("test")
        .tool(search::tool())
        .tool(renamed::tool())
        .tool(copied::tool())
        .tool(clash::tool());
    server.call(tool, arguments).await
}

fn schema(tool: &Tool) -> Value {
    tool.definition().input_schema.clone()
}

#[test]
fn schema_has_optional_arguments_and_defaults() {
    let expected = json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What to look for"},
            "who": {"type": ["string", "null"], "description": "Whom to ask"},
            "order": {"type": "string", "enum": ["newest", "oldest"], "default": "newest"},
            "limit": {"type": "integer", "minimum": 0, "default": 10},
            "offset": {"type": "number", "default": -1.5},
            "folder": {"type": "string", "default": "all"},
            "language": {"type": "string", "default": "en"},
            "pages": {
                "type": "array",
                "items": {"type": "integer", "minimum": 0, "maximum": 255},
                "default": [1, 2],
            },
            "mark": {
                "type": "integer",
                "minimum": 0,
                "maximum": 255,
                "description": "Does not implement Serialize, so that the schema has no default.",
            },
        },
        "required": ["query"],
    });
    assert_eq!(schema(&search::tool()), expected);
}

#[tokio::test]
async fn missing_arguments_have_their_default() {
    let result = call("search", json!({"query": "tea"})).await;
    assert_eq!(result.all_text(), "tea None Newest 10 -1.5 all en [1, 2] 0");
}

#[tokio::test]
async fn given_arguments_override_defaults() {
    let arguments = json!({
        "query": "tea", "who": "Ada", "order": "oldest", "limit": 1, "offset": 2,
        "folder": "in", "language": "de", "pages": [], "mark": 7,
    });
    let result = call("search", arguments).await;
    assert_eq!(result.all_text(), "tea Some(\"Ada\") Oldest 1 2 in de [] 7");
}

#[tokio::test]
async fn null_counts_as_missing() {
    let result = call("search", json!({"query": "tea", "who": null})).await;
    assert!(
        result.all_text().starts_with("tea None"),
        "{}",
        result.all_text()
    );
}

#[tokio::test]
async fn renamed_argument_has_only_its_new_name() {
    assert_eq!(
        call("renamed", json!({"type": "a", "max-results": 5}))
            .await
            .all_text(),
        "a 5"
    );
    let old = call("renamed", json!({"kind": "a"})).await;
    assert!(old.is_error);
    assert!(
        old.all_text()
            .starts_with("invalid arguments: missing field `type`"),
        "{}",
        old.all_text()
    );
    let schema = schema(&renamed::tool());
    assert_eq!(schema["properties"]["type"]["description"], "The kind");
    assert_eq!(schema["properties"]["max-results"]["default"], 3);
    assert_eq!(schema["required"], json!(["type"]));
}

#[tokio::test]
async fn attributes_of_serde_and_schemars_are_copied() {
    let schema = schema(&copied::tool());
    assert_eq!(schema["properties"]["digit"]["minimum"], 1);
    assert_eq!(schema["properties"]["digit"]["maximum"], 9);
    let result = call("copied", json!({"digit": 1, "colour": "red", "unused": {}})).await;
    assert_eq!(result.all_text(), "1 red");
}

#[tokio::test]
async fn unknown_arguments_are_ignored() {
    let result = call("renamed", json!({"type": "a", "reason": "because"})).await;
    assert_eq!(result.all_text(), "a 3");
}

#[tokio::test]
async fn invalid_argument_is_named() {
    for (arguments, words) in [
        (json!({}), "missing field `query`"),
        (json!({"query": 1}), "expected a string (at `query`)"),
        (
            json!({"query": "a", "limit": -1}),
            "expected u32 (at `limit`)",
        ),
        (json!({"query": "a", "order": "x"}), "(at `order`)"),
        (json!("a"), "expected an object of arguments"),
    ] {
        let result = call("search", arguments.clone()).await;
        assert!(result.is_error, "{arguments}");
        assert!(
            result.all_text().contains(words),
            "{arguments}: {}",
            result.all_text()
        );
    }
}

#[tokio::test]
async fn parameter_names_do_not_collide() {
    let arguments = json!({
        "clash": 1, "this": 2, "state": 4, "call": 8, "parameter_0": 16, "__default_0": 32,
    });
    assert_eq!(call("clash", arguments).await.all_text(), "63");
}
