//! The `ToolServer` that foreign clients and the conformance suite talk to.

use std::sync::Arc;

use inhouse::tool::{Content, Input, Json, Progress, Tool, ToolError, ToolServer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::client_tools;

/// A PNG of one pixel.
pub(crate) const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/// A WAV file without samples.
pub(crate) const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

#[derive(Deserialize, JsonSchema)]
struct Divide {
    /// The dividend
    a: f64,
    /// The divisor
    b: u32,
}

#[derive(Serialize, JsonSchema)]
struct Quotient {
    quotient: f64,
    divisor: u32,
}

/// Returns a server with the tools of the client scripts and of the conformance suite.
pub(crate) fn server() -> ToolServer {
    let server = ToolServer::new("foreign")
        .version("2.0.0")
        .instructions("Divide with care.")
        .tools(for_clients())
        .tools(for_conformance())
        .tools(client_tools::tools());
    // Both change the list of tools: `learn` for the clients, the other one for the suite.
    let learn = ["learn", "test_trigger_tool_change"].map(|name| {
        let handle = server.handle();
        Tool::new(name, "Learn to fly", async move || {
            let fly = Tool::new("fly", "Fly", async || "up");
            let put = handle.put(fly).map_err(|error| error.to_string());
            put.map(|_| "learnt").map_err(ToolError::new)
        })
    });
    server.tools(learn)
}

fn for_clients() -> [Tool; 4] {
    let released = Arc::new(Notify::new());
    let release = Arc::clone(&released);
    let divide = async |Input(Divide { a, b }): Input<Divide>| {
        if b == 0 {
            return Err(ToolError::new("division by zero"));
        }
        Ok(Json(Quotient {
            quotient: a / f64::from(b),
            divisor: b,
        }))
    };
    // Ends only after another call: the TypeScript client drops a report that it reads together with
    // the result.
    let steps = async move |progress: Progress| {
        progress.report(1.0, 2.0);
        progress.report_with_message(2.0, 2.0, "there");
        released.notified().await;
        "done"
    };
    [
        Tool::new("divide", "Divide two numbers", divide).read_only(true),
        Tool::new("find", "Find nothing", async || None::<Json<Quotient>>),
        Tool::new("steps", "Take two steps and wait", steps),
        Tool::new("release", "End the steps", async move || {
            release.notify_one();
        }),
    ]
}

/// The tools that the suite describes, with its texts.
fn for_conformance() -> Vec<Tool> {
    let text = async || "This is a simple text response for testing.";
    let embedded = async || {
        let text = "This is an embedded resource content.";
        resource("test://embedded-resource", "text/plain", text)
    };
    let mixed = async || {
        let data = json!({"test": "data", "value": 123}).to_string();
        vec![
            Content::text("Multiple content types test:"),
            Content::image("image/png", PNG),
            resource("test://mixed-content-resource", "application/json", &data),
        ]
    };
    let fails = async || -> Result<(), ToolError> {
        Err(ToolError::new(
            "This tool intentionally returns an error for testing",
        ))
    };
    let progress = async |progress: Progress| {
        for done in [0.0, 50.0, 100.0] {
            progress.report(done, 100.0);
        }
        "Progress test completed"
    };
    vec![
        Tool::new("test_simple_text", "Returns text", text),
        Tool::new("test_image_content", "Returns an image", async || {
            Content::image("image/png", PNG)
        }),
        Tool::new("test_audio_content", "Returns audio", async || {
            Content::audio("audio/wav", WAV)
        }),
        Tool::new("test_embedded_resource", "Returns a resource", embedded),
        Tool::new("test_multiple_content_types", "Returns content", mixed),
        Tool::new("test_error_handling", "Fails", fails),
        Tool::new("test_tool_with_progress", "Reports progress", progress),
        Tool::new("test_reconnection", "Returns text", async || "done"),
        Tool::with_schema(
            "json_schema_2020_12_tool",
            "Takes arguments of JSON Schema 2020-12",
            schema_2020_12(),
            async |Input(_): Input<Value>| "done",
        ),
        Tool::with_schema(
            "test_x_mcp_header",
            "Takes an argument that is also an HTTP header",
            header_schema(),
            async |Input(_): Input<Value>| "done",
        ),
    ]
}

fn resource(uri: &str, mime_type: &str, text: &str) -> Content {
    let mut content = Content::resource_text(uri, text);
    if let Content::Resource(embedded) = &mut content {
        embedded.resource.mime_type = Some(mime_type.to_owned());
    }
    content
}

/// Returns an input schema with the keywords of JSON Schema 2020-12 that must survive listing.
pub(crate) fn schema_2020_12() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {
                    "street": {"type": "string"},
                    "city": {"type": "string"},
                },
            },
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {
            "properties": {"contactMethod": {"const": "phone"}},
            "required": ["contactMethod"],
        },
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false,
    })
}

/// Returns an input schema whose argument is mirrored in an HTTP header (2026-07-28).
pub(crate) fn header_schema() -> Value {
    json!({
        "type": "object",
        "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
        "required": ["region"],
    })
}
