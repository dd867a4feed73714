//! Log messages and requests of in-process tools to the CLI.

use inhouse::elicitation::{ElicitationAnswer, ElicitationRequest};
use inhouse::tool::{LogLevel, McpClient, SamplingRequest, Tool, ToolError, ToolServer};
use inhouse::{Asked, Options};
use serde_json::json;

use super::{calling, seen};
use crate::world::{self, World};

fn options(world: &World) -> Options {
    let log = async |client: McpClient| {
        for level in [LogLevel::Debug, LogLevel::Error, LogLevel::Emergency] {
            client.log(level, json!({"row": 7}));
        }
        "logged"
    };
    let elicit = async |client: McpClient| {
        let form = json!({"type": "object", "properties": {"name": {"type": "string"}}});
        let answer = client.elicit_with_schema("Who are you?", form).await?;
        Ok::<_, ToolError>(format!("{answer:?}"))
    };
    let sample = async |client: McpClient| {
        let answer = client.sample(&SamplingRequest::new("Hello", 10)).await?;
        Ok::<_, ToolError>(answer.all_text())
    };
    let server = ToolServer::new("s")
        .always_load()
        .tool(Tool::new("log", "Logs", log))
        .tool(Tool::new("elicit", "Asks the user", elicit))
        .tool(Tool::new("sample", "Asks a model", sample));
    world
        .options()
        .tool_server(server)
        .allow_tools(["mcp__s"])
        .on_elicitation(async |_: Asked<ElicitationRequest>| Ok(ElicitationAnswer::Decline))
}

/// Both CLIs declare no capabilities to in-process servers, as the recordings `mcp_in_process` show. With
/// a manifest 2.1.325 makes no handshake and declares nothing at all.
async fn logs_and_gets_no_requests(world: &World) {
    calling(
        world,
        ["log", "elicit", "sample"].map(|tool| (tool, json!({}))),
    );
    let mut client = world.connect(options(world)).await;

    assert_eq!(world.ask(&mut client, "Go.").await, "Done.");

    let results: Vec<_> = seen(world)
        .into_iter()
        .map(|result| (result.text, result.is_error))
        .collect();
    assert_eq!(results.len(), 3, "{results:?}");
    assert_eq!(results[0], ("logged".to_owned(), false));
    for (index, capability) in [(1, "elicitation"), (2, "sampling")] {
        let (text, is_error) = &results[index];
        let expected = format!("the MCP client does not support {capability}");
        assert!(*is_error && text.contains(&expected), "{text}");
    }
}

#[tokio::test]
async fn cli_accepts_log_messages_and_gets_no_requests() {
    world::pinned(logs_and_gets_no_requests).await;
}

#[tokio::test]
async fn oldest_cli_accepts_log_messages_and_gets_no_requests() {
    world::oldest(logs_and_gets_no_requests).await;
}
