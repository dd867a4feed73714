//! An in-process server written with the `rmcp` crate: tools and resources.
//!
//! `cargo run --example mount_rmcp --features rmcp` runs offline; `-- --live` uses the real CLI.

#![allow(clippy::print_stdout, reason = "an example prints its output")]

use std::sync::{Arc, Mutex};

use inhouse::{Options, query};
use inhouse_testkit::FakeCli;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    ErrorData, ListResourcesResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// State of the application, shared by all sessions.
type Notebook = Arc<Mutex<Vec<String>>>;

/// The handler of one session.
struct Notes {
    notebook: Notebook,
    // Stored, because creating a router takes longer than a call.
    tools: ToolRouter<Self>,
}

#[derive(Deserialize, JsonSchema)]
struct Note {
    /// The text of the note
    text: String,
}

#[tool_router]
impl Notes {
    fn new(notebook: Notebook) -> Self {
        let tools = Self::tool_router();
        Self { notebook, tools }
    }

    /// Write a note.
    #[tool]
    async fn write(&self, Parameters(Note { text }): Parameters<Note>) -> String {
        let mut notes = self.notebook.lock().expect("no writer panics");
        notes.push(text);
        format!("This is note {}.", notes.len())
    }
}

#[tool_handler(router = self.tools)]
impl ServerHandler for Notes {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .build();
        ServerConfig::new(capabilities)
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let notebook = Resource::new("notes://all", "notebook");
        Ok(ListResourcesResult::with_all_items(vec![notebook]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let text = self.notebook.lock().expect("no writer panics").join("\n");
        let contents = ResourceContents::text(text, request.uri);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }
}

#[tokio::main]
async fn main() -> inhouse::Result<()> {
    let notebook = Notebook::default();
    let shared = Arc::clone(&notebook);
    let options = Options::new()
        .rmcp_server("notes", move || Notes::new(Arc::clone(&shared)))
        .allow_tools(["mcp__notes"]);
    let question = query("Write down that we need two eggs.").options(options);

    let answer = if std::env::args().any(|argument| argument == "--live") {
        question.await?.text().await?
    } else {
        println!("(with the fake CLI of the test kit; use -- --live for the real one)");
        let (transport, cli) = FakeCli::new();
        let host = async { question.transport(transport).await?.text().await };
        tokio::join!(host, play(cli)).0?
    };
    println!("answer:   {answer}");
    for note in notebook.lock().expect("no writer panics").iter() {
        println!("notebook: {note}");
    }
    Ok(())
}

/// Plays the CLI: a tool call and the answer of a model.
async fn play(mut cli: FakeCli) {
    cli.accept().await;
    cli.expect_prompt().await;
    let written = cli
        .call_tool("notes", "write", json!({"text": "Two eggs."}))
        .await;
    cli.turn(&format!("Done: {}", written.all_text())).await;
    cli.expect_end_of_input().await;
}
