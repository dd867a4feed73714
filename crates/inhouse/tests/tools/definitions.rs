use inhouse::tool::{Input, Json, Tool, ToolServer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only the schema is used")]
struct Search {
    /// What to look for
    text: String,
    /// How many at most
    limit: Option<u8>,
    #[serde(default)]
    folder: Folder,
    tags: Vec<Tag>,
}

#[derive(Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Folder {
    #[default]
    Inbox,
    Sent,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only the schema is used")]
struct Tag {
    name: String,
}

#[derive(Serialize, JsonSchema)]
struct Found {
    count: u32,
}

fn definition<S: 'static>(tool: &Tool<S>) -> Value {
    serde_json::to_value(tool.definition()).expect("JSON")
}

#[test]
fn schema_is_inferred_from_the_type_and_inlined() {
    let tool: Tool = Tool::new("search", "Search mail", async |Input(_): Input<Search>| {
        Json(Found { count: 0 })
    });
    let definition = definition(&tool);
    assert_eq!(definition["name"], "search");
    assert_eq!(definition["description"], "Search mail");
    let input = &definition["inputSchema"];
    assert_eq!(input["type"], "object");
    assert_eq!(input["required"], json!(["text", "tags"]));
    let properties = &input["properties"];
    assert_eq!(properties["text"]["description"], "What to look for");
    assert_eq!(properties["limit"]["description"], "How many at most");
    assert_eq!(properties["folder"]["enum"], json!(["inbox", "sent"]));
    assert_eq!(properties["folder"]["default"], "inbox");
    assert_eq!(
        properties["tags"]["items"]["properties"]["name"]["type"],
        "string"
    );
    assert!(!input.to_string().contains("$ref"), "{input}");
    assert_eq!(
        definition["outputSchema"]["properties"]["count"]["type"],
        "integer"
    );
}

#[test]
fn schemas_have_only_formats_that_json_schema_defines() {
    #[derive(Deserialize, Serialize, JsonSchema)]
    struct Numbers {
        small: u8,
        counts: Vec<u32>,
        ratio: Option<f64>,
        next: Option<Box<Numbers>>,
        format: i64,
        #[schemars(extend("format" = "uri"))]
        address: String,
    }
    let tool: Tool = Tool::new("count", "Count", async |Input(n): Input<Numbers>| Json(n));
    let definition = definition(&tool);
    for schema in ["inputSchema", "outputSchema"] {
        let text = definition[schema].to_string();
        for format in text.split(r#""format":""#).skip(1) {
            assert!(format.starts_with("uri\""), "{text}");
        }
        let properties = &definition[schema]["properties"];
        assert_eq!(properties["small"]["maximum"], 255);
        assert_eq!(properties["format"]["type"], "integer");
        assert_eq!(properties["address"]["format"], "uri");
    }
}

#[test]
fn optional_data_has_no_output_schema() {
    let maybe: Tool = Tool::new("find", "Find", async || None::<Json<Found>>);
    assert_eq!(maybe.definition().output_schema, None);
    let always: Tool = Tool::new("find", "Find", async || Json(Found { count: 1 }));
    assert!(always.definition().output_schema.is_some());
}

#[test]
fn recursive_type_keeps_its_definition() {
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only the schema is used")]
    struct Tree {
        children: Vec<Tree>,
    }
    let tool: Tool = Tool::new("walk", "Walk", async |Input(_): Input<Tree>| ());
    let schema = definition(&tool)["inputSchema"].clone();
    assert_eq!(schema["type"], "object", "{schema}");
    assert_references_resolve(&schema);
}

/// Checks that every reference has a target in the schema.
fn assert_references_resolve(schema: &Value) {
    let text = schema.to_string();
    for reference in text.split("\"$ref\":\"").skip(1) {
        let target = reference.split('"').next().expect("the string is closed");
        let pointer = target.strip_prefix('#').expect("a local reference");
        assert!(schema.pointer(pointer).is_some(), "{target} in {schema}");
    }
}

#[test]
fn input_schema_without_arguments_is_an_empty_object() {
    let tool: Tool = Tool::new("now", "Now", async || "noon");
    assert_eq!(
        definition(&tool),
        json!({"name": "now", "description": "Now", "inputSchema": {"type": "object", "properties": {}}})
    );
}

#[test]
fn hints_and_meta_have_the_names_of_the_wire() {
    let tool: Tool = Tool::new("wipe", "Wipe", async || ())
        .title("Wipe it")
        .destructive(true)
        .idempotent(true)
        .open_world(false)
        .always_load()
        .search_hint("delete erase")
        .max_result_size(500_000);
    let definition = definition(&tool);
    assert_eq!(definition["title"], "Wipe it");
    assert_eq!(
        definition["annotations"],
        json!({"destructiveHint": true, "idempotentHint": true, "openWorldHint": false})
    );
    assert_eq!(
        definition["_meta"],
        json!({
            "anthropic/alwaysLoad": true,
            "anthropic/searchHint": "delete erase",
            "anthropic/maxResultSizeChars": 500_000,
        })
    );
    let tool: Tool = Tool::new("look", "Look", async || ()).read_only(true);
    assert_eq!(tool.definition().annotations.read_only_hint, Some(true));
}

#[test]
fn hints_can_be_false_and_are_omitted_by_default() {
    let tool = || Tool::<()>::new("look", "Look", async || ());
    assert_eq!(definition(&tool()).get("annotations"), None);
    for (tool, hint) in [
        (tool().read_only(false), "readOnlyHint"),
        (tool().destructive(false), "destructiveHint"),
        (tool().idempotent(false), "idempotentHint"),
        (tool().open_world(false), "openWorldHint"),
    ] {
        assert_eq!(definition(&tool)["annotations"], json!({hint: false}));
    }
}

#[tokio::test]
async fn handle_changes_the_tools_of_every_clone() {
    let server = ToolServer::new("s").tool(Tool::new("a", "A", async || "1"));
    let clone = server.clone();
    let tools = server.handle();
    tools.put(Tool::new("b", "B", async || "2")).unwrap();
    tools.put(Tool::new("a", "A", async || "3")).unwrap();
    assert_eq!(tools.names(), ["a", "b"]);
    assert_eq!(clone.call("a", json!({})).await.all_text(), "3");
    assert!(tools.remove("b"));
    assert!(!tools.remove("b"));
    assert!(clone.call("b", json!({})).await.is_error);
}
