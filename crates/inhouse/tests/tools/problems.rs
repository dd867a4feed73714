use inhouse::error::ErrorKind;
use inhouse::tool::{Input, Tool, ToolServer};
use inhouse::{Client, Options};
use inhouse_testkit::FakeCli;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Age {
    age: u8,
}

async fn both(Input(Name { name }): Input<Name>, Input(Age { age }): Input<Age>) -> String {
    format!("{name} {age}")
}

/// Returns invalid tools, each with a part of its error.
fn invalid() -> [(Tool, &'static str); 4] {
    let schema = |schema| Tool::with_schema("say", "Say", schema, async || "broken");
    [
        (Tool::new("", "No name", async || "broken"), "empty name"),
        (schema(json!({"type": "string"})), "not an object"),
        (
            schema(json!({"type": "object", "required": 7})),
            "not valid",
        ),
        (Tool::new("say", "Say", both), "`say`: its handler takes"),
    ]
}

#[tokio::test]
async fn invalid_tool_cannot_be_added_to_a_live_server() {
    let server = ToolServer::new("s").tool(Tool::new("say", "Say", async || "fine"));
    let tools = server.handle();
    for (tool, why) in invalid() {
        let error = tools.put(tool).expect_err(why);
        assert_eq!(error.kind(), ErrorKind::Config);
        assert!(error.to_string().contains(why), "{error}");
        assert_eq!(tools.names(), ["say"]);
        assert_eq!(server.call("say", json!({})).await.all_text(), "fine");
    }
}

#[tokio::test]
async fn invalid_tool_fails_connect() {
    for (tool, why) in invalid() {
        let options = Options::new().tool_server(ToolServer::new("s").tool(tool));
        let (transport, _cli) = FakeCli::new();
        let error = Client::connect_with(options, transport).await;
        let error = error.expect_err(why);
        assert_eq!(error.kind(), ErrorKind::Config);
        assert!(error.to_string().contains(why), "{error}");
    }
}

#[cfg(feature = "rmcp")]
#[test]
fn invalid_tool_cannot_be_served_by_rmcp() {
    for (tool, why) in invalid() {
        let Err(error) = ToolServer::new("s").tool(tool).into_rmcp() else {
            panic!("{why}");
        };
        assert_eq!(error.kind(), ErrorKind::Config);
        assert!(error.to_string().contains(why), "{error}");
    }
}

#[tokio::test]
async fn several_inputs_are_valid_with_a_custom_schema() {
    let members = json!({"name": {"type": "string"}, "age": {"type": "integer"}});
    let schema: Value = json!({"type": "object", "properties": members});
    let server = ToolServer::new("s");
    let tool = Tool::with_schema("both", "Both", schema, both);
    server.handle().put(tool).expect("a valid tool");
    let result = server.call("both", json!({"name": "Ada", "age": 36})).await;
    assert_eq!(result.all_text(), "Ada 36");
}
