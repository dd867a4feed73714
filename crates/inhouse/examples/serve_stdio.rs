//! Tools served over stdio: a program that any MCP client can start.
//!
//! `claude mcp add words -- cargo run --example serve_stdio --features rmcp`, or from another agent:
//! `McpServer::stdio("…/serve_stdio")`.

use inhouse::tool;
use inhouse::tool::{CallId, ToolError, ToolServer};

/// Count the words of a text.
#[tool(read_only)]
async fn count_words(
    /** The text */
    text: String,
) -> Result<usize, ToolError> {
    if text.trim().is_empty() {
        return Err(ToolError::new("the text has no words: use another text"));
    }
    Ok(text.split_whitespace().count())
}

/// Get the id of this call in the conversation.
#[tool(read_only)]
async fn call_id(CallId(id): CallId) -> String {
    id
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> inhouse::Result<()> {
    ToolServer::new("words")
        .version("1.0.0")
        .always_load()
        .tool(count_words::tool())
        .tool(call_id::tool())
        .serve_stdio()
        .await
}
