use std::sync::LazyLock;

use inhouse::tool::{Input, Tool, ToolError, ToolServer};
use inhouse_proto::mcp::Rpc;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use super::is_json;

/// Parses each line as a JSON-RPC message, and has a server with tools handle it.
///
/// The parts of a message are JSON, a request has one response with its id, and a notification has none.
pub fn rpc(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let router = SERVER.router().on_message(|message| {
        assert!(is_json(&message), "not JSON: {message}");
    });
    for line in text.split('\n') {
        let parsed = Rpc::parse(line);
        let expected = match &parsed {
            Ok(Rpc::Request { id, params, .. }) => {
                assert!(is_json(id), "not JSON: {id}");
                assert!(params.is_none_or(is_json), "not JSON: {params:?}");
                Some(*id)
            }
            Ok(Rpc::Notification { params, .. }) => {
                assert!(params.is_none_or(is_json), "not JSON: {params:?}");
                None
            }
            Ok(Rpc::Response { id, outcome }) => {
                let (Ok(value) | Err(value)) = outcome;
                assert!(is_json(id) && is_json(value), "not JSON: {id} {value}");
                None
            }
            Err((error, id)) => {
                assert!(!error.message.is_empty());
                Some(id.unwrap_or("null"))
            }
        };
        let response = RUNTIME.block_on(router.handle(line));
        match (response, expected) {
            (None, None) => {}
            (Some(response), Some(id)) => assert_response(&response, id),
            (response, id) => panic!("id {id:?}, response {response:?}"),
        }
    }
}

#[track_caller]
fn assert_response(response: &str, id: &str) {
    #[derive(Deserialize)]
    struct Members<'a> {
        jsonrpc: &'a str,
        #[serde(borrow)]
        id: &'a RawValue,
        #[serde(borrow)]
        result: Option<&'a RawValue>,
        #[serde(borrow)]
        error: Option<&'a RawValue>,
    }
    let members: Members<'_> = serde_json::from_str(response)
        .unwrap_or_else(|error| panic!("{error}: the response is {response}"));
    assert_eq!(members.jsonrpc, "2.0", "{response}");
    assert_eq!(members.id.get(), id, "{response}");
    assert!(
        members.result.is_some() != members.error.is_some(),
        "{response}"
    );
}

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    let runtime = Builder::new_current_thread().enable_time().build();
    runtime.expect("a runtime without I/O needs nothing")
});

pub(super) static SERVER: LazyLock<ToolServer> = LazyLock::new(|| {
    let schema = json!({
        "type": "object",
        "properties": {"name": {"type": "string", "maxLength": 8}},
        "required": ["name"],
    });
    let greet = Tool::with_schema(
        "greet",
        "Greets",
        schema,
        async |Input(arguments): Input<Value>| format!("Hello {arguments}"),
    );
    ToolServer::new("calc")
        .tool(Tool::new("now", "The time", async || "noon"))
        .tool(Tool::new("divide", "Divides", divide))
        .tool(greet)
});

#[derive(Deserialize, JsonSchema)]
struct Division {
    a: f64,
    b: f64,
    #[serde(default)]
    note: Option<String>,
}

async fn divide(Input(division): Input<Division>) -> Result<String, ToolError> {
    let Division { a, b, note } = division;
    if b == 0.0 {
        return Err(ToolError::new("division by zero"));
    }
    Ok(format!("{} {}", a / b, note.unwrap_or_default()))
}
