//! `rmcp` in both directions: its servers in the host's process, and tools that it serves to the CLI from
//! outside.

use std::sync::{Arc, Mutex};

use inhouse::Asked;
use inhouse::control::outgoing::McpConnection;
use inhouse::elicitation::{ElicitationAnswer, ElicitationRequest};
use inhouse::options::McpServer;
use inhouse::rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, JsonObject,
    ListResourcesResult, ListToolsResult, MetaObject, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource,
    ResourceContents, ServerCapabilities, ServerConfig, Tool,
};
use inhouse::rmcp::service::RequestContext;
use inhouse::rmcp::{RoleServer, ServerHandler};
use inhouse::tool::{CallId, LogLevel, McpClient, SamplingRequest, ToolError, ToolServer};
use inhouse_testkit::Turn;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use crate::example::example;
use crate::{http, world};

/// Notes that the test shares.
struct Notes(Arc<Mutex<Vec<String>>>);

impl ServerHandler for Notes {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .build();
        ServerConfig::new(capabilities)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut schema = JsonObject::new();
        schema.insert("type".to_owned(), json!("object"));
        let mut meta = MetaObject::default();
        meta.insert("anthropic/alwaysLoad".to_owned(), json!(true));
        let write = Tool::new("write", "Writes a note.", schema).with_meta(meta);
        Ok(ListToolsResult::with_all_items(vec![write]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let text = arguments.get("text").and_then(Value::as_str);
        let Some(text) = text else {
            panic!("a note without text");
        };
        let call = context.meta.get("claudecode/toolUseId");
        let call = call.and_then(Value::as_str).unwrap_or_default();
        let mut notes = self.0.lock().expect("the lock is not poisoned");
        notes.push(format!("{text} ({call})"));
        let written = format!("Note {} written.", notes.len());
        Ok(CallToolResult::success(vec![ContentBlock::text(written)]).into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let shopping = Resource::new("notes://shopping", "shopping");
        Ok(ListResourcesResult::with_all_items(vec![shopping]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let contents = ResourceContents::text("Two eggs and a newt.", request.uri);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }
}

#[tokio::test]
async fn tool_of_a_mounted_server_is_called() {
    world::pinned(async |world| {
        let write = |id, input| Turn::new().tool_use_with_id(id, "mcp__notes__write", input);
        world
            .model
            .turn(write("toolu_1", json!({"text": "Eggs."})))
            .turn(write("toolu_2", json!({})))
            .turn("Written.");
        let notes = Arc::default();
        let kept = Arc::clone(&notes);
        let options = world
            .options()
            .rmcp_server("notes", move || Notes(Arc::clone(&notes)))
            .allow_tools(["mcp__notes"]);
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "Eggs!").await, "Written.");

        let requests = world.model.conversation();
        let tools = requests[0].tools();
        assert!(tools.contains(&"mcp__notes__write"), "{tools:?}");
        let seen = requests[2].tool_results();
        assert_eq!(seen[0].text, "Note 1 written.");
        assert!(seen[1].is_error);
        assert!(seen[1].text.contains("it panicked"), "{}", seen[1].text);
        // The panic message is not sent to the CLI.
        assert!(!seen[1].text.contains("a note without text"));
        assert_eq!(*kept.lock().unwrap(), ["Eggs. (toolu_1)"]);
        let servers = client.control().mcp_status().await.unwrap();
        assert_eq!(servers[0].status, McpConnection::Connected);
    })
    .await;
}

/// The oldest CLI does not support manifests and makes the handshake.
#[tokio::test]
async fn oldest_cli_calls_a_tool_of_a_mounted_server() {
    world::oldest(async |world| {
        let input = json!({"text": "Eggs."});
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", "mcp__notes__write", input))
            .turn("Written.");
        let options = world
            .options()
            .rmcp_server("notes", || Notes(Arc::default()))
            .allow_tools(["mcp__notes"]);
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "Eggs!").await, "Written.");

        let seen = world.model.conversation()[1].tool_results();
        assert_eq!(seen[0].text, "Note 1 written.");
    })
    .await;
}

#[tokio::test]
async fn resources_of_a_mounted_server_are_read() {
    world::pinned(async |world| {
        let read = json!({"server": "notes", "uri": "notes://shopping"});
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", "ListMcpResourcesTool", json!({})))
            .turn(Turn::new().tool_use_with_id("toolu_2", "ReadMcpResourceTool", read))
            .turn("A newt?");
        let options = world
            .options()
            .rmcp_server("notes", || Notes(Arc::default()))
            .allow_tools(["ListMcpResourcesTool", "ReadMcpResourceTool"]);
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "What do we need?").await, "A newt?");

        let seen = world.model.conversation()[2].tool_results();
        assert!(
            seen[0].text.contains("notes://shopping"),
            "{}",
            seen[0].text
        );
        assert!(
            seen[1].text.contains("Two eggs and a newt."),
            "{}",
            seen[1].text
        );
    })
    .await;
}

#[tokio::test]
async fn tools_are_served_over_stdio() {
    world::pinned(async |world| {
        let count = |id, text| {
            Turn::new().tool_use_with_id(id, "mcp__words__count_words", json!({"text": text}))
        };
        world
            .model
            .turn(count("toolu_1", "one two three"))
            .turn(count("toolu_2", ""))
            .turn(Turn::new().tool_use_with_id("toolu_3", "mcp__words__call_id", json!({})))
            .turn("Three.");
        let server = McpServer::stdio(example("serve_stdio").to_str().unwrap());
        let options = world
            .options()
            .mcp_server("words", server)
            .allow_tools(["mcp__words"]);
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "How many?").await, "Three.");

        let seen = world.model.conversation()[3].tool_results();
        assert_eq!(seen[0].text, "3");
        assert!(seen[1].is_error);
        assert!(seen[1].text.contains("has no words"), "{}", seen[1].text);
        assert_eq!(seen[2].text, "toolu_3");
    })
    .await;
}

#[tokio::test]
async fn tools_are_served_over_http() {
    world::pinned(async |world| {
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", "mcp__ids__call_id", json!({})))
            .turn("Got it.");
        let tool = inhouse::tool::Tool::new("call_id", "The id of the call", async |CallId(id)| id);
        let url = serve_http(ToolServer::new("ids").always_load().tool(tool)).await;
        let options = world
            .options()
            .mcp_server("ids", McpServer::http(url))
            .allow_tools(["mcp__ids"]);
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "Which?").await, "Got it.");

        let seen = world.model.conversation()[1].tool_results();
        assert_eq!(seen[0].text, "toolu_1");
    })
    .await;
}

#[tokio::test]
async fn in_process_stdio_and_http_servers_work_together() {
    fn saying(line: &'static str) -> ToolServer {
        let say = inhouse::tool::Tool::new("say", "Says its line", async move || line);
        ToolServer::new("says").always_load().tool(say)
    }
    world::pinned(async |world| {
        let count = json!({"text": "one two three"});
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", "mcp__inside__say", json!({})))
            .turn(Turn::new().tool_use_with_id("toolu_2", "mcp__words__count_words", count))
            .turn(Turn::new().tool_use_with_id("toolu_3", "mcp__web__say", json!({})))
            .turn("Done.");
        let url = serve_http(saying("over HTTP")).await;
        let words = McpServer::stdio(example("serve_stdio").to_str().unwrap());
        let options = world
            .options()
            .tool_server_as("inside", saying("in process"))
            .mcp_server("words", words)
            .mcp_server("web", McpServer::http(url))
            .allow_tools(["mcp__inside", "mcp__words", "mcp__web"]);
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "Speak.").await, "Done.");

        let seen = world.model.conversation()[3].tool_results();
        let seen: Vec<_> = seen.iter().map(|result| result.text.as_str()).collect();
        assert_eq!(seen, ["in process", "3", "over HTTP"]);
    })
    .await;
}

/// The CLI declares elicitation to servers outside of the host's process, but not sampling. Over HTTP it
/// uses MCP 2026-07-28 (2.1.325).
#[tokio::test]
async fn elicitation_of_a_served_tool_reaches_the_handler() {
    world::pinned(async |world| {
        let call = |id, tool| Turn::new().tool_use_with_id(id, tool, json!({}));
        world
            .model
            .turn(call("toolu_1", "mcp__census__count"))
            .turn(call("toolu_2", "mcp__census__guess"))
            .turn("Counted.");
        let count = async |client: McpClient| {
            client.log(LogLevel::Error, "counting");
            let form = json!({"type": "object", "properties": {"people": {"type": "integer"}}});
            let answer = client
                .elicit_with_schema("How many live here?", form)
                .await?;
            let answer = answer.accepted().ok_or("no answer")?;
            Ok::<_, ToolError>(format!("{} people", answer["people"]))
        };
        let guess = async |client: McpClient| {
            let answer = client
                .sample(&SamplingRequest::new("How many?", 10))
                .await?;
            Ok::<_, ToolError>(answer.all_text())
        };
        let server = ToolServer::new("census")
            .always_load()
            .tool(inhouse::tool::Tool::new("count", "Counts", count))
            .tool(inhouse::tool::Tool::new("guess", "Guesses", guess));
        let (sender, mut elicitations) = mpsc::unbounded_channel();
        let options = world
            .options()
            .mcp_server("census", McpServer::http(serve_http(server).await))
            .allow_tools(["mcp__census"])
            .on_elicitation(async move |asked: Asked<ElicitationRequest>| {
                let sent = sender.send(asked.request.message.clone());
                sent.expect("the test holds the receiver");
                Ok(ElicitationAnswer::accept(&json!({"people": 3}))?)
            });
        let mut client = world.connect(options).await;

        assert_eq!(world.ask(&mut client, "Count.").await, "Counted.");

        assert_eq!(elicitations.recv().await.unwrap(), "How many live here?");
        let seen = world.model.conversation()[2].tool_results();
        assert_eq!(seen[0].text, "3 people");
        let unsupported = "the MCP client does not support sampling";
        assert!(seen[1].text.contains(unsupported), "{}", seen[1].text);
    })
    .await;
}

/// Serves tools on a free port during the test; returns the address.
async fn serve_http(tools: ToolServer) -> String {
    let handler = tools.into_rmcp().expect("valid tools");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(http::serve(listener, handler));
    format!("http://{address}/")
}
